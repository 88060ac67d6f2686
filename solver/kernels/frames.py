"""Small steps inside one frame: mills, edges and sums over the bits of a pattern."""

from __future__ import annotations

import numpy as np

from solver.kernels import step


@step
def mill_points(p, lines, first, last):  # type: ignore[no-untyped-def]
    """Return the stones of pattern `p` that stand in one of ``lines[first:last]``."""
    result = 0
    for number in range(first, last):
        line = np.int64(lines[np.uint64(number)])
        if (p & line) == line:
            result |= line
    return result


@step
def twice_mill_points(p, lines, first, last):  # type: ignore[no-untyped-def]
    """Return the stones of pattern `p` that stand in two or more of ``lines[first:last]``."""
    once = 0
    twice = 0
    for number in range(first, last):
        line = np.int64(lines[np.uint64(number)])
        if (p & line) == line:
            twice |= once & line
            once |= line
    return twice


@step
def fill_edge_parities(bit_edges, points, width, table):  # type: ignore[no-untyped-def]
    """Make two chunk tables whose XOR tells which edges have exactly one end in a pattern.

    Args:
        bit_edges: the edges at each point of the frame, as bits.
        points: points of the frame.
        width: bits per chunk; ``2 * width >= points``.
        table: out, int64, length ``2 << width``.
    """
    for chunk in range(2):
        start = chunk << width
        table[start] = 0
        filled = 1
        for bit in range(chunk * width, (chunk + 1) * width):
            edges = bit_edges[bit] if bit < points else 0
            before = table[start : start + filled]
            after = table[start + filled : start + 2 * filled]
            for entry in range(filled):
                after[entry] = before[entry] ^ edges
            filled *= 2


@step
def edge_parities(p, width, table):  # type: ignore[no-untyped-def]
    """Return the edges with exactly one end in `p`, as bits."""
    below = table[np.uint64(p & ((1 << width) - 1))]
    return below ^ table[np.uint64((1 << width) + (p >> width))]


@step
def fill_sums(terms, points, width, table):  # type: ignore[no-untyped-def]
    """Make two chunk tables of the sums of the terms of a pattern's bits; return the sum of all."""
    total = 0
    for chunk in range(2):
        start = chunk << width
        table[start] = 0
        filled = 1
        for bit in range(chunk * width, (chunk + 1) * width):
            term = np.int32(0)
            if bit < points:
                term = np.int32(terms[bit])
            before = table[start : start + filled]
            after = table[start + filled : start + 2 * filled]
            for entry in range(filled):
                after[entry] = before[entry] + term
            filled *= 2
            total += np.int64(term)
    return total


@step
def pattern_sum(p, width, table):  # type: ignore[no-untyped-def]
    """Return the sum of the terms of the bits of `p` (see :func:`fill_sums`)."""
    below = table[np.uint64(p & ((1 << width) - 1))]
    return np.int64(below) + np.int64(table[np.uint64((1 << width) + (p >> width))])


@step
def fill_open_lines(bit_lines, points, width, table):  # type: ignore[no-untyped-def]
    """Make two chunk tables whose OR tells which lines a set of empty points keeps open.

    Args:
        bit_lines: the lines through each point of the frame, as bits.
        points: points of the frame.
        width: bits per chunk; ``2 * width >= points``.
        table: out, of the same type, length ``2 << width``.
    """
    for chunk in range(2):
        start = chunk << width
        table[start] = 0
        filled = 1
        for bit in range(chunk * width, (chunk + 1) * width):
            lines = table[start]
            if bit < points:
                lines = bit_lines[bit]
            before = table[start : start + filled]
            after = table[start + filled : start + 2 * filled]
            for entry in range(filled):
                after[entry] = before[entry] | lines
            filled *= 2


@step
def open_lines(empty, width, table):  # type: ignore[no-untyped-def]
    """Return the lines with a point in `empty`, as bits; the others are filled."""
    below = table[np.uint64(empty & ((1 << width) - 1))]
    return np.int64(below) | np.int64(table[np.uint64((1 << width) + (empty >> width))])
