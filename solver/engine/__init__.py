"""The perfect player as an engine for other programs; :mod:`solver.engine.protocol` says how."""
