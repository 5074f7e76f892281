"""Judging system `persuasion`: stance, conviction and surrender."""
