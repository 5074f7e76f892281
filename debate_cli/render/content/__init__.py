"""What screens and reports of a debate say, as values. Nothing here is drawn."""
