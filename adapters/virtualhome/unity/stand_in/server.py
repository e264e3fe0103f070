"""The stand-in's HTTP server: calls in, answers out, and faults in between."""

from __future__ import annotations

import base64
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ..client import STAND_IN_SERVER
from .apartment import Apartment
from .faults import UnityFault, UnityFaults
from .rendering import tiles

#: The cameras that follow each character, the second of which looks ahead.
CHARACTER_CAMERAS = (
    "PERSON_TOP",
    "PERSON_FRONT",
    "PERSON_LEFT",
    "PERSON_RIGHT",
    "PERSON_FROM_BACK",
    "PERSON_FROM_LEFT",
)
#: Seconds for which nobody gets in after a refused connection.
_REFUSED_S = 0.2
#: Seconds after which a call that gets no answer is given up.
_HANG_S = 300.0
_MOST_PIXELS = 4096
#: A place in an answer for the graph's text, which is encoded already.
_GRAPH = "<graph>"

_Request = dict[str, Any]


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
                found = apartment.load(numbers[0] if numbers else 0)
                return {"success": found, "message": "" if found else "Invalid scene index"}
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
        """Every line in turn, until one fails."""
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
        frame = base64.b64encode(tiles(self._apartment.seen(), width, height)).decode()
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
            self.close_connection = True  # the other side has gone

    def log_message(self, *_: object) -> None:
        """Says nothing: faults are in their log."""


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int, calls: UnityCalls, faults: UnityFaults) -> None:
        self.calls, self.faults = calls, faults
        self.refuse = threading.Event()
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that the other side broke off is no news."""

    def service_actions(self) -> None:
        if self.refuse.is_set():
            threading.Thread(target=self.shutdown).start()


def serve(port: int, faults: UnityFaults) -> None:
    """Serve at a port of this machine until interrupted; 0 for a free port.

    Prints the address once calls are answered. Raises OSError where the port is taken, and Missing
    without the evolving graph.
    """
    listener = _Listener(port, UnityCalls(), faults)
    port = listener.server_address[1]
    print(f"VirtualHome protocol stand-in at http://127.0.0.1:{port}", flush=True)
    while True:
        listener.serve_forever(poll_interval=0.05)
        listener.server_close()
        time.sleep(_REFUSED_S)
        listener = _Listener(port, listener.calls, faults)
