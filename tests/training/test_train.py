"""`peephole train`: what it learns, what it writes, and that kills change nothing."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from peephole.errors import BadInput
from peephole.models import local, trained
from peephole.models.served_model import ModelEndpoint, ServeOptions
from peephole.training import base_model, train
from peephole.training.settings import Precision, TrainingSettings

from .conftest import line, write_model

if TYPE_CHECKING:  # it imports jax
    from peephole.training.fitting import TrainingProgress

KILLS = 10

SETTINGS = TrainingSettings(rank=4, alpha=8.0, epochs=8, batch=2, learning_rate=0.02, held_out=6)


def run(
    chat: Path,
    base: Path,
    out: Path,
    settings: TrainingSettings = SETTINGS,
    tell: Callable[[TrainingProgress], None] = lambda _: None,
    start: Path | None = None,
) -> train.Trained:
    tellers = train.Tellers(lambda _: None, tell, every_s=0.0, evaluate_every_s=0.0)
    return train.train([chat], str(base), out, settings, tellers, start=start)


@pytest.fixture(scope="module")
def done(
    tiny: Path, chat: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[train.Trained, list[TrainingProgress]]:
    """A whole training of the tiny model, with what it reports."""
    reports: list[TrainingProgress] = []
    out = tmp_path_factory.mktemp("done") / "done.gguf"
    return run(chat, tiny, out, tell=reports.append), reports


def asked(endpoint: ModelEndpoint, path: str, body: dict[str, Any]) -> Any:
    url = endpoint.base_url.removesuffix("/v1") + path
    request = urllib.request.Request(url, json.dumps(body).encode(), endpoint.headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


def test_what_is_trained_is_learnt(done: tuple[train.Trained, list[TrainingProgress]]) -> None:
    result, reports = done
    assert [each.step for each in reports] == list(range(1, result.steps + 1))
    assert reports[0].evaluation is not None
    assert result.evaluation is not None
    assert result.evaluation.replies > 0
    assert result.evaluation.loss < reports[0].evaluation.loss / 4
    assert set(result.evaluation.kinds) == {'"action": "go to'}


@pytest.mark.slow
def test_one_that_is_cut_off_comes_to_the_same_bits(
    tiny: Path, chat: Path, tmp_path: Path, done: tuple[train.Trained, list[TrainingProgress]]
) -> None:
    def cut_off(progress: TrainingProgress) -> None:
        if progress.step == 3:
            raise KeyboardInterrupt

    out = tmp_path / "out.gguf"
    with pytest.raises(KeyboardInterrupt):
        run(chat, tiny, out, tell=cut_off)
    steps: list[int] = []
    run(chat, tiny, out, tell=lambda progress: steps.append(progress.step))
    assert steps[0] == 4
    assert out.read_bytes() == done[0].out.read_bytes()


@pytest.mark.parametrize(
    ("precision", "within"),
    [
        (Precision.FLOAT32, 0.005),
        pytest.param(Precision.BFLOAT16, 0.1, marks=pytest.mark.slow),
    ],
)
def test_gradients_tell_how_logits_change_with_the_adapters(
    tiny: Path, precision: Precision, within: float
) -> None:
    """Against the difference between two points of a direction, in 32 bits."""
    import jax
    import jax.numpy as jnp

    from peephole.training import llama

    base, draw = base_model.load(tiny), np.random.default_rng(0)
    tokens, at = draw.integers(0, 256, 300), np.arange(0, 300, 7)
    wanted = draw.normal(size=(len(at), base.shape.vocabulary)).astype(np.float32)

    def drawn(matrix: dict[str, Any]) -> dict[str, Any]:
        return {key: draw.normal(size=each.shape) * 0.1 for key, each in matrix.items()}

    adapters = {name: drawn(each) for name, each in llama.new_adapters(base, 4, 0).items()}
    exact, rounded = (llama.weights_of(base, each) for each in (Precision.FLOAT32, precision))

    def value(adapters: Any, weights: llama.Weights) -> Any:
        found = llama.logits(base.shape, weights, adapters, 2.0, jnp.array(tokens), jnp.array(at))
        return jnp.sum(jax.nn.log_softmax(found) * wanted)

    gradient = jax.jit(jax.grad(value))(adapters, rounded)
    evaluated = jax.jit(value)
    for name in adapters:
        for key in ("a", "b"):
            slope = np.asarray(gradient[name][key])
            length = float(np.linalg.norm(slope))

            def moved(by: float, name=name, key=key, way=slope / length) -> float:
                changed = {**adapters[name], key: adapters[name][key] + by * way}
                return float(evaluated({**adapters, name: changed}, exact))

            step = 0.01
            assert (moved(step) - moved(-step)) / (2 * step) == pytest.approx(length, rel=within)


def test_an_adapter_is_trained_further(
    tiny: Path, chat: Path, tmp_path: Path, done: tuple[train.Trained, list[TrainingProgress]]
) -> None:
    reports: list[TrainingProgress] = []
    once = replace(SETTINGS, epochs=1)
    result = run(chat, tiny, tmp_path / "more.gguf", once, reports.append, start=done[0].out)
    assert result.evaluation is not None
    assert reports[0].loss < done[1][0].loss / 4  # it knows from its first step what it had learnt


def test_what_no_training_can_start_from_is_refused(
    tiny: Path, chat: Path, tmp_path: Path, done: tuple[train.Trained, list[TrainingProgress]]
) -> None:
    out = tmp_path / "out.gguf"
    other = write_model(tmp_path / "other.gguf", seed=1)
    for start, settings, base, sentence in (
        (
            tmp_path / "none.gguf",
            SETTINGS,
            tiny,
            r"There is no adapter .*none.gguf; give the GGUF file",
        ),
        (chat, SETTINGS, tiny, r"chat.jsonl is not a readable adapter"),
        (tiny, SETTINGS, tiny, r"is not an adapter of this --base"),
        (done[0].out, SETTINGS, other, r"is not an adapter of this --base"),
        (done[0].out, replace(SETTINGS, rank=2), tiny, r"has rank 4; add --rank 4"),
    ):
        with pytest.raises(BadInput, match=sentence):
            run(chat, base, out, settings, start=start)


@pytest.mark.slow
def test_ten_kills_change_no_bit_of_the_adapter(
    tiny: Path, chat: Path, tmp_path: Path, done: tuple[train.Trained, list[TrainingProgress]]
) -> None:
    killed = tmp_path / "killed.gguf"
    code = (
        "import sys, pathlib\n"
        "from peephole.training import train\n"
        "from peephole.training.settings import TrainingSettings\n"
        "tell = lambda p: print(p.step, flush=True)\n"
        "tellers = train.Tellers(lambda _: None, tell, every_s=0.0, evaluate_every_s=1e9)\n"
        f"train.train([pathlib.Path({str(chat)!r})], {str(tiny)!r}, "
        f"pathlib.Path({str(killed)!r}), {SETTINGS!r}, tellers)\n"
    )
    kills, steps = 0, []
    while not killed.exists():
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        for printed in process.stdout:
            steps.append(int(printed))
            if kills < KILLS:
                time.sleep(0.005 * kills)  # now in the middle of a step, now as the state is kept
                process.send_signal(signal.SIGKILL)
                kills += 1
                break
        process.communicate()
    assert kills == KILLS
    assert killed.read_bytes() == done[0].out.read_bytes()


def test_the_adapter_says_what_it_is_of(
    tiny: Path, tmp_path: Path, done: tuple[train.Trained, list[TrainingProgress]]
) -> None:
    out = done[0].out
    other = write_model(tmp_path / "other.gguf", seed=1)
    trained.check(f"{out},{tiny}")
    with pytest.raises(BadInput, match=r"was trained for another base than other.gguf; give that"):
        trained.check(f"{out},{other}")
    with pytest.raises(BadInput, match=r"is no adapter but a model of its own"):
        trained.check(f"{tiny},{tiny}")
    assert "needs --dialect compact" in trained.note(f"{out},{tiny}")
    assert trained.note(f"{tmp_path / 'gone.gguf'}") == ""


def test_conversations_that_are_too_long_are_left_out(
    tiny: Path, chat: Path, tmp_path: Path
) -> None:
    def begun(sentence: str) -> None:
        if sentence.startswith("Training on"):
            raise KeyboardInterrupt(sentence)

    tellers = train.Tellers(begun, lambda _: None)
    short = replace(SETTINGS, longest=20)
    with pytest.raises(BadInput, match=r"more than 20 tokens; give a larger --longest"):
        train.train([chat], str(tiny), tmp_path / "short.gguf", short, tellers)
    messages = [
        {"role": "user", "content": "Where? " * 100},
        {"role": "assistant", "content": '{"action": "go to bed1"}'},
    ]
    more = tmp_path / "more.jsonl"
    more.write_text(chat.read_text() + json.dumps({"messages": messages}) + "\n")
    few = replace(SETTINGS, longest=500)
    with pytest.raises(KeyboardInterrupt, match=r"1 of more than 500 tokens left out"):
        train.train([more], str(tiny), tmp_path / "few.gguf", few, tellers)


@pytest.mark.slow
def test_a_dry_run_says_how_much_there_is_to_read(tiny: Path, tmp_path: Path) -> None:
    data = tmp_path / "chat.jsonl"
    data.write_text("\n".join(line(number) for number in range(9)) + "\n")
    options = ["--base", tiny, "--out", tmp_path / "out.gguf", "--held-out", "1000", "--dry-run"]
    command = [sys.executable, "-m", "peephole", "train", data, *options, "--epochs", "2"]
    done = subprocess.run([*command, "--json"], capture_output=True, check=True)
    report = json.loads(done.stdout)

    # Each byte is a token, but for "to" and the marks around messages.
    def tokens(number: int) -> int:
        messages = json.loads(line(number))["messages"]
        text = "".join(f"<{m['role']}\n{m['content']}>\n" for m in messages)
        return len(f"{text}<user\n".replace("to", "t"))

    assert report["tokens"] == 2 * sum(map(tokens, range(9)))
    assert (report["conversations"], report["replies"], report["left_out"]) == (9, 18, 0)
    assert [each.name for each in tmp_path.iterdir()] == ["chat.jsonl"]
    longest = str(max(map(tokens, range(9))) - 1)
    done = subprocess.run([*command, "--longest", longest], capture_output=True, check=True)
    assert done.stdout.decode().splitlines()[-1].startswith("8 replies in 4 conversations to train")
    assert f" held out, 5 of more than {longest} tokens left out. " in done.stdout.decode()
    assert "tokens in 2 epochs, about 0 min for SmolLM2-135M" in done.stdout.decode()


def thinking(number: int, context: str, learnt: str) -> str:
    """A conversation of two replies with thoughts, the first of which is context only."""
    found = json.loads(line(number))
    replies = [each for each in found["messages"] if each["role"] == "assistant"]
    for reply, thought in zip(replies, (context, learnt), strict=True):
        reply["content"] = reply["content"].replace("{", f'{{"thought": "{thought}", ', 1)
    replies[0]["weight"] = 0
    return json.dumps(found)


def test_of_conversations_with_nothing_rare_a_share_is_kept(tiny: Path, tmp_path: Path) -> None:
    """They teach no reply of a rare kind, no first reply, and no new thought."""
    data, rare = tmp_path / "chat.jsonl", tmp_path / "rare.jsonl"
    first = '"content": "{\\"action'
    told_only = f'"weight": 0, {first}'
    later = [line(number).replace(first, told_only, 1) for number in range(40)]
    data.write_text("\n".join(later) + "\n")
    picked = line(40).replace(first, told_only, 1).replace("go to fridge", "pick up egg")
    rare.write_text(f"{picked}\n{line(41)}\n{thinking(42, 'egg', 'egg; egg1')}\n")
    data.write_text(data.read_text() + thinking(43, "egg", "egg") + "\n")

    def kept(share: float, *paths: Path) -> train.TokenData:
        settings = replace(SETTINGS, commonplace=share, held_out=1000)
        data = train.read_data(paths, settings)
        return train.token_data(data, str(tiny), settings, lambda _: None)

    assert kept(1.0, data, rare).commonplace == 0
    only = kept(0.0, data, rare)
    assert {sequence.source for sequence in only.training} == {"s/t40", "s/t41", "s/t42"}
    assert only.commonplace == 41
    half = kept(0.5, data, rare)
    assert 10 <= half.commonplace <= 30
    assert len(half.training) == 44 - half.commonplace
    assert {"s/t40", "s/t41", "s/t42"} < {sequence.source for sequence in half.training}
    with pytest.raises(BadInput, match="give a larger --commonplace"):
        kept(0.0, data)


@pytest.mark.slow
def test_another_training_of_the_same_name_is_refused(
    tiny: Path, chat: Path, tmp_path: Path, done: tuple[train.Trained, list[TrainingProgress]]
) -> None:
    out = tmp_path / "out.gguf"
    shutil.copytree(f"{done[0].out}.training", f"{out}.training")
    shutil.copy(done[0].out, out)
    with pytest.raises(BadInput, match="exists already; give another --out, or delete"):
        run(chat, tiny, out)
    out.unlink()
    with pytest.raises(BadInput, match=r"has a training with another learning_rate, rank; repeat"):
        run(chat, tiny, out, replace(SETTINGS, rank=2, learning_rate=0.1))
    run(chat, tiny, out)  # what it was begun with goes on, from its end
    assert out.read_bytes() == done[0].out.read_bytes()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{}", r"chat.jsonl, line 1: expected conversations of `peephole export --to chat`"),
        ('{"messages": [{"role": "user"}]}', r"line 1: message 1 is not a text of a role"),
        (line(0, dialect="a") + "\n" + line(1, dialect="b"), r"several dialects \(a, b\)"),
        ("[1]", r"chat.jsonl, record 1: expected"),
        (
            json.dumps({"messages": [{"role": "user", "content": "u"}] * 2}),
            r"line 1: expected conversations",
        ),
    ],
)
def test_other_data_is_refused(tmp_path: Path, tiny: Path, text: str, sentence: str) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(text)
    with pytest.raises(BadInput, match=sentence):
        run(path, tiny, tmp_path / "out.gguf")


def test_what_is_no_base_is_refused(
    tmp_path: Path, chat: Path, tiny: Path, done: tuple[train.Trained, list[TrainingProgress]]
) -> None:
    text = tmp_path / "text.gguf"
    text.write_text("no model")
    with pytest.raises(BadInput, match=r"text.gguf is no GGUF file"):
        run(chat, text, tmp_path / "out.gguf")
    torn = tmp_path / "torn.gguf"
    torn.write_bytes(tiny.read_bytes()[:2000])
    with pytest.raises(BadInput, match=r"The base .*torn.gguf is damaged"):
        base_model.load(torn)
    other = tmp_path / "other.gguf"
    other.write_bytes(tiny.read_bytes().replace(b"llama", b"llamb"))
    with pytest.raises(BadInput, match=r"has the architecture 'llamb'; give a model of"):
        base_model.load(other)
    with pytest.raises(BadInput, match=r"is an adapter, not a model; give the model"):
        base_model.load(done[0].out)


def test_too_little_disk_is_told_before_anything_is_done(
    tmp_path: Path, chat: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Left", (), {"free": 1_000_000})())
    with pytest.raises(BadInput, match=r"has 1 MB left, but the training needs about 50 MB; free"):
        run(chat, tiny, tmp_path / "out.gguf")


def test_what_is_served_is_the_merged_model_and_says_what_was_learnt(
    tiny: Path, done: tuple[train.Trained, list[TrainingProgress]], tmp_path: Path
) -> None:
    """Together with the test of merging: llama.cpp applies an adapter as it was trained."""
    import jax

    from peephole.training import adapter_file, llama

    out, model = done[0].out, tmp_path / "merged.gguf"
    trained.write_merged(tiny, out, model)
    with local.serve_file(model, ServeOptions("", threads=1)) as endpoint:
        _, alone, _ = answered(endpoint)
    with trained.serve(ServeOptions(f"{out},{tiny}", threads=1)) as endpoint:
        prompt_tokens, top, said = answered(endpoint)
    assert top == alone
    assert said.startswith('{"action": "go to ')
    base = base_model.load(tiny)
    adapters: Any = adapter_file.read(out, rank=SETTINGS.rank, base=base_model.digest(tiny))
    scale = SETTINGS.alpha / SETTINGS.rank
    added = {name: scale * (low["b"] @ low["a"]) for name, low in adapters.items()}
    exact = write_model(tmp_path / "exact.gguf", plus=added)
    with local.serve_file(exact, ServeOptions("", threads=1)) as endpoint:
        _, unrounded, _ = answered(endpoint)
    found = llama.logits(
        base.shape,
        llama.weights_of(base, Precision.FLOAT32),
        adapters,
        scale,
        np.array(prompt_tokens),
        np.array([len(prompt_tokens) - 1]),
    )
    expected = np.asarray(jax.nn.log_softmax(found[0]))
    assert top[0]["id"] == int(expected.argmax())
    for each in unrounded:
        assert each["logprob"] == pytest.approx(expected[each["id"]], abs=0.001)
    for each in top:  # what is served is rounded to 8 bits
        assert np.exp(each["logprob"]) == pytest.approx(np.exp(expected[each["id"]]), abs=0.01)


def answered(endpoint: ModelEndpoint) -> tuple[list[int], list[dict[str, Any]], str]:
    """The tokens of a prompt, the likeliest next tokens, and the reply."""
    ask = {"messages": [{"role": "system", "content": "Act."}], "temperature": 0, "max_tokens": 25}
    ask["messages"] += [{"role": "user", "content": "fridge70 0"}]
    prompt = asked(endpoint, "/apply-template", ask)["prompt"]
    prompt_tokens = asked(endpoint, "/tokenize", {"content": prompt, "parse_special": True})[
        "tokens"
    ]
    body = {"prompt": prompt_tokens, "n_predict": 1, "n_probs": 5, "temperature": 0}
    top = asked(endpoint, "/completion", body)["completion_probabilities"][0]["top_logprobs"]
    said = asked(endpoint, "/v1/chat/completions", ask)["choices"][0]["message"]["content"]
    return prompt_tokens, top, said


def test_merging_adds_what_was_trained_but_for_rounding_to_8_bits(
    tiny: Path, done: tuple[train.Trained, list[TrainingProgress]], tmp_path: Path
) -> None:
    from peephole.training import adapter_file

    trained.write_merged(tiny, done[0].out, tmp_path / "merged.gguf")
    base, found = base_model.load(tiny), base_model.load(tmp_path / "merged.gguf")
    low: Any = adapter_file.read(done[0].out, rank=SETTINGS.rank, base=base_model.digest(tiny))
    for name, pair in low.items():
        wanted = base.layers[name] + SETTINGS.alpha / SETTINGS.rank * (pair["b"] @ pair["a"])
        assert np.abs(wanted - base.layers[name]).max() > 0.01
        blocks = wanted.reshape(-1, 32)  # of which each is rounded to 127 steps of its largest
        steps = np.abs(blocks).max(axis=1, keepdims=True) / 127
        off = np.abs(blocks - found.layers[name].reshape(-1, 32))
        assert (off <= 0.51 * steps + np.abs(blocks) * 2**-10).all(), name
