"""Models that a run serves by itself: third-party plugins, and unknown names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from peephole.models import serving
from peephole.models.config import ModelConfig

STRANGERS = '''
"""Another package's models, one of which works."""

import contextlib
import json

from peephole.models.served_model import ModelEndpoint, ServedModel

class Impostor: pass

@contextlib.contextmanager
def serve(options):
    yield ModelEndpoint("http://127.0.0.1:1/v1", json.dumps(options.instruction_table))

@contextlib.contextmanager
def serve_slowly(options):
    yield ModelEndpoint("http://127.0.0.1:1/v1", f"{options.seed} {options.start_timeout_s:g}")

def fail(argument_or_options):
    raise RuntimeError("no such\\ndevice")

PARROT = ServedModel("parrot", "repeats", serve, stand_in=True)
PUPIL = ServedModel("pupil", "learns", serve, note=str.upper, wants_instruction_table=True)
SLOW = ServedModel("slow", "takes its time", serve_slowly)
UNCHECKED = ServedModel("unchecked", "cannot be checked", serve, check=fail)
UNSERVED = ServedModel("unserved", "cannot be served", fail)
NOWHERE = ServedModel("nowhere", "no endpoint", lambda options: contextlib.nullcontext("there"))
'''
ENTRIES = """[peephole.models]
parrot = strangers:PARROT
pupil = strangers:PUPIL
slow = strangers:SLOW
absent = nowhere_to_be_found:MODEL
impostor = strangers:Impostor
unchecked = strangers:UNCHECKED
unserved = strangers:UNSERVED
nowhere = strangers:NOWHERE
"""


@pytest.fixture
def with_strangers(tmp_path: Path) -> Callable[[str], Any]:
    """Run a function's body where another package has registered models; returns its result."""
    (tmp_path / "strangers.py").write_text(STRANGERS)
    info = tmp_path / "strangers-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    start = (
        "import json\n"
        "from peephole.errors import PeepholeError\n"
        "from peephole.models import serving\n"
        "from peephole.models.config import ModelConfig\n"
        "def play(name, table=dict):\n"
        "    config = serving.checked(ModelConfig(name))\n"
        "    with serving.open_endpoint(config, 0, table) as endpoint:\n"
        "        return serving.label(config), serving.note(config), endpoint.model\n"
    )

    def run(code: str) -> Any:
        done = subprocess.run(
            [sys.executable, "-c", start + code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
        )
        return json.loads(done.stdout)

    return run


def test_a_strangers_model_is_served_and_gets_what_it_wants(
    with_strangers: Callable[[str], Any],
) -> None:
    code = (
        "print(json.dumps([play('parrot', lambda: 1 / 0), "
        "play('pupil:greek', lambda: {'Go.': []})]))"
    )
    parrot, pupil = with_strangers(code)
    label, note, table = parrot
    assert label == "parrot (mechanism check)"
    assert "not a language model" in note
    assert table == "{}"
    assert pupil == ["pupil:greek", "GREEK", '{"Go.": []}']


def test_a_model_has_two_minutes_to_start_or_as_long_as_one_request(
    with_strangers: Callable[[str], Any],
) -> None:
    code = (
        "told = []\n"
        "for timeout_s in (None, 5.0, 600.0):\n"
        "    config = ModelConfig('slow', timeout_s=timeout_s)\n"
        "    with serving.open_endpoint(config, 7) as endpoint: told.append(endpoint.model)\n"
        "print(json.dumps(told))"
    )
    assert with_strangers(code) == ["7 120", "7 120", "7 600"]


def test_a_broken_model_is_one_sentence(with_strangers: Callable[[str], Any]) -> None:
    code = (
        "told = {}\n"
        "for name in ('absent', 'impostor', 'unchecked', 'unserved', 'nowhere'):\n"
        "    try: play(name)\n"
        "    except PeepholeError as error: told[name] = [error.exit_code, str(error)]\n"
        "print(json.dumps(told))"
    )
    words = {
        "absent": "No module named 'nowhere_to_be_found'",
        "impostor": "is no model",
        "unchecked": "RuntimeError: no such",
        "unserved": "RuntimeError: no such",
        "nowhere": "'there'",
    }
    told = with_strangers(code)
    assert told.keys() == words.keys()
    for name, (exit_code, sentence) in told.items():
        assert exit_code == 3
        assert f"The model '{name}'" in sentence
        assert words[name] in sentence
        assert "\n" not in sentence


@pytest.mark.parametrize(
    ("config", "label"),
    [
        (ModelConfig("/data/qwen.gguf"), "qwen.gguf"),
        (ModelConfig("local:~/models/qwen.gguf"), "local:qwen.gguf"),
        (ModelConfig("replies:a/b.json", stand_in=True), "replies:b.json (mechanism check)"),
        (ModelConfig("meta-llama/Llama-3", host="127.0.0.1:8000"), "meta-llama/Llama-3"),
    ],
)
def test_a_file_is_labelled_without_its_folder(config: ModelConfig, label: str) -> None:
    assert serving.label(config) == label


@pytest.mark.parametrize("name", ["mistral:7b", "ft:gpt:me", "gguf", "Local"])
def test_any_other_name_is_a_model_of_the_users_endpoint(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with serving.open_endpoint(serving.checked(ModelConfig(name))) as endpoint:
        assert (endpoint.base_url, endpoint.model) == ("http://127.0.0.1:9/v1", name)
