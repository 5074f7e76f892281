"""People in the role of models: pages to read, forms to fill in, and the parsing of answers."""
