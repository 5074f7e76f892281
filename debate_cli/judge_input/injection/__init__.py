"""The detector of injections: it finds instructions to the judge in speeches."""
