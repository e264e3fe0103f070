"""Commands for tasks about blocks: `peephole blocks generate` and `peephole blocks imagine`."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..data_files import json_data, json_text, read_text
from ..errors import BadInput, PeepholeError, unknown_name
from .model_options import opened, recorded, writing_model
from .options import Data, Json, ModelOptions, with_groups
from .output import json_alone, print_json

if TYPE_CHECKING:
    from ..models.config import ModelConfig
    from ..models.contract import Model
    from ..suites.blocks.solutions import Pair, PairForm, Solution

_SUITE = "blocks:generated"
#: The suffix of a file of conversations.
_CHAT = ".jsonl"


@dataclasses.dataclass(frozen=True)
class BlocksOptions:
    """What is generated, and where to. The descriptions are the help's."""

    out: Annotated[Path, typer.Option(metavar="FILE")]
    """File for the tasks; play it with --data FILE."""
    tasks: Annotated[int, typer.Option(metavar="N", min=1)] = 20
    """Number of tasks."""
    seed: Annotated[int, typer.Option(metavar="K", min=0)] = 0
    """Random seed of the model's replies."""
    as_json: Json = False


@dataclasses.dataclass(frozen=True)
class ImagineOptions:
    """What is imagined, after which examples, and where to. The descriptions are the help's."""

    examples: Annotated[Path, typer.Option(metavar="RUN")]
    """Examples for the model: a run of llm_pop, or a file of `peephole export --to
    instructions`."""
    out: Annotated[Path, typer.Option(metavar="FILE")]
    """File for the pairs: .json, or .jsonl for chat format."""
    data: Data = None
    tasks: Annotated[int, typer.Option(metavar="N", min=1)] = 10
    """Use the first N tasks of blocks:generated."""
    starts: Annotated[int, typer.Option(metavar="N", min=1)] = 2
    """Number of initial states for each task."""
    form: Annotated[str, typer.Option(metavar="NAME")] = "cot"
    """Form of a pair: cot asks three questions in turn, vanilla only the last."""
    seed: Annotated[int, typer.Option(metavar="K", min=0)] = 0
    """Random seed of the model's replies."""
    as_json: Json = False


@with_groups
def generate(what: BlocksOptions, asks: ModelOptions) -> None:
    """Generate tasks about blocks with a language model, as LLM-POP does.

    The replies of the model are kept beside the file. To continue after an interruption, repeat
    the command with the same options.
    """
    from ..models.serving import label, note
    from ..suites.blocks.generate import BATCH, write_tasks
    from ..suites.blocks.generated import SEEDS

    with json_alone(what.as_json):
        config = _config(asks, "Writing tasks")
        with _asked(config, what.out, what.seed) as model:
            _tell_questions(2 * -(-what.tasks // BATCH), config)
            written = write_tasks(model, what.tasks)
    if not written.tasks:
        raise PeepholeError(f"No task was usable; try another model. {written.problem}")
    tasks = [task.to_data() for task in written.tasks]
    document = {"instructions": tasks, "seed": what.seed % SEEDS, "model": label(config)}
    text = json_text(document, indent=1)
    what.out.write_text(f"{text}\n", encoding="utf-8")
    own = sum(task.own_words for task in written.tasks)
    explore = sum(task.explores for task in written.tasks)
    if what.as_json:
        refused = [dataclasses.asdict(each) for each in written.refused]
        report = {"file": str(what.out), "tasks": len(tasks), "own_words": own, "explore": explore}
        report |= {"refused": written.refused_by_kind, "refusals": refused}
        print_json({**report, "problem": written.problem, "note": note(config)})
        return
    print(
        f"{len(tasks)} tasks, {own} in the model's own words and {explore} that need exploration, "
        f"are in {what.out}; play them with --suite {_SUITE} --data {what.out}."
    )
    for kind, count in written.refused_by_kind.items():
        reason = next(each.reason for each in written.refused if each.kind == kind)
        print(f"refused: {count} ({kind}), such as: {reason}")
    _tell(written.problem, note(config))


@with_groups
def imagine(what: ImagineOptions, asks: ModelOptions) -> None:
    """Generate instruction pairs for fine-tuning with a language model, as LLM-POP does.

    A .json file has the format of `peephole export --to instructions`. A .jsonl file has the
    format of `--to chat`, with the prompts of llm_pop. The replies of the model are kept beside
    the file. To continue after an interruption, repeat the command with the same options.
    """
    from ..models.serving import label, note
    from ..suites.blocks.imagine import imagine as imagine_pairs
    from ..suites.registry import load_suite

    form = _form(what.form)
    examples = _examples(what.examples, form)
    tasks = [task.instruction for task in load_suite(_SUITE, what.data).tasks[: what.tasks]]
    tasks = list(dict.fromkeys(tasks))
    with json_alone(what.as_json):
        config = _config(asks, "Imagining pairs")
        with _asked(config, what.out, what.seed) as model:
            _tell_questions(len(tasks) * what.starts, config)
            found = imagine_pairs(model, tasks, form, examples, what.starts, what.seed)
    pairs = [pair for solution in found.solutions for pair in solution.pairs()]
    if not pairs:
        problem = next(iter(found.missing.values()), "")
        raise PeepholeError(f"No pair was usable; try another model. {problem}")
    text = _document(pairs, form, what.out, label(config))
    what.out.write_text(f"{text}\n", encoding="utf-8")
    if what.as_json:
        report = {"file": str(what.out), "pairs": len(pairs), "solutions": len(found.solutions)}
        report |= {"left_out": found.left_out, "doubtful": found.doubtful}
        print_json({**report, "missing": found.missing, "note": note(config)})
        return
    print(
        f"{len(pairs)} pairs of {len(found.solutions)} solutions are in {what.out}; "
        f"train on them with: peephole train {what.out}"
    )
    if found.doubtful:
        print(f"In {found.doubtful} observations a held block is not in the gripper.")
    if found.left_out:
        print(f"{found.left_out} pairs were left out.")
    for task, reason in found.missing.items():
        print(f"incomplete: {task}: {reason}")
    _tell(note(config))


def _document(pairs: list[Pair], form: PairForm, out: Path, model: str) -> str:
    """The text of a file of pairs. model: the label of the model that imagined them."""
    from ..suites.blocks.generate import questions_text
    from ..suites.blocks.solutions import PairForm, conversation

    if out.suffix != _CHAT:
        return json_text(pairs, indent=1)
    system = questions_text(alone=form is PairForm.VANILLA)
    chats = [{**conversation(pair, system), "model": model} for pair in pairs]
    return "\n".join(json_text(chat) for chat in chats)


def _form(name: str) -> PairForm:
    """The form of pairs of a name. Raises BadInput."""
    from ..suites.blocks.solutions import PairForm

    if name not in list(PairForm):
        raise unknown_name("form", name, list(PairForm))
    return PairForm(name)


def _examples(source: Path, form: PairForm) -> list[Solution]:
    """The real solutions of a run or of a file of instructions. Raises BadInput."""
    from ..results.exports.instructions import instructions
    from ..suites.blocks.solutions import of_form, solutions

    if source.is_dir():
        pairs: Any = instructions(source)[0]
    else:
        try:
            pairs = json_data(read_text(source))
        except OSError as error:
            raise BadInput(f"{source} cannot be read: {error.strerror}.") from None
        except ValueError:
            pairs = None
    if not isinstance(pairs, list):
        raise BadInput(
            f"{source} is neither a run nor a file of `peephole export --to instructions`."
        )
    return of_form(solutions(pairs, str(source)), form, str(source))


def _config(asks: ModelOptions, doing: str) -> ModelConfig:
    from ..models.serving import checked

    return checked(writing_model(asks, doing))


@contextmanager
def _asked(config: ModelConfig, out: Path, seed: int) -> Iterator[Model]:
    """The model. Questions that it answered before get the recorded replies.

    Raises BadInput where the file exists but was not written by this command.
    """
    from ..models.record import RecordDiffers

    answers = out.with_suffix(".model.jsonl")
    if out.exists() and not answers.exists():
        raise BadInput(f"{out} exists already; choose another --out.")
    with opened(config, seed) as connection, recorded(connection, answers, seed) as model:
        try:
            yield model
        except RecordDiffers:
            raise BadInput(
                f"{answers} has the replies to other questions; repeat the command with its first "
                f"options, or choose another --out."
            ) from None


def _tell_questions(number: int, config: ModelConfig) -> None:
    """Print how many questions the model will get, before the first one."""
    print(f"peephole: questions to {config.name}: {number} or more", file=sys.stderr)


def _tell(*sentences: str) -> None:
    for sentence in filter(None, sentences):
        print(sentence)
