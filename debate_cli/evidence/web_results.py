"""Converts web search results to passages: filters by domain, cleans the text, selects the best part."""

import re
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit, urlunsplit

from debate_cli.domain.evidence import FoundPassage
from debate_cli.domain.text_normalization import remove_invisible
from debate_cli.evidence.corpus import query_terms
from debate_cli.evidence.sections import Section
from debate_cli.evidence.splitting import split_section
from debate_cli.evidence.unspaced_scripts import count_words

MAX_RESULTS = 10
MAX_TITLE_CHARS = 200
MAX_ADDRESS_CHARS = 500
_AMBIGUOUS_CHARS = re.compile(r"[\s\\]")


def select_results(
    found: Iterable[FoundPassage], query: str, words: int, domains: tuple[str, ...] = ()
) -> tuple[FoundPassage, ...]:
    """Return at most MAX_RESULTS passages of `found`, without duplicates.

    Passages without text, and passages from web addresses outside `domains`, are left out. Empty `domains` allow all
    addresses.

    If a text has more than `words` words, only the part with the most words of `query` is kept. The exception is a
    model's summary of web pages, which is kept whole.
    """
    kept: dict[FoundPassage, None] = {}
    for item in found:
        text = remove_invisible(item.text).strip()
        if item.origin != "summary" and count_words(text) > words:
            terms = frozenset(query_terms(query))
            parts = [part for part, _, _ in split_section(Section(text), words)]
            text = max(parts, key=lambda part: len(terms & frozenset(query_terms(part))), default="")
        title = " ".join(remove_invisible(item.title).split())[:MAX_TITLE_CHARS]
        if text and is_allowed(item.source, domains):
            url = urlsplit(remove_invisible(item.source).strip())
            address = urlunsplit(url._replace(netloc=url.netloc.rpartition("@")[2]))
            if len(address) <= MAX_ADDRESS_CHARS:
                kept[FoundPassage(address, title, item.locator, text, item.origin)] = None
    return tuple(kept)[:MAX_RESULTS]


def is_allowed(url: str, domains: tuple[str, ...]) -> bool:
    """Whether `url` is a web address in one of `domains` or their subdomains. Empty `domains` allow every web address.

    An entry of `domains` may end in a path, e.g. `example.org/docs`.
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return False
    if parts.scheme not in {"http", "https"} or not host or _AMBIGUOUS_CHARS.search(url):
        return False
    return not domains or any(_is_within(host, parts.path, *domain.lower().partition("/")[::2]) for domain in domains)


def _is_within(host: str, path: str, domain: str, folder: str) -> bool:
    domain, folder, real = domain.removeprefix("www."), folder.strip("/"), unquote(path).lower()
    is_plain = "\\" not in real and not {".", ".."} & set(real.split("/"))
    in_folder = not folder or (is_plain and f"{real.rstrip('/')}/".startswith(f"/{folder}/"))
    return (host == domain or host.endswith(f".{domain}")) and in_folder
