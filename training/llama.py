"""The Llama architecture in JAX, with low-rank adapters on its matrices (LoRA, Hu et al., 2021).

Weights are as in GGUF files, where the rows of queries and keys are permuted so that rope rotates
neighbouring pairs. Only the adapters are trained: a matrix W becomes W + scale * B A.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from statistics import median
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.ad_checkpoint import checkpoint_name
from numpy.typing import NDArray

from .base_model import MATRICES, BaseModel, LlamaShape
from .settings import Precision

DType: TypeAlias = np.dtype[Any]
#: By matrix: A of shape (layers, rank, in) and B of shape (layers, out, rank).
Adapters = dict[str, dict[str, Array]]
#: Attention is computed for this many tokens at a time, over the tokens before them only.
_BLOCK = 256
#: The values of a layer that are kept for its gradients: those that take long to compute again.
#: Attention weights are not kept, since they would take most of the memory.
_KEPT = jax.checkpoint_policies.save_only_these_names("product", "mixed")


class Weights(NamedTuple):
    """The frozen weights; matrices and head have the precision of the products."""

    layers: Mapping[str, Array]
    embedding: Array
    norm: Array
    head: Array


def weights_of(base: BaseModel, precision: Precision) -> Weights:
    """The weights of a model on the device that JAX computes on."""

    def matrix(value: NDArray[np.float32]) -> Array:
        return jnp.asarray(value, dtype=precision.value)

    return Weights(
        {
            name: matrix(value) if name in MATRICES else jnp.asarray(value)
            for name, value in base.layers.items()
        },
        jnp.asarray(base.embedding),
        jnp.asarray(base.norm),
        matrix(base.head),
    )


def new_adapters(base: BaseModel, rank: int, seed: int) -> Adapters:
    """Adapters that change nothing yet: A is random, B is zero."""
    keys = jax.random.split(jax.random.key(seed), len(MATRICES))
    found = {}
    for name, key in zip(MATRICES, keys, strict=True):
        layers, out, width = base.layers[name].shape
        drawn = jax.random.normal(key, (layers, rank, width)) / width**0.5
        found[name] = {"a": drawn, "b": jnp.zeros((layers, out, rank))}
    return found


def logits(
    shape: LlamaShape, weights: Weights, adapters: Adapters, scale: float, tokens: Array, at: Array
) -> Array:
    """The logits after the tokens at some positions, shape (positions, vocabulary).

    tokens: of one sequence. at: positions in it.
    """
    turns = _turns(shape, tokens.shape[0])

    def layer(states: Array, parts: Any) -> tuple[Array, None]:
        return _layer(shape, scale, turns, states, *parts), None

    states = weights.embedding[tokens]
    kept = jax.checkpoint(layer, policy=_KEPT)
    states, _ = jax.lax.scan(kept, states, (weights.layers, adapters))
    return _through(_norm(states[at], weights.norm, shape.epsilon), weights.head)


def _layer(
    shape: LlamaShape,
    scale: float,
    turns: tuple[Array, Array],
    states: Array,
    matrices: Mapping[str, Array],
    adapters: Adapters,
) -> Array:
    def times(name: str, value: Array) -> Array:
        low = value @ adapters[name]["a"].T @ adapters[name]["b"].T
        return _kept(_through(value, matrices[name]) + scale * low, "product")

    length = states.shape[0]
    value = _norm(states, matrices["attn_norm"], shape.epsilon)
    queries = times("attn_q", value).reshape(length, shape.heads, shape.head_width)
    keys = times("attn_k", value).reshape(length, shape.key_heads, shape.head_width)
    values = times("attn_v", value).reshape(length, shape.key_heads, shape.head_width)
    rounded = matrices["attn_q"].dtype
    mixed = _attention(_turned(queries, turns), _turned(keys, turns), values, rounded)
    mixed = _kept(mixed, "mixed")
    states = states + times("attn_output", mixed)
    value = _norm(states, matrices["ffn_norm"], shape.epsilon)
    hidden = jax.nn.silu(times("ffn_gate", value)) * times("ffn_up", value)
    return states + times("ffn_down", hidden)


def _kept(value: Array, name: str) -> Array:
    """The value, under the name by which `_KEPT` keeps it for gradients."""
    named: Array = checkpoint_name(value, name)  # type: ignore[no-untyped-call]
    return named


@jax.custom_vjp
def _through(value: Array, matrix: Array) -> Array:
    """The product with a frozen matrix of shape (out, in), in the matrix's precision."""
    return _product(value, matrix, 1, 1)


def _through_kept(value: Array, matrix: Array) -> tuple[Array, Array]:
    return _through(value, matrix), matrix


def _through_back(matrix: Array, gradient: Array) -> tuple[Array, None]:
    return _product(gradient, matrix, 1, 0), None


_through.defvjp(_through_kept, _through_back)


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _of_rounded(left: Array, right: Array, rounded: DType) -> Array:
    """The product of the rounded values of matrices of shapes (n, k) and (m, k)."""
    return _product(left.astype(rounded), right.astype(rounded), 1, 1)


def _of_rounded_kept(left: Array, right: Array, rounded: DType) -> tuple[Array, tuple[Array, ...]]:
    left, right = left.astype(rounded), right.astype(rounded)
    return _product(left, right, 1, 1), (left, right)


def _of_rounded_back(
    rounded: DType, kept: tuple[Array, Array], gradient: Array
) -> tuple[Array, Array]:
    left, right = kept
    return _product(gradient, right, 1, 0), _product(gradient, left, 0, 0)


_of_rounded.defvjp(_of_rounded_kept, _of_rounded_back)


def _product(left: Array, right: Array, left_axis: int, right_axis: int) -> Array:
    """The product of two matrices along an axis of each.

    Products have the precision of the second matrix, sums have 32 bits.
    """
    axes = (((left_axis,), (right_axis,)), ((), ()))
    return jax.lax.dot_general(
        left.astype(right.dtype), right, axes, preferred_element_type=jnp.float32
    )


def _attention(queries: Array, keys: Array, values: Array, rounded: DType) -> Array:
    """Causal attention, where several heads of queries share one head of keys and values.

    rounded: the number type of the products.
    """
    length, heads, width = queries.shape
    shared = keys.shape[1]
    grouped = queries.reshape(length, shared, heads // shared, width) / width**0.5
    parts = []
    for start in range(0, length, _BLOCK):
        end = min(start + _BLOCK, length)
        mixed = [
            _block(
                grouped[start:end, group], keys[:end, group], values[:end, group], start, rounded
            )
            for group in range(shared)
        ]
        parts.append(jnp.stack(mixed, axis=1).reshape(end - start, heads * width))
    return jnp.concatenate(parts)


@partial(jax.checkpoint, static_argnums=(3, 4))
def _block(queries: Array, keys: Array, values: Array, start: int, rounded: DType) -> Array:
    """Attention of queries of shape (tokens, heads, width) to keys of shape (tokens, width)."""
    length, heads, width = queries.shape
    # Products of two plain matrices, because XLA's batched products are half as fast on CPUs.
    scores = _of_rounded(queries.swapaxes(0, 1).reshape(-1, width), keys, rounded)
    positions = start + jnp.arange(length)
    before = positions[:, None] >= jnp.arange(keys.shape[0])[None, :]
    masked = jnp.where(before, scores.reshape(heads, length, -1), -jnp.inf)
    weights = jax.nn.softmax(masked, axis=-1).reshape(heads * length, -1)
    mixed = _of_rounded(weights, values.T, rounded)
    return mixed.reshape(heads, length, width).swapaxes(0, 1)


def _turns(shape: LlamaShape, length: int) -> tuple[Array, Array]:
    """Cosine and sine of rope's angles, shape (length, 1, half of a head)."""
    half = jnp.arange(0, shape.head_width, 2) / shape.head_width
    angles = jnp.arange(length)[:, None] / shape.rope_base ** half[None, :]
    return jnp.cos(angles)[:, None, :], jnp.sin(angles)[:, None, :]


def _turned(value: Array, turns: tuple[Array, Array]) -> Array:
    """Rotary position embedding (rope) of neighbouring pairs."""
    cosine, sine = turns
    even, odd = value[..., 0::2], value[..., 1::2]
    turned = jnp.stack([even * cosine - odd * sine, even * sine + odd * cosine], axis=-1)
    return turned.reshape(value.shape)


def _norm(value: Array, weight: Array, epsilon: float) -> Array:
    return value * jax.lax.rsqrt(jnp.mean(value * value, axis=-1, keepdims=True) + epsilon) * weight


#: A typical product of SmolLM2-135M: tokens, width, and width of the feed-forward part.
_TOKENS, _WIDTH, _HIDDEN = 512, 576, 1536


def share_of_time() -> float:
    """The time of a product in bfloat16 divided by that in float32. Measuring takes about 0.1 s."""
    return _seconds(Precision.BFLOAT16) / _seconds(Precision.FLOAT32)


def _seconds(precision: Precision) -> float:
    """The median time of a product in seconds."""
    left = jnp.ones((_TOKENS, _WIDTH), precision.value)
    right = jnp.ones((_WIDTH, _HIDDEN), precision.value)

    def product() -> None:
        found = jax.lax.dot(left, right, preferred_element_type=jnp.float32)
        found.block_until_ready()

    product()
    return median(_duration(product) for _ in range(9))


def _duration(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
