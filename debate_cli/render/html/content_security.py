"""How a page's Content-Security-Policy names what the page may run and how it may look. Loads no templates."""

from __future__ import annotations

import base64
import hashlib


def csp_hash(text: str) -> str:
    """`text`, a style sheet or a script, as a policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
