"""People in the role of models: the pages that they read, the forms that they fill in, and parsing of their answers."""
