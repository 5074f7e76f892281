"""The frozen values of a debate: configuration, events, turns, assessments and verdicts."""
