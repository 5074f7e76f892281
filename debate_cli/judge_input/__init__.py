"""What judges read: the transcript in their prompts, the check of what they quote, text that addresses them."""
