"""What a verdict rests on, as tables without a look: one module a judging system, `of_verdict` for any of them."""
