"""Bit operations of one machine instruction, with Python twins for runs without the JIT."""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numba
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


def _two_word_instruction(name: str) -> Any:
    """Return the intrinsic of an LLVM function from two 64-bit words to one."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function = builder.module.declare_intrinsic(name, (), ir.FunctionType(word, [word, word]))
        return builder.call(function, arguments)

    @intrinsic  # type: ignore[untyped-decorator]
    def instruction(typing_context: Any, value: Any, mask: Any) -> Any:
        return types.int64(types.int64, types.int64), generate

    return instruction


_gather_instruction = _two_word_instruction("llvm.x86.bmi.pext.64")
_scatter_instruction = _two_word_instruction("llvm.x86.bmi.pdep.64")


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


def gather_bits(value: int, mask: int) -> int:
    """Return the bits of `value` at the places set in `mask`, moved together at the low end."""
    result = 0
    place = 0
    while mask != 0:
        lowest = mask & -mask
        if value & lowest:
            result |= 1 << place
        mask &= mask - 1
        place += 1
    return result


def scatter_bits(value: int, mask: int) -> int:
    """Return the low bits of `value` moved to the places set in `mask`, in order."""
    result = 0
    while mask != 0:
        if value & 1:
            result |= mask & -mask
        value >>= 1
        mask &= mask - 1
    return result


def has_gather_instructions() -> bool:
    """Return whether Numba compiles for a processor that gathers and scatters bits quickly."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    features = numba.config.CPU_FEATURES  # type: ignore[attr-defined]
    if features is not None:
        return "+bmi2" in features
    # These two have the instructions, but slower than the loops above.
    slow = llvm.get_host_cpu_name() in ("znver1", "znver2")
    return bool(llvm.get_host_cpu_features().get("bmi2")) and not slow


def _compile_two_words(function: Callable[[int, int], int], instruction: Any) -> None:
    """Compile `function` to an instruction where there is one, and as it is written elsewhere."""

    def compile_(value: Any, mask: Any) -> Any:
        if has_gather_instructions():
            return lambda value, mask: instruction(value, mask)
        return function

    overload(function, strict=False)(compile_)


_compile_two_words(gather_bits, _gather_instruction)
_compile_two_words(scatter_bits, _scatter_instruction)
