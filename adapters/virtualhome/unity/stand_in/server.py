"""The stand-in's HTTP server: calls, answers, faults and camera frames."""

from __future__ import annotations

import base64
import io
import json
import os
import random
import threading
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from .....errors import BadInput, unknown_name
from ..client import STAND_IN_SERVER
from .apartment import Apartment

#: The number of cameras per character; the second one looks ahead.
CHARACTER_CAMERAS = (
    "PERSON_TOP",
    "PERSON_FRONT",
    "PERSON_LEFT",
    "PERSON_RIGHT",
    "PERSON_FROM_BACK",
    "PERSON_FROM_LEFT",
)
#: Seconds without new connections after a refused one.
_REFUSED_S = 0.2
#: Seconds until a call without an answer is dropped.
_HANG_S = 300.0
_MOST_PIXELS = 4096
#: A placeholder in an answer for the encoded text of the graph.
_GRAPH = "<graph>"
#: The size of a tile in a frame, in pixels, and the colour around it.
_TILE = 40
_WALL = (0xE8, 0xE4, 0xD8)

_Request = dict[str, Any]


class UnityFault(StrEnum):
    """A fault; it comes before or after the call is done, unless noted."""

    TIMEOUT = "timeout"  # no answer
    HTTP500 = "http500"
    UNCHANGED = "unchanged"  # a script is reported as done, but is not
    STALE = "stale"  # the graph before the last change
    REFUSE = "refuse"  # the connection is closed, and new ones are refused for a moment
    DIE = "die"  # the process ends


_ONLY = {UnityFault.UNCHANGED: "render_script", UnityFault.STALE: "environment_graph"}


@dataclass
class UnityFaults:
    """Random faults of one stand-in.

    rates: the probability of each, among the calls that it applies to. log: a file of all calls
    with their faults. A restarted stand-in continues from it instead of dying at the same call
    forever.
    """

    rates: dict[UnityFault, float] = field(default_factory=dict)
    seed: int = 0
    log: Path | None = None

    def __post_init__(self) -> None:
        self._calls = 0
        self._lock = threading.Lock()

    def draw(self, action: str) -> tuple[UnityFault | None, bool]:
        """The fault of the next call, and whether it comes before the call is done."""
        with self._lock:
            return self._draw(action)

    def _draw(self, action: str) -> tuple[UnityFault | None, bool]:
        if self.log is not None and self.log.exists():
            self._calls = self.log.stat().st_size
        chance = random.Random(f"{self.seed} {self._calls}")
        self._calls += 1
        fault = None
        for kind, rate in self.rates.items():
            if chance.random() < rate and _ONLY.get(kind, action) == action:
                fault = kind
                break
        if self.log is not None:
            with self.log.open("a") as log:
                log.write(f"{action}\t{fault or '-'}\n")
        return fault, chance.random() < 0.5


def parse(text: str) -> dict[UnityFault, float]:
    """The rates in "timeout=0.05,http500=0.1". Raises BadInput."""
    rates = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, rate = part.partition("=")
        if name not in [str(kind) for kind in UnityFault]:
            raise unknown_name("fault", name, map(str, UnityFault))
        try:
            share = float(rate)
        except ValueError:
            share = -1.0
        if not 0.0 <= share <= 1.0:
            raise BadInput(f"The fault '{part}' has no rate; give one from 0 to 1: {name}=0.05.")
        rates[UnityFault(name)] = share
    return rates


class UnityCalls:
    """The calls of the protocol on one apartment, one at a time."""

    def __init__(self) -> None:
        self._apartment = Apartment()
        self._lock = threading.Lock()

    def answer(self, request: _Request, fault: UnityFault | None) -> bytes:
        """The body of the answer to a well-formed request."""
        with self._lock:
            result = self._execute(request, fault)
            answer = {
                "id": request.get("id", ""),
                "success": result.get("success", True),
                "message": result.get("message", ""),
                "value": result.get("value", 0),
                "message_list": result.get("message_list"),
            }
            body = json.dumps(answer)
            if answer["message"] == _GRAPH:
                text = self._apartment.text(stale=fault is UnityFault.STALE)
                body = body.replace(_GRAPH, text, 1)
        return body.encode()

    def _execute(self, request: _Request, fault: UnityFault | None) -> dict[str, Any]:
        apartment = self._apartment
        numbers, texts = request.get("intParams") or [], request.get("stringParams") or []
        match request["action"]:
            case "idle" | "clear":
                return {}
            case "environment" | "reset" | "fast_reset":
                loaded = apartment.load(numbers[0] if numbers else 0)
                return {"success": loaded, "message": "" if loaded else "Invalid scene index"}
            case "environment_graph":
                return {"message": _GRAPH}
            case "expand_scene":
                success, message = apartment.expand(json.loads(texts[1]))
                return {"success": success, "message": message}
            case "add_character":
                settings = json.loads(texts[0])
                by_name = settings.get("mode") == "fix_room"
                room = settings.get("initial_room", "") if by_name else ""
                return {"success": apartment.add_character(room)}
            case "render_script":
                return self._script(texts[1:], fault)
            case "camera_count":
                return {"value": self._camera_count()}
            case "character_cameras":
                return {"message": json.dumps(CHARACTER_CAMERAS)}
            case "camera_image":
                return self._frames(numbers, json.loads(texts[0]))
        return {"success": False, "message": f"Unknown action {request['action']}"}

    def _script(self, lines: list[str], fault: UnityFault | None) -> dict[str, Any]:
        """Execute line after line, until one fails."""
        success, message = True, json.dumps({"0": {"message": "Success"}})
        for line in lines if fault is not UnityFault.UNCHANGED else ():
            success, message = self._apartment.do(line)
            if not success:
                break
        return {"success": success, "message": message}

    def _camera_count(self) -> int:
        return self._apartment.room_count() + self._apartment.characters * len(CHARACTER_CAMERAS)

    def _frames(self, cameras: list[int], settings: dict[str, Any]) -> dict[str, Any]:
        if not all(0 <= camera < self._camera_count() for camera in cameras):
            return {"success": False, "message": "Invalid parameters"}
        width, height = (
            min(max(1, int(settings[side])), _MOST_PIXELS)
            for side in ("image_width", "image_height")
        )
        frame = base64.b64encode(_tiles(self._apartment.seen(), width, height)).decode()
        return {"message_list": [frame] * len(cameras)}


class _Handler(BaseHTTPRequestHandler):
    """One connection, kept open for many calls."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        content = self.rfile.read(length)
        try:
            request = json.loads(content)
            action = request["action"]
        except (ValueError, KeyError, TypeError) as error:
            self._refuse(400, f"Invalid request format ({error})")
            return
        fault, before = self.server.faults.draw(action)
        answer = b""
        if not before or fault in (None, UnityFault.UNCHANGED, UnityFault.STALE):
            try:
                answer = self.server.calls.answer(request, fault)
            except (ValueError, KeyError, TypeError, IndexError) as error:
                self._refuse(500, f"Unknown error ({type(error).__name__}: {error})")
                return
        match fault:
            case UnityFault.TIMEOUT:
                time.sleep(_HANG_S)
                self.close_connection = True
            case UnityFault.HTTP500:
                self._refuse(500, "Unknown error (injected)")
            case UnityFault.REFUSE:
                self.server.refuse.set()
                self.close_connection = True
            case UnityFault.DIE:
                os._exit(70)
            case _:
                self._send(200, answer)

    def _refuse(self, status: int, message: str) -> None:
        answer = {"id": "", "success": False, "message": message, "value": 0}
        self._send(status, json.dumps(answer).encode())

    def _send(self, status: int, body: bytes) -> None:
        head = (
            f"HTTP/1.1 {status} {self.responses[status][0]}\r\n"
            f"Server: {STAND_IN_SERVER}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        try:
            self.wfile.write(head.encode() + body)
        except OSError:
            self.close_connection = True  # the other side is gone

    def log_message(self, *_: object) -> None:
        """Log nothing: faults have their own log."""


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int, calls: UnityCalls, faults: UnityFaults) -> None:
        self.calls, self.faults = calls, faults
        self.refuse = threading.Event()
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore connections that the other side broke off."""

    def service_actions(self) -> None:
        if self.refuse.is_set():
            threading.Thread(target=self.shutdown).start()


def serve(port: int, faults: UnityFaults) -> None:
    """Serve at a port of this machine until interrupted; 0 for a free port.

    Prints the address once it is ready. Raises OSError if the port is taken, and Missing without
    the evolving graph.
    """
    listener = _Listener(port, UnityCalls(), faults)
    port = listener.server_address[1]
    print(f"VirtualHome protocol stand-in at http://127.0.0.1:{port}", flush=True)
    while True:
        listener.serve_forever(poll_interval=0.05)
        listener.server_close()
        time.sleep(_REFUSED_S)
        listener = _Listener(port, listener.calls, faults)


def _tiles(names: Sequence[str], width: int, height: int) -> bytes:
    """A PNG of a given size, with a tile of its own colour for each name that fits."""
    from PIL import Image, ImageDraw

    frame = Image.new("RGB", (width, height), _WALL)
    pen = ImageDraw.Draw(frame)
    across = max(1, width // _TILE)
    for number, name in enumerate(names):
        y, x = (side * _TILE for side in divmod(number, across))
        code = zlib.crc32(name.encode())
        colour = (code >> 16 & 255, code >> 8 & 255, code & 255)
        pen.rectangle((x, y, x + _TILE - 3, y + _TILE - 1), colour)
    content = io.BytesIO()
    frame.save(content, "PNG", compress_level=1)
    return content.getvalue()
