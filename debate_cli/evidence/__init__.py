"""The sources that debaters may cite: their passages, and the check of quotes from them."""
