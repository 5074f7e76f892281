"""Input of judges: the transcript in prompts, checks of quotes, detection of text that addresses the judge."""
