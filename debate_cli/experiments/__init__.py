"""Many debates from one file: cells (one debate each), the ledger that stores them, the runner, and tidy results."""
