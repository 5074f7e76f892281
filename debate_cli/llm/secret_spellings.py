"""How a secret may be written by whoever repeats it: as it is, in JSON (within JSON too), in a URL, in base64, in hexadecimal digits."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

SHORTEST_CODED = 8
"""Characters from which what a secret's code says is still its own: less is found in any long code."""


def spellings(secret: str) -> frozenset[str]:
    """`secret` in every way in which it is looked for; as the part of a longer text too, also in base64."""
    plain = {
        secret,
        *_json(secret),
        *(again for once in _json(secret) for again in _json(once)),
        quote(secret),
        quote(secret, safe=""),
        quote_plus(secret),
    }
    data = secret.encode(errors="surrogatepass")
    coded = {data.hex(), data.hex().upper(), *_base64(data)}
    return frozenset(plain | {code for code in coded if len(code) >= SHORTEST_CODED})


def _json(text: str) -> Iterator[str]:
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]


def _base64(data: bytes) -> Iterator[str]:
    """What base64 makes of `data` wherever it stands in what is encoded: the signs that hold nothing of its neighbours."""
    for before in range(3):
        code = base64.b64encode(bytes(before) + data).decode()
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        yield code[first:last]
        yield code[first:last].replace("+", "-").replace("/", "_")
