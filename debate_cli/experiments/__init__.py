"""Experiments: many debates from one file. A cell is one debate. A ledger stores the cells and their results."""
