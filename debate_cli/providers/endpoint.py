"""Where requests go and with which key: everything an adapter needs to reach its server."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One provider's server. Secrets stay out of its `repr`."""

    provider: str
    """Name of the row, for messages."""
    base_url: str = field(repr=False)
    """`http(s)://host[:port][/path]`; may carry credentials, which is why messages name `host` only."""
    api_key: str | None = field(default=None, repr=False)
    """None: the server wants no key, and none is sent."""
    api_key_env: str | None = None
    """Variable that the key came from, for messages."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Extra headers, filled in."""
    timeout_s: float = 120.0
    """Longest silence of the server, in seconds."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Values that no message may show."""

    @property
    def host(self) -> str:
        """`host` or `host:port`, without credentials and path."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    def tls_verify(self) -> ssl.SSLContext | bool:
        """Whom to trust on a TLS connection: the usual authorities, or nobody where the address is plain http.

        Reading the authorities takes longer than a local server's answer, and redirects are not followed anyway.
        """
        return True if self.base_url.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
