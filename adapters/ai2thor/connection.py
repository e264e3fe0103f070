"""The Controller under a watchdog.

The Controller waits forever for an engine that ends before opening its pipe. If an engine ends
during a step, it waits until its time-out, with a core busy. Its classes are not modified. Instead,
a thread watches the engine's process and the clock. If the engine is late or gone, the thread
kills its remains. It also writes an invalid message to the Controller's pipe, which stops the
Controller at once. The resulting error is raised as SimulatorDied.
"""

from __future__ import annotations

import inspect
import os
import signal
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...errors import BadInput
from ...skills.executor import DeadlineExceeded, SimulatorDied
from .engine import EngineExecutable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Seconds for an engine to start with its first scene; to load another scene; for one action.
START_S, SCENE_S, STEP_S = 120.0, 60.0, 20.0

#: Seconds between two checks of the engine.
_INTERVAL_S = 0.05
#: The end of a message (fifo_server.FieldType.END_OF_MESSAGE), which a reader ignores.
_NONSENSE = struct.pack("!BI", 255, 0) * 512
#: The Controller requires a display name, although an engine without a window opens none.
_DISPLAY = ":0"


@dataclass(frozen=True)
class EngineAnswer:
    """The engine's answer to one action."""

    success: bool
    """Whether the action was done."""
    message: str
    """The engine's error message; "" after a success."""
    metadata: Mapping[str, Any]
    """Of the agent's event."""
    returned: Any = None
    """`actionReturn`."""
    known: bool = True
    """Whether the engine knows the action and its arguments."""


class EngineConnection:
    """One engine, driven through one Controller. Not thread-safe.

    start_s, scene_s, step_s: seconds for the engine to start, to load a scene, and for an action.
    parameters: of the Controller and of Initialize.
    """

    def __init__(
        self,
        engine: EngineExecutable,
        parameters: Mapping[str, Any],
        *,
        start_s: float = START_S,
        scene_s: float = SCENE_S,
        step_s: float = STEP_S,
    ) -> None:
        self._engine = engine
        self._parameters = dict(parameters)
        self._within = start_s, scene_s, step_s
        self._controller: Any = None
        self._watchdog: Watchdog | None = None

    def load(self, scene: str) -> EngineAnswer:
        """Load a scene, in the running engine or in a new one.

        Raises BadInput for a scene that the engine lacks, and SimulatorDied.
        """
        start_s, scene_s, _ = self._within
        try:
            if self._controller is not None:
                with self._watched(scene_s, "load a scene"):
                    event = self._controller.reset(scene)
            else:
                with self._watched(start_s, "start"):
                    event = self._constructed(scene).last_event
        except BadInput:
            self.close()
            raise
        return _answer(event)

    def step(self, action: str, **arguments: Any) -> EngineAnswer:
        """Do one action. Raises SimulatorDied."""
        if self._controller is None:
            raise SimulatorDied("The engine is not running; reset the adapter.")
        before = self._controller.last_event
        with self._watched(self._within[2], action):
            try:
                event = self._controller.step(action=action, **arguments)
            except ValueError as error:
                event = self._controller.last_event
                if event is before:  # the engine never answered
                    raise
                return EngineAnswer(False, str(error), event.metadata, known=False)
        return _answer(event)

    def frame(self) -> NDArray[np.uint8] | None:
        """The last frame, shape (height, width, 3), if the engine sent one."""
        event = None if self._controller is None else self._controller.last_event
        frame: NDArray[np.uint8] | None = getattr(event, "frame", None)
        return frame

    @property
    def process_id(self) -> int | None:
        """The engine's process; None if none runs."""
        return None if self._watchdog is None else self._watchdog.process_id

    def close(self) -> None:
        """End the engine, if one runs."""
        controller, self._controller = self._controller, None
        watchdog, self._watchdog = self._watchdog, None
        if watchdog is not None:
            watchdog.end()
        if controller is not None:
            _release(controller)

    def _constructed(self, scene: str) -> Any:
        controller_class: Any = import_module("ai2thor.controller").Controller
        start_s, _, _ = self._within
        settings = {
            "scene": scene,
            "local_executable_path": self._engine.local_executable_path,
            "x_display": os.environ.get("DISPLAY") or _DISPLAY,
            # Our time-outs are shorter, and their errors say what was awaited.
            "server_timeout": 2 * max(self._within),
            "server_start_timeout": 2 * start_s,
            **self._parameters,
        }
        known = inspect.signature(controller_class.__init__).parameters
        if "server_timeout" not in known:  # versions before 3
            settings = {k: v for k, v in settings.items() if not k.startswith("server_")}
        with _without("CUDA_VISIBLE_DEVICES"):  # otherwise it requires vulkaninfo
            # Watched before its constructor ends, since the constructor may hang or fail.
            self._controller = controller = controller_class.__new__(controller_class)
            assert self._watchdog is not None
            self._watchdog.watch(controller)
            initialise: Callable[..., None] = vars(controller_class)["__init__"]
            initialise(controller, **settings)
        return controller

    @contextmanager
    def _watched(self, seconds: float, doing: str) -> Iterator[None]:
        """Raise any failure of the engine within the body as SimulatorDied."""
        if self._watchdog is None:
            self._watchdog = Watchdog()
        watchdog = self._watchdog
        watchdog.await_until(time.monotonic() + seconds)
        try:
            yield
        except ValueError as error:
            if "not contained in build" in str(error):
                scene = str(error).split("'")[1] if "'" in str(error) else "it"
                raise BadInput(
                    f"The engine has no scene {scene}; give one of its own build."
                ) from None
            raise self._lost(doing, seconds, error) from error
        except (BadInput, DeadlineExceeded, KeyboardInterrupt):
            self.close()
            raise
        except Exception as error:
            raise self._lost(doing, seconds, error) from error
        finally:
            watchdog.await_until(None)

    def _lost(self, doing: str, seconds: float, error: Exception) -> SimulatorDied:
        """End the remains of the engine; the error that describes its failure."""
        what = "" if self._watchdog is None else self._watchdog.problem(seconds)
        self.close()
        problem = what or f"could not be asked ({_first_line(error)})"
        return SimulatorDied(f"The engine {problem} in '{doing}'.")


class Watchdog:
    """Watches one engine's process and the clock in its own thread, until `end`."""

    def __init__(self) -> None:
        self._controller: Any = None
        self._until: float | None = None
        self._late = False
        self._over = threading.Event()
        self._code: int | None = None
        self._thread = threading.Thread(target=self._run, name="ai2thor-watchdog", daemon=True)
        self._thread.start()

    def watch(self, controller: Any) -> None:
        """Set the Controller, whose server has the engine's process once it is started."""
        self._controller = controller

    def await_until(self, moment: float | None) -> None:
        """Set the deadline of an answer on the monotonic clock; None: none is awaited."""
        self._until = moment

    @property
    def process_id(self) -> int | None:
        """The engine's process; None if it was not started."""
        process = self._process()
        return None if process is None else process.pid

    def problem(self, seconds: float) -> str:
        """The engine's failure, worded after its name; "" if unknown."""
        if self._late:
            return f"did not answer within {seconds:g} s"
        code = self._exit_code()
        if code is None:
            return ""
        return f"was ended by signal {-code}" if code < 0 else f"exited with code {code}"

    def end(self) -> None:
        """Kill the engine with its process group, and stop the thread."""
        self._over.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()
        self._kill()

    def _run(self) -> None:
        while not self._over.wait(_INTERVAL_S):
            until = self._until
            if until is None:
                continue
            if time.monotonic() > until and not self._late:
                self._late = self._exit_code() is None
                self._kill()
            if self._exit_code() is not None:
                self._give_up()

    def _server(self) -> Any:
        return getattr(self._controller, "server", None)

    def _process(self) -> subprocess.Popen[bytes] | None:
        return getattr(self._server(), "unity_proc", None)

    def _exit_code(self) -> int | None:
        """The engine's exit code; None while it runs or was not started."""
        if self._code is None:
            process = self._process()
            self._code = None if process is None else process.poll()
        return self._code

    def _kill(self) -> None:
        process = self._process()
        if process is None:
            return
        with suppress(ProcessLookupError, PermissionError):  # no process group, or already gone
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._code = process.wait(5.0)

    def _give_up(self) -> None:
        """Make the Controller stop waiting at its pipes."""
        server = self._server()
        for path, flags in (
            (getattr(server, "server_pipe_path", None), os.O_WRONLY),
            (getattr(server, "client_pipe_path", None), os.O_RDONLY),
        ):
            if path is None:
                continue
            with suppress(OSError):  # the Controller is not at this pipe
                pipe = os.open(path, flags | os.O_NONBLOCK)
                try:
                    if flags == os.O_WRONLY:
                        os.write(pipe, _NONSENSE)
                finally:
                    os.close(pipe)


def _release(controller: Any) -> None:
    """Make a Controller, even a broken one, release its resources now.

    Its `stop` hangs at the pipe of a dead engine, with the other pipe open. It keeps the folder of
    its pipes until the process ends.
    """
    server = getattr(controller, "server", None)
    for part, method in (
        (controller, "stop"),
        (getattr(server, "server_pipe", None), "close"),
        (getattr(server, "tmp_dir", None), "cleanup"),
        (getattr(controller, "_build", None), "unlock"),
    ):
        if part is not None:
            with suppress(Exception):  # its errors do not matter any more
                getattr(part, method)()


def _answer(event: Any) -> EngineAnswer:
    metadata = event.metadata
    return EngineAnswer(
        bool(metadata["lastActionSuccess"]),
        str(metadata.get("errorMessage") or ""),
        metadata,
        metadata.get("actionReturn"),
    )


def _first_line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:200]}" if text else type(error).__name__


@contextmanager
def _without(variable: str) -> Iterator[None]:
    kept = os.environ.pop(variable, None)
    try:
        yield
    finally:
        if kept is not None:
            os.environ[variable] = kept
