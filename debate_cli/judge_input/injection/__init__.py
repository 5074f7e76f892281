"""The detector of injections. It finds instructions to the judge in speeches."""
