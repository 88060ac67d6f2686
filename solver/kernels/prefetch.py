"""Asking for memory before it is needed, so that the wait for it overlaps with other work."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

_FOR_READING, _FOR_WRITING = 0, 1
_KEEP_CLOSE = 3
_DATA = 1


def _prefetch_instruction(purpose: int) -> Any:
    """Return the intrinsic of a prefetch for reading or writing."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_type, _ = signature.args
        data = context.make_array(array_type)(context, builder, arguments[0]).data
        address = builder.gep(data, [arguments[1]])
        number = ir.IntType(32)
        function = builder.module.declare_intrinsic(
            "llvm.prefetch",
            [address.type],
            ir.FunctionType(ir.VoidType(), [address.type, number, number, number]),
        )
        hints = [number(hint) for hint in (purpose, _KEEP_CLOSE, _DATA)]
        builder.call(function, [address, *hints])
        return context.get_dummy_value()

    @intrinsic  # type: ignore[untyped-decorator]
    def instruction(typing_context: Any, array: Any, index: Any) -> Any:
        return types.void(array, types.int64), generate

    return instruction


_prefetch_for_reading = _prefetch_instruction(_FOR_READING)
_prefetch_for_writing = _prefetch_instruction(_FOR_WRITING)


def prefetch_to_read(array: Any, index: int) -> None:
    """Ask for the cache line of ``array[index]``; `index` may be beyond the end."""


def prefetch_to_write(array: Any, index: int) -> None:
    """Ask for the cache line of ``array[index]`` to write to it; it may be beyond the end."""


@overload(prefetch_to_read, strict=False)  # type: ignore[untyped-decorator]
def _compile_prefetch_to_read(array: Any, index: Any) -> Any:
    return lambda array, index: _prefetch_for_reading(array, index)


@overload(prefetch_to_write, strict=False)  # type: ignore[untyped-decorator]
def _compile_prefetch_to_write(array: Any, index: Any) -> Any:
    return lambda array, index: _prefetch_for_writing(array, index)
