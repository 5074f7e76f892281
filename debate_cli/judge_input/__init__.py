"""The input of judges: transcripts in prompts, checks of quotes, detection of text that addresses the judge."""
