"""A headless Chromium controlled through the DevTools protocol over two pipes, without a driver or a port.

`CHROMIUM` names the program; the default is /usr/bin/chromium. One page is open at a time.
"""

import base64
import fcntl
import json
import os
import signal
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

PATIENCE_S = 60.0
"""Timeout for the browser to open its tab."""
FLAGS = (
    "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run", "--disable-gpu", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-dev-shm-usage",
    "--font-render-hinting=none", "--force-color-profile=srgb", "--mute-audio", "about:blank",
)  # fmt: skip


def program() -> Path | None:
    """The path of Chromium; None if it is not installed."""
    named = os.environ.get("CHROMIUM")
    found = Path(named) if named else Path("/usr/bin/chromium")
    return found if found.is_file() else None


@dataclass(slots=True)
class Chromium:
    """A running browser with one tab."""

    reader: int
    writer: int
    session: str | None = None
    number: int = 0
    rest: bytes = b""
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Events since the page was opened."""

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method and wait for its result. Raises RuntimeError with the browser's message."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        os.write(
            self.writer, json.dumps(message | ({"sessionId": self.session} if self.session else {})).encode() + b"\0"
        )
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return cast("dict[str, Any]", answer["result"])

    def wait_for(self, method: str) -> dict[str, Any]:
        """The first event of that name since the page was opened."""
        while True:
            for event in self.events:
                if event.get("method") == method:
                    return cast("dict[str, Any]", event["params"])
            self._next()

    def evaluate(self, script: str) -> Any:
        """The awaited value of an expression on the page. Raises RuntimeError if it throws."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"]))
        return found["result"].get("value")

    def open(self, page: Path, *, width: int = 1200, height: int = 900, dark: bool = False, anchor: str = "") -> None:
        """Load a file in a window of that size, and wait for its load event."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url="about:blank")
        self.evaluate("1")
        self.events.clear()
        self.call("Page.navigate", url=page.resolve().as_uri() + anchor)
        self.wait_for("Page.loadEventFired")

    def complaints(self) -> list[str]:
        """Exceptions, console messages and policy violations since the page was opened."""
        self.evaluate("new Promise(done => setTimeout(done, 50))")
        found: list[str] = []
        for event in self.events:
            match event.get("method"):
                case "Runtime.exceptionThrown":
                    found.append(str(event["params"]["exceptionDetails"]))
                case "Runtime.consoleAPICalled" | "Log.entryAdded":
                    found.append(json.dumps(event["params"]))
                case _:
                    pass
        return found

    def addresses(self) -> list[str]:
        """URLs requested since the page was opened, including the page itself."""
        wanted = [event["params"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [str(params["request"]["url"]) for params in wanted]

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press and release a key."""
        shape = {"key": key, "code": key, "windowsVirtualKeyCode": code, "text": text}
        self.call("Input.dispatchKeyEvent", type="keyDown", **shape)
        self.call("Input.dispatchKeyEvent", type="keyUp", **shape)

    def screenshot(self, target: Path, *, whole: bool = False, form: str = "png") -> None:
        """Save the visible part or the whole page as an image."""
        quality = {"quality": 82} if form != "png" else {}
        shot = self.call("Page.captureScreenshot", format=form, captureBeyondViewport=whole, **quality)
        target.write_bytes(base64.b64decode(shot["data"]))

    def printed(self, target: Path) -> None:
        """Save the page as a PDF on A4."""
        paper = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True)
        target.write_bytes(base64.b64decode(paper["data"]))

    def _next(self) -> dict[str, Any]:
        """The next message. Events are recorded."""
        while b"\0" not in self.rest:
            piece = os.read(self.reader, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has gone")
            self.rest += piece
        raw, _, self.rest = self.rest.partition(b"\0")
        message = cast("dict[str, Any]", json.loads(raw))
        if "method" in message:
            self.events.append(message)
        return message


@contextmanager
def chromium(path: Path) -> Generator[Chromium]:
    """A browser with an empty tab. Leaving the block ends the browser."""
    to_browser, writer = os.pipe()
    reader, from_browser = os.pipe()
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        process = _start([str(path), f"--user-data-dir={profile}", *FLAGS], to_browser, from_browser)
        try:
            yield _with_tab(Chromium(reader, writer))
        finally:
            os.close(writer)
            _end(process)
            os.close(reader)


def _start(words: list[str], to_browser: int, from_browser: int) -> int:
    """Start the program with the ends of the pipes as its files 3 and 4; its process id."""
    apart = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (to_browser, from_browser)]
    quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (1, 2)]
    ends = [(os.POSIX_SPAWN_DUP2, end, number) for number, end in enumerate(apart, start=3)]
    process = os.posix_spawn(words[0], words, os.environ, file_actions=[*quiet, *ends])
    for end in (to_browser, from_browser, *apart):
        os.close(end)
    return process


def _with_tab(browser: Chromium) -> Chromium:
    target = next(item for item in _targets(browser) if item["type"] == "page")
    browser.session = browser.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(f"{domain}.enable")
    return browser


def _targets(browser: Chromium) -> list[dict[str, Any]]:
    """The tabs, as soon as there is one."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        found = cast("list[dict[str, Any]]", browser.call("Target.getTargets")["targetInfos"])
        if any(item["type"] == "page" for item in found):
            return found
    raise RuntimeError("the browser opened no tab")


def _end(process: int) -> None:
    """Wait for the browser to exit after its pipe was closed; kill it after a timeout."""
    until = time.monotonic() + PATIENCE_S / 6
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        if time.monotonic() > until:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return
        time.sleep(0.02)
