"""A Chromium without a window, driven over its debugging pipe.

The protocol: https://chromedevtools.github.io/devtools-protocol/
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


class Browser:
    """One page of a fresh browser, of the size of a phone unless another is given."""

    def __init__(self, width: int = 390, height: int = 844, *, dark: bool = False) -> None:
        assert CHROMIUM is not None
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        from_us, self._to = os.pipe()
        self._from, to_us = os.pipe()
        self._process = subprocess.Popen(
            [
                *("bash", "-c", f'exec "$0" "$@" 3<&{from_us} 4>&{to_us}', CHROMIUM),
                *("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"),
                *(f"--user-data-dir={self._folder.name}", "--no-first-run", "--lang=en"),
                "about:blank",
            ],
            pass_fds=(from_us, to_us),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(from_us)
        os.close(to_us)
        self._rest, self._number, self._session = b"", 0, ""
        self.errors: list[str] = []
        page = next(
            each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page"
        )
        attached = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        phone = width < 700
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=phone,
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def call(self, method: str, **params: Any) -> Any:
        """The result of a command."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(answer["params"]))
            elif answer.get("method") == "Log.entryAdded":
                self.errors.append(answer["params"]["entry"]["text"])

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._from, 1 << 20)
            assert more, "the browser has ended"
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)

    def run(self, script: str) -> Any:
        """The value of an expression; what it promises is awaited."""
        done = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def wait_for(self, condition: str, seconds: float = 10.0) -> None:
        """Wait until an expression is true."""
        ends = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < ends, f"{condition} never; the page: {self.text()}"
            time.sleep(0.02)

    def wait_for_text(self, text: str, seconds: float = 10.0) -> None:
        """Wait until a text is to be seen."""
        self.wait_for(f"document.body?.innerText.includes({json.dumps(text)})", seconds)

    def text(self) -> str:
        """The text that is to be seen."""
        return str(self.run("document.body?.innerText"))

    def tap(self, name: str) -> None:
        """Tap what a screen reader calls by this name, where it is on the screen."""
        self.wait_for(f"({_FIND})({json.dumps(name)})")
        where = self.run(f"({_PLACE})({json.dumps(name)})")
        assert where["free"], f"{name} is behind {where['over']}"
        point = {"x": where["x"], "y": where["y"], "button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type="mousePressed", **point)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", **point)

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def key(self, key: str) -> None:
        """Press a key: Tab, Enter, Escape, or the space bar as " "."""
        code = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}[key]
        typed = {"Enter": "\r", " ": " "}.get(key)
        params = {"key": key, "windowsVirtualKeyCode": code} | ({"text": typed} if typed else {})
        self.call("Input.dispatchKeyEvent", type="keyDown", **params)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def focused(self) -> str:
        """What has the focus: its name."""
        return str(self.run(f"({_NAME})(document.activeElement)"))

    def accessibility(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Role, name and properties of everything that a screen reader meets."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [
            (
                node["role"]["value"],
                node.get("name", {}).get("value", ""),
                {each["name"]: each["value"].get("value") for each in node.get("properties", ())},
            )
            for node in nodes
            if not node.get("ignored")
        ]

    def picture(self) -> bytes:
        """The screen as a PNG file."""
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(10)
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()


_NAME = (
    "(e) => (e.getAttribute('aria-label') ?? e.closest('label')?.innerText ?? e.innerText ?? '')"
    ".trim().replace(/\\s+/g, ' ')"
)
_FIND = f"""(name) => {{
  const dialog = document.querySelector('dialog[open]') ?? document;
  const all = [...dialog.querySelectorAll('button, input, select')];
  return all.find((e) => !e.disabled && e.checkVisibility() && ({_NAME})(e) === name);
}}"""
_PLACE = f"""(name) => {{
  const found = ({_FIND})(name);
  found.scrollIntoView({{ block: 'nearest', behavior: 'instant' }});
  const box = found.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const over = document.elementFromPoint(x, y);
  const free = found === over || found.contains(over) || over?.contains(found);
  return {{ x, y, free, over: over?.outerHTML.slice(0, 80) }};
}}"""
