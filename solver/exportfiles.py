"""The files that exported positions are written to: NumPy's own format, and Parquet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from types import TracebackType
from typing import Any, BinaryIO, Final, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from solver.errors import UsageError
from solver.extras import import_extra

__all__ = ["FORMATS", "Format", "RowWriter", "Rows", "check_format", "file_bytes", "open_writer"]

Format = Literal["npy", "parquet"]
Rows = npt.NDArray[Any]
"""A structured array, one entry for each position."""

FORMATS: Final[tuple[Format, ...]] = get_args(Format)

METADATA_KEY: Final = "morris-solver"
"""Under which a Parquet file has the record of what it holds, as JSON."""
GROUP_ROWS: Final = 1 << 20
"""Rows of a row group."""

_PARQUET_BYTES: Final = 1 << 14  # more than what is not in a row group
_PARQUET_ROW_BYTES: Final = 4
"""Of neighbouring rows. Measured: 0.8 in sector 7-3 of ``nine``, 1.9 in 5-5, 2.6 in 5-5+4-4."""


class RowWriter(Protocol):
    """What writes rows to a file, a part of them at a time. A context manager."""

    def __enter__(self) -> RowWriter: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def write(self, rows: Rows) -> None:
        """Write some more rows."""


def open_writer(
    file_format: str,
    file: BinaryIO,
    dtype: np.dtype[Any],
    rows: int,
    constants: Mapping[str, int],
    record: Mapping[str, object],
    meanings: Mapping[str, str],
) -> RowWriter:
    """Return what writes rows in a format.

    Args:
        file_format: one of :data:`FORMATS`.
        file: where to; open, and empty.
        dtype: of the rows.
        rows: how many there will be.
        constants: columns that hold one number throughout, for a format where they cost nothing.
        record: what the file holds, for a format that has room for it.
        meanings: of the columns, the same.

    Raises:
        UsageError: there is no such format, or a package that it needs is not installed.
    """
    check_format(file_format)
    if file_format == "npy":
        return _NpyWriter(file, dtype, rows)
    return _ParquetWriter(file, dtype, constants, record, meanings)


def check_format(file_format: str) -> None:
    """Refuse a format that cannot be written here.

    Raises:
        UsageError: there is no such format, or a package that it needs is not installed.
    """
    if file_format not in FORMATS:
        raise UsageError(f"the formats are {' and '.join(FORMATS)}, not {file_format!r}")
    if file_format == "parquet":
        _import_pyarrow()


def file_bytes(file_format: str, dtype: np.dtype[Any], rows: int, *, sparse: bool = False) -> int:
    """Return the bytes that a file takes.

    Args:
        file_format: one of :data:`FORMATS`.
        dtype: of the rows.
        rows: how many.
        sparse: whether they are a few out of many.

    Returns:
        Of an npy file exactly those it will have; of Parquet about as many, rather too many.
    """
    if file_format == "npy":
        return len(_npy_header(dtype, rows)) + rows * dtype.itemsize
    return _PARQUET_BYTES + rows * (dtype.itemsize if sparse else _PARQUET_ROW_BYTES)


def _npy_header(dtype: np.dtype[Any], rows: int) -> bytes:
    """Return what an npy file begins with."""
    file = BytesIO()
    np.lib.format.write_array_header_1_0(
        file,
        {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (rows,)},
    )
    return file.getvalue()


class _NpyWriter:
    """Writes one structured array, which ``numpy.load`` reads, or maps into memory."""

    def __init__(self, file: BinaryIO, dtype: np.dtype[Any], rows: int) -> None:
        self._file = file
        self._dtype = dtype
        self._left = rows
        file.write(_npy_header(dtype, rows))

    def __enter__(self) -> _NpyWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None and self._left:
            raise ValueError(f"{self._left} rows are missing of those the file was opened for")

    def write(self, rows: Rows) -> None:
        """See :class:`RowWriter`."""
        self._left -= len(rows)
        self._file.write(np.ascontiguousarray(rows, dtype=self._dtype).data)


class _ParquetWriter:
    """Writes row groups, each column compressed by itself."""

    def __init__(
        self,
        file: BinaryIO,
        dtype: np.dtype[Any],
        constants: Mapping[str, int],
        record: Mapping[str, object],
        meanings: Mapping[str, str],
    ) -> None:
        self._arrow, parquet = _import_pyarrow()
        self._dtype = dtype
        self._constants = constants
        names = dtype.names or ()
        types = {name: dtype[name] for name in names} | dict.fromkeys(constants, np.dtype(np.int8))
        fields = [
            self._arrow.field(
                name,
                self._arrow.from_numpy_dtype(kind),
                nullable=False,
                metadata={"meaning": meanings[name]},
            )
            for name, kind in types.items()
        ]
        self._schema = self._arrow.schema(fields, metadata={METADATA_KEY: json.dumps(record)})
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._waiting: list[Rows] = []
        self._rows = 0

    def __enter__(self) -> _ParquetWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._flush()
        self._writer.close()

    def write(self, rows: Rows) -> None:
        """See :class:`RowWriter`."""
        self._waiting.append(rows)
        self._rows += len(rows)
        if self._rows >= GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        """Write what waits as a row group."""
        if not self._rows:
            return
        rows = np.concatenate(self._waiting)
        columns = {name: np.ascontiguousarray(rows[name]) for name in self._dtype.names or ()}
        columns |= {
            name: np.full(self._rows, number, dtype=np.int8)
            for name, number in self._constants.items()
        }
        table = self._arrow.table(columns, schema=self._schema)
        self._writer.write_table(table, row_group_size=self._rows)
        self._waiting, self._rows = [], 0


def _import_pyarrow() -> tuple[Any, Any]:
    """Return the packages that write Parquet.

    Raises:
        MissingPackageError: they are not installed.
    """
    purpose = "writing Parquet"
    return (
        import_extra("pyarrow", "parquet", purpose),
        import_extra("pyarrow.parquet", "parquet", purpose),
    )
