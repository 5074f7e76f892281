"""Redaction by value and by pattern; it keeps JSON valid and ordinary words."""

import base64
import html
import json
import textwrap
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debate_cli.domain.message_text import sanitize_text
from debate_cli.domain.model_call import Usage
from debate_cli.domain.nested_texts import map_texts
from debate_cli.llm.model import Message, OnText, Reply, Request
from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt
from debate_cli.llm.redaction import REDACTED, RedactingModel, Redactor, looks_like_secret

SECRET = "zq-Hush-7391"
REQUEST = Request(system="", messages=(Message("user", "Speak."),), purpose="opening", max_output_tokens=50)
KEYS = (
    "sk-proj-abcdEFGH12345678", "sk-abcdefgh12345678", "AIzaSyA1234567890abcdef", "gsk_1234567890abcdef",
    "xai-1234567890abcdef", "hf_1234567890abcdef", "ghp_1234567890abcdef", "gho_1234567890abcdef",
    "ghu_1234567890abcdef", "ghs_1234567890abcdef", "ghr_1234567890abcdef", "github_pat_1234567890abcdef",
    "AKIAABCDEFGH12345678", "pk-lf-12345678", "csk-1234567890abcdef", "sk-ab*****yz12",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StreamingModel:
    """Streams its pieces."""

    pieces: Sequence[str]

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer with the pieces."""
        assert on_text is not None
        for piece in self.pieces:
            on_text(piece)
        return Reply("".join(self.pieces), Usage(), "stop")


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"the key {SECRET}.", "the key [redacted]."),
        *((key, "[redacted]") for key in KEYS),
        ("a sk-ant-api03-abcdefgh and more", "a [redacted] and more"),
        ("Authorization: Bearer abc123DEF456", "Authorization: Bearer [redacted]"),
        ("bearer  averylongtokenwithoutdigits", "bearer  [redacted]"),
        ("x-api-key: hush-hush", "x-api-key: [redacted]"),
        ('api_key="hush12"', 'api_key="[redacted]"'),
        ('{"x-api-key": "hush-hush"}', '{"x-api-key": "[redacted]"}'),
        (r'{"text": "api_key=\nabcdefg1"}', r'{"text": "api_key=\n[redacted]"}'),
        (r'"{\"text\": \"api_key=\\nabcdefg1\"}"', r'"{\"text\": \"api_key=\\n[redacted]\"}"'),
        ("https://me:pw@example.org/v1?a=b", "https://[redacted]@example.org/v1?a=b"),
        ("https://0123456789abcdef@example.org/v1", "https://[redacted]@example.org/v1"),
        (r'{"text": "line\nsk-abcdefgh12345678"}', r'{"text": "line\n[redacted]"}'),
    ],
)
def test_secrets_are_replaced(text: str, redacted: str) -> None:
    """Each pattern of a key is replaced in plain text and in JSON."""
    assert Redactor([SECRET])(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "a task-oriented approach, risk-averse and disk-bound",
        "scikit: sk-learn-contrib",
        "Bearer authentication is a standard; bearer tokens are not.",
        "A basic HorizontalPodAutoscaler, basic PostgreSQLReplication16 and a pk-constraint.",
        "api_key = os.environ",
        "see https://example.org:8443/a@b and mail me@example.org",
        "the x-api-key header carries it",
        "ollama serves llama",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    """Words that resemble secrets, and placeholder keys, are not redacted."""
    assert Redactor(["ollama", "a"])(text) == text
    assert not looks_like_secret(text)


ALPHABET = 'ab1-\\"\n é🙂:/@='
PIECES = st.sampled_from(
    [
        SECRET,
        "sk-abcdefgh12345678",
        "Bearer abc123def456",
        "https://a:b@c",
        "x-api-key: abcdefg",
        "api_key=\nabcdefg1",
        REDACTED,
    ]
)
TEXTS = st.lists(st.text(ALPHABET, max_size=8) | PIECES, max_size=6).map("".join)


@settings(deadline=None)
@given(TEXTS, st.text(ALPHABET, min_size=6, max_size=9))
def test_redaction_is_idempotent(text: str, secret: str) -> None:
    """A second pass changes nothing."""
    redact = Redactor([secret, SECRET])
    assert redact(redact(text)) == redact(text)


@settings(deadline=None)
@given(TEXTS, st.text(ALPHABET, min_size=6, max_size=9))
def test_json_stays_json(text: str, secret: str) -> None:
    """A redacted line of JSON is still valid."""
    redact = Redactor([secret, SECRET])
    assert isinstance(json.loads(redact(json.dumps({"a": text}))), dict)


@settings(deadline=None)
@given(TEXTS, st.text(ALPHABET, min_size=6, max_size=9))
def test_a_secret_is_removed_from_nested_values(text: str, secret: str) -> None:
    """Secrets are removed from keys and from values."""
    data: Any = map_texts({"words": [f"{text}{secret}{text}"], secret: 1}, Redactor([secret]))
    assert all(secret not in word.replace(REDACTED, "\0") for word in (*data, *data["words"]))


@pytest.mark.parametrize("spelled", [r"a\u0026b€c\u003cd", r"a\u0026b\u20ACc\u003Cd", r"a\\u0026b\\u20acc<d"])
def test_escaped_secrets_are_redacted(spelled: str) -> None:
    """Secrets escaped as Go and PHP do, or with doubled backslashes, are redacted."""
    assert Redactor(["a&b€c<d"])(f"x {spelled} y") == "x [redacted] y"


@pytest.mark.parametrize("spelled", ["hush%2B7/3%C3%BC%20%3F", "hush%2b7%2f3%c3%bc%20%3f", "hush%2b7%2F3%C3%bc+%3f"])
def test_secrets_in_urls_are_redacted(spelled: str) -> None:
    """Percent codes are found in upper case and, as ASP.NET writes them, in lower case."""
    assert Redactor(["hush+7/3ü ?"])(f"/q?key={spelled}&a=b") == "/q?key=[redacted]&a=b"


@pytest.mark.parametrize(
    ("text", "unsure"),
    [
        ("so they sai", 3),
        ("so they said ", 0),
        ("Authorization: Bearer ab", 9),
        ("a bearer ", 7),
        ("basic abc", 3),
        ("漢字の", 0),
    ],
)
def test_the_last_word_of_a_stream_is_uncertain(text: str, unsure: int) -> None:
    """The last word of a stream, and a header name before it, may begin a secret."""
    assert Redactor(["canary-secret"]).uncertain_tail(text) == unsure


GAPS = (
    "\u200b", "\x1b[31m", "\x1b7", "\x1b]0;title\x07", "\x00", "\U000e0041", "\ufe0f", "\ufff0", "\U00013430", "\U0001bca0",
    "\U0001d173",
)  # fmt: skip


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize(("before", "after"), [("zq-Hu", "sh-7391"), ("sk-abcdefg", "h12345678")])
def test_invisible_characters_do_not_hide_a_secret(gap: str, before: str, after: str) -> None:
    """A secret with invisible characters inside it is redacted."""
    redact = Redactor([SECRET])
    text = f"It is {before}{gap}{after}."
    assert redact(text) == "It is [redacted]."
    for ascii_only in (True, False):
        line = redact(json.dumps({"text": text}, ensure_ascii=ascii_only))
        assert json.loads(line) == {"text": "It is [redacted]."}


@pytest.mark.parametrize(
    "text", [*(f"zq-Hu{gap}sh-7391" for gap in (*GAPS, "\x0b", "\x0c")), "\x1b]zq-Hu\u200bsh-7391\x07"]
)
def test_no_secret_reaches_a_prompt(text: str) -> None:
    """Sanitizing a redacted text for a prompt joins no parts of a secret."""
    assert SECRET not in sanitize_for_prompt(Redactor([SECRET])(text))


DISGUISES = st.lists(st.sampled_from(["", "\u200b", "\u2060", "\x1b[0m", "\x07"]), min_size=20, max_size=20)


@settings(deadline=None)
@given(TEXTS, DISGUISES, st.integers(1, 30))
async def test_no_stream_shows_a_disguised_secret(text: str, gaps: list[str], size: int) -> None:
    """However the pieces are cut, the shown text never contains the secret."""
    disguised = "".join(char + gap for char, gap in zip(SECRET, gaps, strict=False))
    whole = f"{text} {disguised} {text}"
    shown: list[str] = []
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    await RedactingModel(StreamingModel(pieces), Redactor([SECRET])).complete(REQUEST, shown.append)
    assert SECRET not in sanitize_text("".join(shown))


async def test_a_stream_shows_no_text_with_the_shape_of_a_key() -> None:
    """A key-shaped text is removed from a stream, even if no secret is known and the text comes in pieces."""
    shown: list[str] = []
    await RedactingModel(StreamingModel(["It is sk-abcd", "EFGH12345678 ", "now"]), Redactor()).complete(
        REQUEST, shown.append
    )
    assert "".join(shown) == "It is [redacted] now"


def test_longer_secrets_go_first() -> None:
    """If one secret begins another secret, nothing of the longer one remains."""
    assert Redactor(["abcdef", "abcdefghij"])("abcdefghij abcdef") == "[redacted] [redacted]"


@pytest.mark.parametrize("hiding", ["{}", "zq-\u200bHush-7391", "zq-\\u0048ush-7391"])
def test_a_text_hides_no_secret_of_another(hiding: str) -> None:
    """A terminal sequence that spans two texts hides no secret."""
    secret = hiding.replace("{}", SECRET)
    data = map_texts(["\x1b]0;title", {"key": [secret]}, "\x07"], Redactor([SECRET]))
    assert data == ["\x1b]0;title", {"key": [REDACTED]}, "\x07"]


def test_escaped_letters_do_not_hide_a_secret() -> None:
    """A secret whose letters are JSON escapes is redacted."""
    assert Redactor([SECRET])(r'{"text": "\u007aq-Hus\u0068-7391"}') == '{"text": "[redacted]"}'


def test_json_with_disguises_stays_json() -> None:
    """JSON with escaped control characters and backslashes stays valid."""
    for text in (f"{SECRET}\x1b", f"{SECRET}\x1b]", f"\x1b\\{SECRET}", f"\\\\\u200b{SECRET}\\"):
        line = json.dumps({"text": f"{text} zq-Hush\u200b-7391"})
        assert SECRET not in json.loads(Redactor([SECRET])(line))["text"]


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("&#122;q-Hush-7391", REDACTED),
        ("&#x7A;q-Hush-739&#X31;", REDACTED),
        ("".join(f"&#{ord(char)};" for char in SECRET), REDACTED),
        ("".join(f"&#x{ord(char):04x}" for char in SECRET), REDACTED),
        ("&amp;#122;q-Hush&amp;amp;#45;7391", REDACTED),
        ("".join(f"\\u0026#{ord(char)};" for char in SECRET), REDACTED),
        (r"\u0026amp;#122;q-Hush\\u0026#x2D;7391", REDACTED),
        (r"\u0026#115;k-abcdefgh12345678 \u0026lt;b\u0026#62;", rf"{REDACTED} \u0026lt;b\u0026#62;"),
        ("zq-Hu&#8203;sh-73&shy;91", REDACTED),
        ("&#115;k-abcdefgh12345678", REDACTED),
        ("Bearer &#97;bc123DEF45&#54;", f"Bearer {REDACTED}"),
        ("x-api-key&#58; hush-hush", f"x-api-key&#58; {REDACTED}"),
        ("api_key=&#104;ush12", f"api_key={REDACTED}"),
        ("https&colon;//me:p&#119;@example.org", f"https&colon;//{REDACTED}@example.org"),
        ("https://me:p&#119;@example.org", f"https://{REDACTED}@example.org"),
        ("&lt;b&#62; &#115;k-abcdefgh12345678 &amp;c&#46;", f"&lt;b&#62; {REDACTED} &amp;c&#46;"),
    ],
)
def test_html_entities_do_not_hide_a_secret(text: str, redacted: str) -> None:
    """A secret with entities in it is replaced. All other entities stay."""
    redact = Redactor([SECRET])
    assert redact(f"({text})") == f"({redacted})"
    assert json.loads(redact(json.dumps({"text": text}))) == {"text": redacted}


@pytest.mark.parametrize("secret", ["a&b<c>d1", 'Tom\'s "7391"', "a\\b&quot;c"])
def test_a_secret_that_html_escapes_is_replaced(secret: str) -> None:
    """Characters that every page escapes hide nothing."""
    assert Redactor([secret])(f"<i>{html.escape(secret)}</i>") == f"<i>{REDACTED}</i>"


@pytest.mark.parametrize("text", ["Q&A, R&#38;D, caf&eacute; &#x110000; &#0; &#; &unknown; &amp;amp; &", "&#115;ocks"])
def test_ordinary_entities_stay(text: str) -> None:
    """Entities that hide no secret are not decoded."""
    assert Redactor([SECRET])(text) == text


LONG_SECRET = "not-a-key/of+a?known_shape~" + "7391" * 10


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n    ", " \n\t"])
@pytest.mark.parametrize("width", [1, 4, 19, 76])
@pytest.mark.parametrize("before", range(3))
def test_broken_code_does_not_hide_a_secret(end: str, width: int, before: int) -> None:
    """A Base64 or hexadecimal code is found if it is broken over lines, in plain text, in JSON and in JSON in JSON."""
    data = b"." * before + LONG_SECRET.encode() + b"..."
    for code in (base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode(), data.hex()):
        broken = end.join(textwrap.wrap(code, width))
        redact = Redactor([SECRET, LONG_SECRET])
        text = f"It is:{end}{broken}{end}So it is."
        shown = "".join(redact(text).split())
        assert REDACTED in shown
        assert len(shown) < 40  # the code has 100 characters or more
        line = redact(json.dumps({"text": text}))
        assert REDACTED in json.loads(line)["text"]
        assert REDACTED in json.loads(json.loads(redact(json.dumps(json.dumps({"text": text})))))["text"]


@pytest.mark.parametrize("secret", [SECRET, LONG_SECRET, "7391" * 4])
def test_spaces_in_a_code_do_not_hide_a_secret(secret: str) -> None:
    """A hexadecimal code is found if its bytes are separated by spaces or tabs."""
    data = secret.encode()
    for code in (data.hex(" "), data.hex("\t"), data.hex(" ").upper(), data.hex(" ", 2), "  ".join(data.hex())):
        assert Redactor([secret])(f"It is {code} now.") == f"It is {REDACTED} now."


@pytest.mark.parametrize("separator", [" ", "\n", "\n    ", "\\n"])
def test_numbers_that_could_be_a_code_stay(separator: str) -> None:
    """A column of numbers may be the hexadecimal code of a short number. The number itself is always replaced."""
    redact = Redactor(["123456"])
    ages = separator.join(str(age) for age in range(28, 40))
    assert redact(f"{ages}{separator}123456") == f"{ages}{separator}{REDACTED}"


@settings(deadline=None)
@given(st.integers(1, 80), st.integers(1, 40), st.sampled_from(["\n", "\r\n", " \n\t", " "]))
async def test_no_stream_shows_a_broken_code(width: int, size: int, end: str) -> None:
    """However the pieces are cut, the shown text never contains the code."""
    code = base64.b64encode(LONG_SECRET.encode()).decode()
    whole = f"The code is{end}{end.join(textwrap.wrap(code, width))}{end}and so on, day and night."
    shown: list[str] = []
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    await RedactingModel(StreamingModel(pieces), Redactor([LONG_SECRET])).complete(REQUEST, shown.append)
    assert "".join("".join(shown).split()) == f"Thecodeis{REDACTED}Q==andsoon,dayandnight."


CODE = base64.b64encode(LONG_SECRET.encode()).decode()


@pytest.mark.parametrize(
    "unit",
    [
        "&#", "&#115", "&#115;", "&amp;", "amp;", "&#0", "0", "&lowbar;", "Bearer &#97;", "https://&#97;", "api_key=&#97;", "\n", "\\n",
        "\\", "\\u0026", "\\u0026#115;", " ", " \n", f"{CODE[0]}\n", f"{CODE[0]} ", "\n".join(CODE[:-4]) + "\n!",
        " ".join(CODE[:-4]) + " !", CODE[:40] + " " * 999 + "\n",
    ],
)  # fmt: skip
def test_a_hostile_text_takes_linear_time(unit: str) -> None:
    """Quadratic time would be hours."""
    text = "\n".join(CODE) + "&#115;&" + unit * (300_000 // len(unit))
    started = time.process_time()
    Redactor([SECRET, LONG_SECRET])(text)
    assert time.process_time() - started < 10
