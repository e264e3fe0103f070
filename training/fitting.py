"""The training loop: fit adapters to replies and evaluate held-out replies; resumable.

A step's result depends only on the state before it and on the step's number. So a killed training
that continues ends in the same weights, bit by bit, on the same machine.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from . import batches, llama
from .base_model import BaseModel, LlamaShape
from .checkpoints import TrainingFolder
from .settings import TrainingSettings
from .tokens import TokenSequence


class HeldOutResult(NamedTuple):
    """The result on held-out replies."""

    loss: float
    exact: float
    """The share of replies that the model says exactly."""
    replies: int
    kinds: Mapping[str, float]
    """The same share by kind of reply."""


class TrainingProgress(NamedTuple):
    """The progress of a training."""

    step: int
    """Steps done."""
    steps: int
    """Steps in all."""
    loss: float
    """Mean loss of the last step."""
    tokens_per_s: float
    """Tokens per second since the training began or continued."""
    seconds_left: float
    """Expected time to the end."""
    evaluation: HeldOutResult | None
    """The newest evaluation, or None."""


#: The learning rate rises over this share of the steps, and falls to zero by the end.
_WARM_UP = 0.05
_CLIP = 1.0
#: Held-out sequences that are evaluated during the training.
_FEW = 8
#: Most tokens of sequences that are computed in parallel. Two sequences of 3,072 tokens took 7.9 GB
#: with SmolLM2-135M, and a training has to stay below 8 GB on a laptop.
_TOKENS_AT_ONCE = 5120


class Training:
    """A training, from its state in a folder to its end."""

    def __init__(
        self,
        base: BaseModel,
        sequences: Sequence[TokenSequence],
        held_out: Sequence[TokenSequence],
        settings: TrainingSettings,
        folder: TrainingFolder,
        first: Mapping[str, Mapping[str, np.ndarray[Any, Any]]] | None = None,
    ) -> None:
        """first: the adapters to begin with; by default new ones, which change nothing yet."""
        self._shape, self._settings, self._folder = base.shape, settings, folder
        self._sequences, self._held_out = sequences, held_out
        self._kinds = batches.weights_of_kinds(sequences)
        self.steps = -(-len(sequences) // settings.batch) * settings.epochs
        self._weights = llama.weights_of(base, settings.precision)
        self._scale = settings.alpha / settings.rank
        new = llama.new_adapters(base, settings.rank, settings.seed)
        self._adapters = new if first is None else jax.tree.map(jnp.asarray, dict(first))
        self._state = _optimizer(settings.learning_rate, self.steps).init(self._adapters)
        self.step = 0
        self._restore()

    @property
    def adapters(self) -> dict[str, dict[str, np.ndarray[Any, Any]]]:
        """The adapters as they are now."""
        return {
            name: {which: np.asarray(layers) for which, layers in matrix.items()}
            for name, matrix in self._adapters.items()
        }

    def run(
        self,
        tell: Callable[[TrainingProgress], None],
        *,
        every_s: float = 60.0,
        evaluate_every_s: float = 600.0,
    ) -> HeldOutResult | None:
        """Train to the end. Returns the result on held-out replies, None where there are none.

        tell: gets the progress every `every_s` seconds, when the state is saved too. Held-out
        replies are evaluated every `evaluate_every_s` seconds.
        """
        evaluation = None
        kept = evaluated = began = time.monotonic()
        tokens, loss, first = 0, float("nan"), self.step
        for chosen in self._left():
            loss = self._take_step(chosen)
            self.step += 1
            tokens += sum(len(each.tokens) for each in chosen)
            now = time.monotonic()
            if now - kept < every_s and self.step < self.steps:
                continue
            self._keep()
            if self._held_out and (now - evaluated >= evaluate_every_s):
                evaluation = self.evaluate(limit=_FEW)
                evaluated = time.monotonic()
            spent = now - began
            left = spent / (self.step - first) * (self.steps - self.step)
            progress = TrainingProgress(
                self.step, self.steps, loss, tokens / spent, left, evaluation
            )
            self._folder.log(_entry(progress))
            tell(progress)
            kept = time.monotonic()
        return self.evaluate() if self._held_out else None

    def evaluate(self, limit: int | None = None) -> HeldOutResult:
        """Evaluate held-out replies. limit: most sequences to evaluate, spread over the tasks."""
        loss = weight = 0.0
        apart = 1 if limit is None else -(-len(self._held_out) // limit)
        right: Counter[str] = Counter()
        there: Counter[str] = Counter()
        for sequence in self._held_out[::apart]:
            batch = batches.batch(sequence, {})
            found = _evaluated(self._shape, self._scale, self._adapters, self._weights, *batch[:3])
            losses, hits = map(np.asarray, found)
            counts = batch.weights > 0
            loss += float(losses[counts].sum())
            weight += float(counts.sum())
            for number in np.unique(batch.reply[counts]):
                kind = sequence.kinds[number]
                there[kind] += 1
                right[kind] += bool(hits[counts & (batch.reply == number)].all())
        return HeldOutResult(
            loss / max(1.0, weight),
            right.total() / max(1, there.total()),
            there.total(),
            {kind: right[kind] / there[kind] for kind in sorted(there)},
        )

    # --- steps ---

    def _left(self) -> Iterator[list[TokenSequence]]:
        """The sequences of each step that is left."""
        settings = self._settings
        lengths = [len(each.tokens) for each in self._sequences]
        steps = batches.order(lengths, settings.batch, settings.epochs, settings.seed)
        for numbers in islice(steps, self.step, None):
            yield [self._sequences[number] for number in numbers]

    def _take_step(self, chosen: Sequence[TokenSequence]) -> float:
        """Take a step on some sequences. Returns the mean loss of learnt tokens before it."""
        total, gradients, weight = 0.0, None, 0.0
        # Much of a step runs on one core, so two sequences in parallel are 1.6 times as fast.
        with ThreadPoolExecutor(_side_by_side(chosen)) as pool:
            for loss, found, counts in pool.map(self._gradients, chosen):
                total, weight = total + loss, weight + counts
                gradients = found if gradients is None else jax.tree.map(jnp.add, gradients, found)
        self._adapters, self._state = _updated(
            self._settings.learning_rate,
            self.steps,
            self._adapters,
            self._state,
            gradients,
            max(weight, 1.0),
        )
        return total / max(weight, 1.0)

    def _gradients(self, sequence: TokenSequence) -> tuple[float, Any, float]:
        """The summed loss of a sequence, its gradients, and the summed weights of its tokens."""
        batch = batches.batch(sequence, self._kinds)
        loss, found = _loss_and_gradients(
            self._shape, self._scale, self._adapters, self._weights, *batch[:4]
        )
        return float(loss), found, float(batch.weights.sum())

    # --- the state ---

    def _keep(self) -> None:
        leaves = jax.tree.leaves((self._adapters, self._state))
        arrays = {f"leaf_{number}": np.asarray(leaf) for number, leaf in enumerate(leaves)}
        self._folder.keep_state({**arrays, "step": np.array(self.step)})

    def _restore(self) -> None:
        found = self._folder.state()
        if found is None:
            return
        self.step = int(found["step"])
        leaves, form = jax.tree.flatten((self._adapters, self._state))
        kept = [jnp.asarray(found[f"leaf_{number}"]) for number in range(len(leaves))]
        self._adapters, self._state = jax.tree.unflatten(form, kept)


def _side_by_side(chosen: Sequence[TokenSequence]) -> int:
    """How many sequences of a step are computed in parallel."""
    longest = max(len(each.tokens) for each in chosen)
    return min(len(chosen), os.cpu_count() or 1, max(1, _TOKENS_AT_ONCE // longest))


def _entry(progress: TrainingProgress) -> dict[str, Any]:
    evaluation = progress.evaluation
    return {
        **progress._asdict(),
        "evaluation": None if evaluation is None else evaluation._asdict(),
    }


# --- what is compiled, once for each shape ---


@partial(jax.jit, static_argnums=(0, 1))
@partial(jax.value_and_grad, argnums=2)
def _loss_and_gradients(
    shape: LlamaShape,
    scale: float,
    adapters: llama.Adapters,
    weights: llama.Weights,
    tokens: Array,
    at: Array,
    targets: Array,
    counts: Array,
) -> Array:
    expected = llama.logits(shape, weights, adapters, scale, tokens, at)
    losses = optax.softmax_cross_entropy_with_integer_labels(expected, targets)
    return jnp.sum(losses * counts)


@partial(jax.jit, static_argnums=(0, 1))
def _evaluated(
    shape: LlamaShape,
    scale: float,
    adapters: llama.Adapters,
    weights: llama.Weights,
    tokens: Array,
    at: Array,
    targets: Array,
) -> tuple[Array, Array]:
    """The loss of each target, and whether the model would say it."""
    expected = llama.logits(shape, weights, adapters, scale, tokens, at)
    losses = optax.softmax_cross_entropy_with_integer_labels(expected, targets)
    return losses, jnp.argmax(expected, axis=-1) == targets


@partial(jax.jit, static_argnums=(0, 1))
def _updated(
    rate: float, steps: int, adapters: Any, state: Any, gradients: Any, weight: Array
) -> Any:
    """Adapters and optimizer after a step. gradients: of the summed loss. weight: its divisor."""
    mean = jax.tree.map(lambda each: each / weight, gradients)
    updates, state = _optimizer(rate, steps).update(mean, state, adapters)
    return optax.apply_updates(adapters, updates), state


def _optimizer(rate: float, steps: int) -> optax.GradientTransformation:
    rising = max(1, int(steps * _WARM_UP))
    schedule = optax.warmup_cosine_decay_schedule(0.0, rate, rising, max(rising + 1, steps))
    return optax.chain(optax.clip_by_global_norm(_CLIP), optax.adamw(schedule, weight_decay=0.0))
