"""A language model as a planner sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar, Unpack

from ..errors import each_name
from .tools import Tool, ToolReply

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

    Shape = TypeVar("Shape", bound=BaseModel)

Parsed = TypeVar("Parsed")

#: One chat message as plain data: {"role": "system" | "user" | "assistant", "content": …}; the
#: content is a text, or a list of parts ({"type": "text", …}, {"type": "image_url", …}).
Message = Mapping[str, Any]


#: The purpose of questions on camera images, which add to a graph; not counted as planning.
AUGMENTATION = "augmentation"
#: The purpose of the test question of `Model.enforces_schema`.
SCHEMA_CHECK = "schema check"

#: The most tokens of a reply where neither the user nor the question says more: a thought and one
#: decision.
SHORT_ANSWER = 1024
#: What an answer with a whole plan or a program can need.
LONG_ANSWER = 4096

#: Why a text that the choices of a question lack is refused; None for one that is accepted.
Judge = Callable[[str], str | None]
#: Between a text and why its judge refuses it, in the problem of a reply.
REFUSED_BY_JUDGE = " cannot be done: "
#: Makes the data of a question as JSON: the "kind" of question, and the content of its messages. A
#: local stand-in answers by it. It goes to no endpoint and no recording.
About = Callable[[], Mapping[str, Any]]


class Sampling(TypedDict, total=False):
    """The sampling of a reply; a missing field has the run's value."""

    temperature: float
    """The sampling temperature."""
    top_p: float
    """The nucleus, above 0 and at most 1."""
    needs: int
    """The tokens that the answer can need, where that is more than SHORT_ANSWER.

    The reply may have as many, unless the user set a limit (`--reply-tokens`).
    """
    max_tokens: int
    """The most tokens of the reply, whatever the user allows.

    After an unusable reply the model is asked again without this limit.
    """
    stop: Sequence[str]
    """At most four texts that end the reply.

    After an unusable reply the model is asked again without them.
    """
    purpose: str
    """The name under which its tokens are summed ("plan", AUGMENTATION …)."""
    about: About
    """As in `Request`."""
    judge: Judge | None
    """As in `Request`."""


@dataclass(frozen=True)
class Request:
    """One question to a model. Without permitted texts, shape, tools and parse the answer is free
    text.
    """

    messages: Sequence[Message]
    """The chat messages."""
    permitted: Sequence[str] = ()
    """The answer is one of these texts."""
    shape: type[BaseModel] | None = None
    """The answer is an instance of this pydantic class."""
    tools: Sequence[Tool] = ()
    """The answer is a `ToolReply`, which may call these."""
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The permitted values of text fields of `shape`, where they change from question to question.

    The key is a field ("action") or the field of a part ("decision.act").
    """
    judge: Judge | None = None
    """Judges texts that `choices` lack, where a server does not hold replies to the schema; None
    refuses them all.
    """
    parse: Callable[[Any], Any] | None = None
    """Makes the answer of a free text, or of the instance of `shape`; raises `Unusable`."""
    temperature: float | None = None
    """As in `Sampling`; None for the run's."""
    top_p: float | None = None
    """As in `Sampling`; None for the endpoint's."""
    needs: int = SHORT_ANSWER
    """As in `Sampling`."""
    max_tokens: int | None = None
    """As in `Sampling`; None for what the user allows, else for what the answer needs."""
    stop: Sequence[str] = ()
    """As in `Sampling`."""
    purpose: str = ""
    """As in `Sampling`."""
    sample: int = 0
    """The number of the sample, for requests that differ by chance only."""
    about: About | None = None
    """The data of the question for stand-ins; None where no stand-in answers it."""

    def __post_init__(self) -> None:
        choices = {name: each_name(texts) for name, texts in self.choices.items()}
        object.__setattr__(self, "choices", choices)
        object.__setattr__(self, "permitted", each_name(self.permitted))
        object.__setattr__(self, "stop", each_name(self.stop))


class Unusable(Exception):
    """A reply that is no answer; the text is a sentence that tells the model why.

    The model is asked again with it, see `Model`. kind: the kind of error, in a word or two, by
    which results count refused answers.
    """

    def __init__(self, sentence: str, kind: str = "") -> None:
        super().__init__(sentence)
        self.kind = kind


class NoAnswer(Exception):
    """A model gave no usable answer, after all attempts that the run allows.

    The planner handles it; otherwise the episode ends with `no_answer`.
    """


class ContextFull(NoAnswer):
    """The messages are longer than the model's context; shorten them and ask again."""


class Model(Protocol):
    """A language model for one episode; every reply is recorded.

    After a reply that is no answer, the model is asked again with the reason. NoAnswer is raised
    after as many attempts as the run allows. Calls are synchronous, inside the planner's generator.
    Errors around the model (no connection, a used-up budget) end the run: planners do not catch
    them.
    """

    @property
    def name(self) -> str: ...

    def enforces_schema(self) -> bool:
        """Whether the server itself enforces permitted texts and shapes.

        Each call asks one question whose only permitted answer is wrong, since servers may ignore a
        schema silently. False without a question for endpoints that read schemas before messages:
        there long lists of permitted texts are left out of the schema, to keep the prompt cache.
        """
        ...

    def choose(
        self, messages: Sequence[Message], permitted: Sequence[str], **sampling: Unpack[Sampling]
    ) -> str:
        """One of the permitted texts."""
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
        """The result of `parse` on a free text; `parse` raises Unusable for another form."""
        ...

    def complete(self, messages: Sequence[Message], **sampling: Unpack[Sampling]) -> str:
        """Free text."""
        ...

    def call_tools(
        self, messages: Sequence[Message], tools: Sequence[Tool], **sampling: Unpack[Sampling]
    ) -> ToolReply:
        """A reply that may call tools; what it calls, and with what, is not checked."""
        ...

    def many(self, requests: Sequence[Request]) -> list[Any]:
        """The answers to several requests at once, in order; a NoAnswer for one that failed."""
        ...

    def samples(self, request: Request, n: int) -> list[Any]:
        """The answers to n samples of a request at once, as by `many`; samples count from 0."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Sentence embeddings of unit length, shape (texts, dimensions)."""
        ...
