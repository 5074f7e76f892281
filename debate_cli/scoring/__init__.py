"""Debate -> Verdict: pure, without clock, network or randomness."""
