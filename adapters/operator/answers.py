"""The questions of one episode and a person's answers, kept so that nothing is asked twice.

answers.jsonl    a line for each question that was asked, and for each answer, on the disk before
                 anything else happens; a torn last line is tolerated. An answer has with it what a
                 model said of its photos.
photo-HASH       photos of answers

The folder belongs to one start of an episode.
"""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path
from typing import Any

from ...data_files import json_data, json_line, whole_lines, write_safely
from ...errors import BadInput, PeepholeError
from .questions import Answer, Question, Seen, answer_from_json

_VERSION = 1
FILE = "answers.jsonl"


class AnswerLog:
    """The answers of one episode. episode: an opaque name of it, the same after an interruption."""

    def __init__(self, folder: Path | None) -> None:
        """folder: where answers are kept; None to keep them in memory only.

        Raises BadInput for a damaged file.
        """
        self._folder = folder
        self._answers: dict[str, dict[str, Any]] = {}  # by the question's digest
        self._asked: dict[str, tuple[int, bool]] = {}  # its number and whether it is a Confirm
        self.episode = ""
        if folder is not None:
            self._read(folder / FILE)
        if not self.episode:
            self.episode = secrets.token_hex(8)
            self._write({"event": "began", "version": _VERSION, "episode": self.episode})

    def __len__(self) -> int:
        return len(self._answers)

    def was_asked(self, question: Question) -> bool:
        """Whether a question was asked before, answered or not."""
        return question.digest in self._asked

    def asked(self, question: Question) -> None:
        """Note that a question is asked now. Answers to what came after it count no longer.

        There are such where the episode goes on otherwise than before an interruption.
        """
        data = question.model_dump(mode="json", exclude={"repeated"})
        line = {"event": "asked", "digest": question.digest, "question": data}
        self._write(line)
        self._take_question(line)

    def answered(self, question: Question, answer: Answer) -> None:
        """Keep an answer. It is on the disk when this returns. Raises PeepholeError otherwise."""
        line = {
            "event": "answered",
            "digest": question.digest,
            "answer": answer.model_dump(mode="json", exclude={"photo"}),
        }
        if isinstance(answer, Seen) and answer.photo is not None:
            line["photo"] = self._keep_photo(answer.photo)
        self._write(line)
        self._take(line)
        if self._folder is None:
            line["answer"] = answer.model_dump(mode="json")  # with its photo

    def answer_to(self, question: Question) -> Answer | None:
        """The answer that a question had, or None. Raises BadInput where a photo is gone."""
        line = self._answers.get(question.digest)
        if line is None:
            return None
        answer = answer_from_json(json_line(line["answer"]))
        if isinstance(answer, Seen) and "photo" in line and self._folder is not None:
            path = self._folder / line["photo"]
            try:
                return answer.model_copy(update={"photo": path.read_bytes()})
            except OSError as error:
                raise BadInput(
                    f"The photo {path} cannot be read ({error.strerror}); restore it."
                ) from None
        return answer

    def _take_question(self, line: dict[str, Any]) -> None:
        number, confirms = line["question"]["number"], line["question"]["kind"] == "confirm"
        for digest, (later, confirmed) in list(self._asked.items()):
            other = later == number and digest != line["digest"] and not (confirmed or confirms)
            if later > number or other:
                del self._asked[digest]
                self._answers.pop(digest, None)
        self._asked[line["digest"]] = (int(number), confirms)

    def _take(self, line: dict[str, Any]) -> None:
        self._answers[line["digest"]] = line

    def _keep_photo(self, photo: bytes) -> str:
        name = photo_name(photo)
        self._keep(name, photo, append=False)
        return name

    def _write(self, line: dict[str, Any]) -> None:
        self._keep(FILE, json_line(line).encode(), append=True)

    def _keep(self, name: str, data: bytes, *, append: bool) -> None:
        """Write to a file of the folder. Raises PeepholeError where that fails."""
        if self._folder is None:
            return
        path = self._folder / name
        try:
            write_safely(path, data, append=append)
        except OSError as error:
            raise PeepholeError(
                f"The answer cannot be kept ({path}: {error.strerror}); correct that, then "
                f"continue the run with --resume."
            ) from None

    def _read(self, path: Path) -> None:
        """Read the file, if there is one, and cut off a torn last line."""
        try:
            lines = whole_lines(path, cut=True)
        except OSError as error:
            raise BadInput(f"{path} cannot be read ({error.strerror}); correct that.") from None
        for number, text in enumerate(lines, start=1):
            try:
                self._read_line(json_data(text))
            except (ValueError, LookupError, TypeError, AttributeError, BadInput):
                raise BadInput(
                    f"{path}, line {number} is damaged; restore the file, or start a new run."
                ) from None

    def _read_line(self, line: Any) -> None:
        match line["event"]:
            case "began":
                if line["version"] != _VERSION:
                    raise ValueError
                self.episode = str(line["episode"])
            case "asked":
                self._take_question(line)
            case "answered":
                answer_from_json(json_line(line["answer"]))
                photo = line.get("photo", "photo-")
                if not photo.startswith("photo-") or not photo.removeprefix("photo-").isalnum():
                    line.pop("photo", None)
                self._take(line)
            case _:
                raise ValueError


def photo_name(photo: bytes) -> str:
    """The name of a photo's file: a hash of its content."""
    return f"photo-{hashlib.sha256(photo).hexdigest()[:20]}"
