"""Positions found in tables of distances: puzzles by a filter, and the longest wins and losses."""
