"""A language model as a planner sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar, Unpack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

    Shape = TypeVar("Shape", bound=BaseModel)

Parsed = TypeVar("Parsed")

#: One chat message as plain data: {"role": "system" | "user" | "assistant", "content": …}; the
#: content is a text, or a list of parts ({"type": "text", …}, {"type": "image_url", …}).
Message = Mapping[str, Any]


#: The purpose of questions that add to a graph what a camera sees; their tokens are not planning.
AUGMENTATION = "augmentation"
#: The purpose of the question by which `Model.enforces_schema` finds out.
SCHEMA_CHECK = "schema check"

#: What a question is about, as JSON data with a "kind" of question; it repeats what the messages
#: say. A stand-in that runs here answers by it. It is sent to no endpoint and not recorded.
About = Callable[[], Mapping[str, Any]]


class Sampling(TypedDict, total=False):
    """How a reply is sampled; what is left out is as the run has it.

    max_tokens: of the reply. stop: texts that end it, at most four; after an unusable reply the
    model is asked again without both. purpose: under which its tokens are summed ("plan",
    AUGMENTATION …). about: see `Request`.
    """

    temperature: float
    top_p: float
    max_tokens: int
    stop: Sequence[str]
    purpose: str
    about: About


@dataclass(frozen=True)
class Request:
    """One question to a model.

    options: the answer is one of these texts. shape: the answer is an instance of this pydantic
    class; choices: what its text fields may say, by field ("action", or "decision.act" of a part),
    where that changes from question to question. parse: the answer is what this makes of a free
    text, or of the instance of `shape`; it raises `Unusable`. None of them: the answer is free
    text. The other fields are those of `Sampling`; None: as the run has it. sample: tells apart
    requests that are alike but for chance. about: None for a question that no stand-in answers.
    """

    messages: Sequence[Message]
    options: Sequence[str] = ()
    shape: type[BaseModel] | None = None
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    parse: Callable[[Any], Any] | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: Sequence[str] = ()
    purpose: str = ""
    sample: int = 0
    about: About | None = None


class Unusable(Exception):
    """A reply that is no answer; the text is a sentence that tells the model why.

    The model is asked again with it, see `Model`. kind: of what is wrong, in a word or two, where
    refused answers are counted by it.
    """

    def __init__(self, sentence: str, kind: str = "") -> None:
        super().__init__(sentence)
        self.kind = kind


class NoAnswer(Exception):
    """A model gave no usable answer, asked again with the reason as often as is allowed.

    It is the planner's to handle; an episode whose planner does not ends with `no_answer`.
    """


class ContextFull(NoAnswer):
    """The messages are longer than what the model can read; shorten them and ask again."""


class Model(Protocol):
    """A language model for one episode; every reply is recorded.

    A reply that is no answer is asked for again with the reason, as often as the run allows; then
    NoAnswer is raised. Calls are synchronous, made inside the planner's generator. What goes wrong
    around the model (no connection, a used-up budget) ends the run and is no concern of the
    planner, which must let it pass.
    """

    @property
    def name(self) -> str: ...

    def enforces_schema(self) -> bool:
        """Whether the server itself holds replies to options and shapes.

        Found out by one question whose only permitted answer is not the true one; servers may
        ignore a schema silently. Each call asks. False, unasked, of endpoints that read schemas
        before the messages: long lists of options are left out there, which would cost the cache.
        """
        ...

    def choose(
        self, messages: Sequence[Message], options: Sequence[str], **sampling: Unpack[Sampling]
    ) -> str:
        """One of the options."""
        ...

    def answer(
        self,
        messages: Sequence[Message],
        shape: type[Shape],
        choices: Mapping[str, Sequence[str]] | None = None,
        **sampling: Unpack[Sampling],
    ) -> Shape:
        """An instance of a pydantic class. choices: as in `Request`."""
        ...

    def read(
        self,
        messages: Sequence[Message],
        parse: Callable[[str], Parsed],
        **sampling: Unpack[Sampling],
    ) -> Parsed:
        """What `parse` makes of a free text; it raises Unusable for one of another form."""
        ...

    def complete(self, messages: Sequence[Message], **sampling: Unpack[Sampling]) -> str:
        """Free text."""
        ...

    def many(self, requests: Sequence[Request]) -> list[Any]:
        """Ask several at once; the answers in order, a NoAnswer in place of one that failed."""
        ...

    def samples(self, request: Request, n: int) -> list[Any]:
        """Ask the same n times at once, with sample numbers from 0; answers as of `many`."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Sentence embeddings of unit length, shape (texts, dimensions)."""
        ...
