"""The judging system `sources`: whether what was cited holds."""
