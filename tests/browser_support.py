"""A headless Chromium driven over two pipes, in its own protocol: no driver, no port, no package.

`CHROMIUM` names the program; without it /usr/bin/chromium is taken where it stands. One page is open at a time.
"""

from __future__ import annotations

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
"""After so long without a word the browser is given up."""
FLAGS = (
    "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run", "--disable-gpu", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-dev-shm-usage",
    "--font-render-hinting=none", "--force-color-profile=srgb", "--mute-audio", "about:blank",
)  # fmt: skip


def program() -> Path | None:
    """The Chromium to test with; None where there is none."""
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
    """What happened since the page was opened."""

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask for something and wait for the answer; RuntimeError with the browser's words where it refuses."""
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
        """The value of an expression on the page, awaited; RuntimeError where it throws."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"]))
        return found["result"].get("value")

    def open(self, page: Path, *, width: int = 1200, height: int = 900, dark: bool = False, anchor: str = "") -> None:
        """Load a file in a window of that size, and wait until all of it is there."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url="about:blank")
        self.evaluate("1")
        self.events.clear()
        self.call("Page.navigate", url=page.resolve().as_uri() + anchor)
        self.wait_for("Page.loadEventFired")

    def complaints(self) -> list[str]:
        """Errors and warnings of the page since it was opened: exceptions, console, blocked by its policy."""
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
        """What the page asked the network or the disk for since it was opened, itself included."""
        wanted = [event["params"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [str(params["request"]["url"]) for params in wanted]

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press a key and let it go."""
        shape = {"key": key, "code": key, "windowsVirtualKeyCode": code, "text": text}
        self.call("Input.dispatchKeyEvent", type="keyDown", **shape)
        self.call("Input.dispatchKeyEvent", type="keyUp", **shape)

    def screenshot(self, target: Path, *, whole: bool = False, form: str = "png") -> None:
        """What is seen, or the whole page."""
        quality = {"quality": 82} if form != "png" else {}
        shot = self.call("Page.captureScreenshot", format=form, captureBeyondViewport=whole, **quality)
        target.write_bytes(base64.b64decode(shot["data"]))

    def printed(self, target: Path) -> None:
        """The page as it is printed, a PDF on A4."""
        paper = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True)
        target.write_bytes(base64.b64decode(paper["data"]))

    def _next(self) -> dict[str, Any]:
        """The next message; events are kept."""
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
    """A browser with an empty tab, ended with everything it started when the block is left."""
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
    """The tabs, once there is one."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        found = cast("list[dict[str, Any]]", browser.call("Target.getTargets")["targetInfos"])
        if any(item["type"] == "page" for item in found):
            return found
    raise RuntimeError("the browser opened no tab")


def _end(process: int) -> None:
    """Without its pipe the browser ends by itself; what does not is made to."""
    until = time.monotonic() + PATIENCE_S / 6
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        if time.monotonic() > until:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return
        time.sleep(0.02)
