"""The version of the package, which the build reads from here."""

__version__ = "0.2.0.dev0"
