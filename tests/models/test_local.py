"""The model that runs here: real llama.cpp, the real small model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from peephole.errors import BadInput
from peephole.models import local, serving
from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.contract import ContextFull
from peephole.models.events import ModelEvent, ModelHttpError, ModelReplied
from peephole.models.failures import ModelFailure
from peephole.models.served_model import ModelEndpoint, ServeOptions

ASK = [{"role": "user", "content": "Where is milk kept?"}]


def listens(url: str) -> bool:
    try:
        urllib.request.urlopen(f"{url}/models", timeout=5).close()
    except urllib.error.HTTPError:
        return True  # it wants its key
    except (urllib.error.URLError, ConnectionError):
        return False
    return True


def test_the_small_model_answers_within_what_is_offered_and_its_server_ends() -> None:
    config = serving.checked(ModelConfig("local"))
    events: list[ModelEvent] = []
    with serving.open_endpoint(config) as access:
        assert access.base_url.startswith("http://127.0.0.1:")
        with ModelConnection(config, access) as connection:
            model = connection.for_episode("planner", events.append)
            assert model.choose(ASK, ["fridge", "oven"]) in ("fridge", "oven")
            with pytest.raises(ContextFull):
                model.complete([{"role": "user", "content": "milk " * 9000}])
        assert_no_web_page_is_answered(access)
    assert [event.call for event in events if not isinstance(event, ModelHttpError)] == [1, 2]
    assert not listens(access.base_url)


def assert_no_web_page_is_answered(access: ModelEndpoint) -> None:
    """A page in the user's browser can send requests to this machine too."""
    root = access.base_url.removesuffix("/v1")
    origin = {"Origin": "http://evil.example", "Content-Type": "application/json"}
    for path in ("/v1/models", "/slots", "/tokenize", "/slots/0?action=erase"):
        request = urllib.request.Request(root + path, b"{}" if "?" in path else None, origin)
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(request, timeout=5)
        assert caught.value.code == 401
        assert not caught.value.headers["Access-Control-Allow-Origin"]
    preflight = urllib.request.Request(f"{root}/slots/0", headers=origin, method="OPTIONS")
    with urllib.request.urlopen(preflight, timeout=5) as reply:
        assert not reply.headers["Access-Control-Allow-Origin"]
        assert reply.headers["Access-Control-Allow-Credentials"] != "true"
    with urllib.request.urlopen(
        urllib.request.Request(f"{root}/slots", headers=access.headers), timeout=5
    ) as reply:
        assert reply.status == 200


#: Slots of one server, and of as many servers as there are processors.
THREADS = pytest.mark.parametrize(
    "threads", [pytest.param(os.cpu_count(), marks=pytest.mark.slow), 1]
)


@pytest.mark.slow
@THREADS
def test_every_slot_has_the_whole_context_and_keeps_what_it_has_read(threads: int) -> None:
    """Two alternating conversations, each longer than half of the context."""
    starts: list[serving.ModelStart] = []
    config = serving.checked(ModelConfig("local", context=512, threads=threads))
    told = [[{"role": "user", "content": f"{name} milk" * 120}] for name in ("cold", "warm")]
    with serving.open_endpoint(config, slots=2, on_start=starts.append) as access:
        assert (access.slots, [start.seconds is None for start in starts]) == (2, [True, False])
        assert starts[1].seconds
        events: list[ModelEvent] = []
        with (
            ModelConnection(config, access, slot=0) as first,
            ModelConnection(config, access, slot=1) as second,
        ):
            for _ in range(2):
                for connection, messages in zip((first, second), told, strict=True):
                    model = connection.for_episode("planner", events.append)
                    model.complete(messages, max_tokens=1)
            model = second.for_episode("planner", lambda event: None)
            with pytest.raises(ContextFull, match=r"exceeds the available .*--model-context"):
                model.complete([{"role": "user", "content": "milk " * 600}], max_tokens=1)
    usages = [event.usage for event in events if isinstance(event, ModelReplied)]
    assert all(256 < usage.tokens_in < 512 for usage in usages)
    assert all(usage.cached < 64 for usage in usages[:2])
    assert all(usage.tokens_in - usage.cached < 8 for usage in usages[2:])


@pytest.mark.slow
@THREADS
def test_a_workers_slot_starts_with_what_the_first_workers_has_read(threads: int) -> None:
    """The system prompt is read once a run, and conversations stay apart."""
    config = serving.checked(ModelConfig("local", context=1024, threads=threads))
    rules = {"role": "system", "content": "Never heat the milk. " * 60}
    events: list[ModelEvent] = []
    with serving.open_endpoint(config, slots=2) as access:
        for slot in (0, 1, 0):
            with ModelConnection(config, access, slot=slot, first_slot=0) as connection:
                model = connection.for_episode("planner", events.append)
                told = [rules, {"role": "user", "content": f"This is conversation {slot}."}]
                model.complete(told, max_tokens=1)
    fresh = [e.usage.tokens_in - e.usage.cached for e in events if isinstance(e, ModelReplied)]
    assert fresh[0] > 300
    assert fresh[1] < 20
    assert fresh[2] < 8


def test_a_note_warns_of_the_small_model_and_not_of_a_users_file() -> None:
    assert "legal" in serving.note(ModelConfig("local"))
    assert serving.note(ModelConfig("local:some.gguf")) == ""
    assert serving.note(ModelConfig("gpt-something")) == ""


def test_a_server_does_not_outlive_a_killed_run() -> None:
    code = (
        "import sys, time\n"
        "from peephole.models import serving\n"
        "from peephole.models.config import ModelConfig\n"
        "with serving.open_endpoint(ModelConfig('local')) as access:\n"
        "    print(access.base_url, flush=True)\n"
        "    time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert listens(url)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    deadline = time.monotonic() + 30
    while listens(url) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not listens(url)


def test_a_server_that_is_not_ready_in_time_gets_one_sentence() -> None:
    options = ServeOptions(start_timeout_s=0.001)
    with (
        pytest.raises(ModelFailure, match=r"not ready within 0\.001 s") as caught,
        local.MODEL.serve(options),
    ):
        pass
    assert "--model-timeout" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "error", "sentence"),
    [
        (None, BadInput, "There is no model file"),
        (b"hello", BadInput, "is no GGUF file"),
        (b"GGUF hello", ModelFailure, "llama.cpp cannot serve"),
    ],
)
def test_a_file_that_is_no_model_gets_one_sentence(
    tmp_path: Path, content: bytes | None, error: type[Exception], sentence: str
) -> None:
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=sentence), serving.open_endpoint(ModelConfig(str(path))):
        pass
