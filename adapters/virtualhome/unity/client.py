"""The HTTP protocol of VirtualHome's Unity executable, on the client's side.

Every call is a POST to `/` with {"id", "action", "intParams", "stringParams"}, answered by {"id",
"success", "message", "value", "message_list"}. Nested settings and graphs are JSON texts inside
`stringParams` and `message`. The calls are those of VirtualHome's Python client,
https://github.com/xavierpuigf/virtualhome, virtualhome/simulation/unity_simulator/comm_unity.py.

There are two clients: `UnityClient`, our own, keeps its connection open; `UserConnection` drives an
object of the user, such as a `UnityCommunication`. Every failure of the connection or the server
raises SimulatorDied in one sentence.
"""

from __future__ import annotations

import http.client
import itertools
import json
import select
import socket
import threading
import time
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ....data_files import json_data
from ....errors import BadInput, Missing
from ....installed import Lack
from ....skills.executor import SimulatorDied
from .graph_text import GraphText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


#: Seconds for an answer, as in the shipped client.
CALL_S = 30.0
#: Seconds for loading a scene and for building a graph into it.
LOAD_S = 120.0
#: The most bytes of an answer that are read: a frame or a graph is far shorter.
_MOST_BYTES = 256 * 1024 * 1024
#: Calls that may be repeated after a lost answer, since they change nothing.
_READS = frozenset(
    {"idle", "environment_graph", "camera_count", "camera_image", "character_cameras"}
)
#: The attempts of such a call before the simulator counts as lost.
_READ_TRIES = 3
#: Settings without recording and animation: only the state counts.
SCRIPT_OPTIONS: Mapping[str, Any] = {
    "find_solution": False,
    "processing_time_limit": 10,
    "skip_animation": True,
    "recording": False,
    "image_synthesis": [],
}
_EXPAND_OPTIONS = {
    "randomize": False,
    "random_seed": -1,
    "animate_character": False,
    "ignore_obstacles": False,
    "transfer_transform": True,
}
#: The stand-in's name in its answers.
STAND_IN_SERVER = "peephole-stand-in"


class UnityClient:
    """A connection to the simulator at a URL, opened by the first call and then kept.

    timeout_s, load_s: seconds for an answer, and for loading or changing a scene. server: the
    simulator's name in its answers; "" if it has none yet.
    """

    #: Classes of rooms in which a character can be placed; None for any.
    rooms: frozenset[str] | None = None
    server = ""

    def __init__(self, url: str, timeout_s: float = CALL_S, load_s: float = LOAD_S) -> None:
        """Raises BadInput if the URL is not HTTP."""
        self.url = url
        self._host, self._port = address(url)
        self._timeout_s, self._load_s = timeout_s, load_s
        self._connection: http.client.HTTPConnection | None = None
        self._count = itertools.count()
        self._graphs = GraphText()

    def idle(self) -> bool:
        """Whether the simulator is ready."""
        return bool(self.call("idle")["success"])

    def reset(self, environment: int) -> bool:
        """Load one of the executable's apartments, without characters."""
        self.call("clear", [environment], within_s=self._load_s)
        return bool(self.call("environment", [environment], within_s=self._load_s)["success"])

    def environment_graph(self) -> dict[str, Any]:
        """The state: {"nodes": [...], "edges": [...]}. Shared: must not be modified."""
        answer = self.call("environment_graph")
        try:
            graph = self._graphs.parse(answer["message"] or "")
        except ValueError as error:
            graph = str(error)
        return graph_of(bool(answer["success"]), graph, self.url)

    def expand_scene(self, graph: Mapping[str, Any]) -> tuple[bool, object]:
        """Change the scene into a graph: success, and the things that could not be placed."""
        texts = [json.dumps(_EXPAND_OPTIONS), json.dumps(graph)]
        answer = self.call("expand_scene", (), texts, within_s=self._load_s)
        return bool(answer["success"]), _parsed(answer["message"])

    def add_character(self, resource: str, initial_room: str) -> bool:
        """Put a character into a room of that class, or anywhere for ""."""
        settings = {
            "character_resource": resource,
            "mode": "fix_room" if initial_room else "random",
            "character_position": {"x": 0, "y": 0, "z": 0},
            "initial_room": initial_room,
        }
        return bool(self.call("add_character", (), [json.dumps(settings)])["success"])

    def render_script(self, lines: Sequence[str]) -> tuple[bool, object]:
        """Execute script lines: success, and the simulator's message."""
        answer = self.call("render_script", (), [json.dumps(SCRIPT_OPTIONS), *lines])
        return bool(answer["success"]), _parsed(answer["message"])

    def camera_count(self) -> int:
        """The number of cameras: those of the scene, then those of each character."""
        return count_of(self.call("camera_count").get("value"), self.url)

    def camera_image(self, camera: int, width: int, height: int) -> NDArray[np.uint8]:
        """A camera's frame as RGB, shape (height, width, 3). Raises Missing without pillow."""
        answer = self.call("camera_image", [camera], [json.dumps(image_settings(width, height))])
        return image_of(answer, self.url)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def call(
        self,
        action: str,
        numbers: Sequence[int] = (),
        texts: Sequence[str] = (),
        within_s: float | None = None,
    ) -> dict[str, Any]:
        """One exchange: the answer, with "success" and "message".

        within_s: seconds for the answer, by default timeout_s. Raises SimulatorDied.
        """
        request = {
            "id": f"{time.time()}-{next(self._count)}",
            "action": action,
            "intParams": list(numbers),
            "stringParams": list(texts),
        }
        body = json.dumps(request).encode()
        tries = _READ_TRIES if action in _READS else 1
        while True:
            tries -= 1
            try:
                return self._exchange(action, body, within_s or self._timeout_s)
            except SimulatorDied:
                self.close()
                if tries <= 0:
                    raise
            except BaseException:  # an interrupted exchange would leave its answer to the next one
                self.close()
                raise

    def _exchange(self, action: str, body: bytes, within_s: float) -> dict[str, Any]:
        try:
            connection = self._connected(within_s)
            with _deadline(connection.sock, within_s):
                connection.request("POST", "/", body, {"Content-Type": "application/json"})
                response = connection.getresponse()
                # Only without an amount is an answer that is cut short an error.
                amount = None if (response.length or _MOST_BYTES) < _MOST_BYTES else _MOST_BYTES
                status, content = response.status, response.read(amount)
            self.server = response.getheader("Server", "")
            if len(content) == _MOST_BYTES:
                raise self._lost(f"answered '{action}' with more than {_MOST_BYTES >> 20} MiB")
        except TimeoutError:
            raise self._lost(f"gave no answer to '{action}' within {within_s:g} s") from None
        except ConnectionRefusedError:
            raise self._lost("refused the connection") from None
        except (OSError, http.client.HTTPException) as error:
            raise self._lost(
                f"closed the connection during '{action}' ({type(error).__name__})"
            ) from None
        if status != http.client.OK:
            raise self._lost(f"answered '{action}' with HTTP {status} ({_text(content)})")
        try:
            answer = json_data(content, finite=False)
            if not isinstance(answer["message"], str | None) or "success" not in answer:
                raise TypeError("no message")
        except (ValueError, KeyError, TypeError):
            raise self._lost(
                f"answered '{action}' with what is no JSON answer ({_text(content)})"
            ) from None
        assert isinstance(answer, dict)
        return answer

    def _connected(self, within_s: float) -> http.client.HTTPConnection:
        """The connection, reopened if there is none or the other side closed it."""
        connection = self._connection
        if connection is not None and connection.sock is not None:
            if select.select([connection.sock], [], [], 0)[0]:  # it was closed
                connection.close()
            else:
                connection.sock.settimeout(within_s)
        if connection is None or connection.sock is None:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=within_s)
            connection.connect()
            self._connection = connection
        return connection

    def _lost(self, what: str) -> SimulatorDied:
        return SimulatorDied(f"The simulator at {self.url} {what}.")


@contextmanager
def _deadline(connection: socket.socket, within_s: float) -> Iterator[None]:
    """End the connection after a time. Raises TimeoutError then.

    The time-out of a socket is for one read, so an answer that drips in would be read without end.
    """
    late = threading.Event()

    def end() -> None:
        late.set()
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(within_s, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, http.client.HTTPException):
        if late.is_set():
            raise TimeoutError from None
        raise
    finally:
        timer.cancel()
    if late.is_set():
        raise TimeoutError


class UserConnection:
    """The user's own communication object, such as VirtualHome's `UnityCommunication`.

    It needs that class's methods environment_graph, render_script, reset, expand_scene,
    add_character, camera_count and, for images, post_command. Any exception counts as the loss of
    the simulator. The user closes it.
    """

    #: The only rooms that `UnityCommunication.add_character` takes.
    rooms: frozenset[str] | None = frozenset({"bathroom", "bedroom", "kitchen", "livingroom"})

    def __init__(self, communication: Any) -> None:
        self._communication = communication

    def reset(self, environment: int) -> bool:
        return bool(self._call("reset", environment))

    def environment_graph(self) -> dict[str, Any]:
        success, graph = self._pair("environment_graph")
        return graph_of(success, graph, "the simulator")

    def expand_scene(self, graph: Mapping[str, Any]) -> tuple[bool, object]:
        return self._pair("expand_scene", graph)

    def add_character(self, resource: str, initial_room: str) -> bool:
        return bool(self._call("add_character", resource, initial_room=initial_room))

    def render_script(self, lines: Sequence[str]) -> tuple[bool, object]:
        return self._pair("render_script", list(lines), **SCRIPT_OPTIONS)

    def camera_count(self) -> int:
        return count_of(self._pair("camera_count")[1], "the simulator")

    def camera_image(self, camera: int, width: int, height: int) -> NDArray[np.uint8]:
        """Decoded here: the shipped client's decoder does not run on Python 3.10 or later."""
        request = {
            "id": str(time.time()),
            "action": "camera_image",
            "intParams": [camera],
            "stringParams": [json.dumps(image_settings(width, height))],
        }
        return image_of(self._call("post_command", request), "the simulator")

    def close(self) -> None:
        """Do nothing: the user closes the object."""

    def _pair(self, name: str, *arguments: object, **keywords: object) -> tuple[bool, object]:
        answer = self._call(name, *arguments, **keywords)
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            raise SimulatorDied(f"The communication object answered '{name}' with {answer!r:.80}.")
        return bool(answer[0]), answer[1]

    def _call(self, name: str, *arguments: object, **keywords: object) -> Any:
        method: Callable[..., Any] | None = getattr(self._communication, name, None)
        if method is None:
            raise BadInput(
                f"The communication object {type(self._communication).__name__} has no method "
                f"'{name}'; give one like VirtualHome's UnityCommunication."
            )
        try:
            return method(*arguments, **keywords)
        except Exception as error:  # a foreign object may raise anything
            # UnityEngineException and UnityCommunicationException keep their text in `message`.
            words = " ".join(str(getattr(error, "message", None) or error).split())
            raise SimulatorDied(
                f"The communication object failed in '{name}' "
                f"({type(error).__name__}: {words[:200]})."
            ) from error


#: Both have the calls of the adapter; every call may raise SimulatorDied.
UnityConnection = UnityClient | UserConnection


def address(url: str) -> tuple[str, int]:
    """The host and port of a URL. Raises BadInput."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or parts.scheme != "http" or parts.path not in ("", "/") or parts.username:
        raise BadInput(
            f"'{url}' is no address of a simulator; give one such as http://127.0.0.1:8080."
        )
    return host, 80 if port is None else port


def graph_of(success: bool, graph: object, who: str) -> dict[str, Any]:
    """The graph of an answer. Raises SimulatorDied if there is none."""
    if success and isinstance(graph, dict) and {"nodes", "edges"} <= graph.keys():
        return graph
    raise SimulatorDied(f"The environment graph of {who} cannot be read ({graph!r:.80}).")


def count_of(value: object, who: str) -> int:
    """The number of an answer. Raises SimulatorDied if there is none."""
    if isinstance(value, int) and value >= 0:
        return value
    raise SimulatorDied(f"The number of cameras of {who} is {value!r:.80}.")


def image_settings(width: int, height: int) -> dict[str, Any]:
    return {"mode": "normal", "image_width": width, "image_height": height}


def image_of(answer: Mapping[str, Any], who: str) -> NDArray[np.uint8]:
    """The first frame of an answer as RGB. Raises SimulatorDied, and Missing without pillow."""
    import io

    import numpy as np

    try:
        from PIL import Image
    except ImportError:
        raise Missing(Lack("Camera images need pillow", "virtualhome-unity")) from None
    try:
        encoded = answer["message_list"][0]
        with Image.open(io.BytesIO(b64decode(encoded))) as frame:
            return np.asarray(frame.convert("RGB"))
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise SimulatorDied(f"The camera image of {who} cannot be read ({error}).") from None


def _parsed(message: str | None) -> object:
    """A message that may be JSON or plain text."""
    try:
        return json_data(message or "")
    except ValueError:
        return message or ""


def _text(content: bytes) -> str:
    """The start of an answer's message, or of other content, on one line."""
    try:
        words = str(json_data(content, finite=False)["message"])
    except (ValueError, KeyError, TypeError):
        words = content[:400].decode(errors="replace")
    return " ".join(words.split())[:120]
