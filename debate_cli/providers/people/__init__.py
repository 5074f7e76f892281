"""People in the role of models: pages for them to read, forms to fill in, and the parsing of their answers."""
