"""Single-instruction bit operations, with Python twins for runs without the JIT."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload


@intrinsic  # type: ignore[untyped-decorator]
def _popcount_instruction(typing_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _trailing_zeros_instruction(typing_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


def popcount(value: int) -> int:
    """Return the number of set bits of a 64-bit integer."""
    return (int(value) & 0xFFFFFFFFFFFFFFFF).bit_count()


def trailing_zeros(value: int) -> int:
    """Return the number of the lowest set bit; `value` must not be 0."""
    value = int(value) & 0xFFFFFFFFFFFFFFFF
    return (value & -value).bit_length() - 1


@overload(popcount, strict=False)  # type: ignore[untyped-decorator]
def _compile_popcount(value: Any) -> Any:
    return lambda value: _popcount_instruction(value)


@overload(trailing_zeros, strict=False)  # type: ignore[untyped-decorator]
def _compile_trailing_zeros(value: Any) -> Any:
    return lambda value: _trailing_zeros_instruction(value)
