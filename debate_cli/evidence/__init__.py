"""Sources that debaters may cite: passages, and the check of the quotes taken from them."""
