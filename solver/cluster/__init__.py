"""Solving on several processes or machines: units as tasks of Dask (extra ``cluster``).

Every worker reads the tables a unit needs from a shared folder and writes those it solves there;
the scheduler moves nothing but names. :func:`solver.cluster.batch.build_on_cluster` is the batch,
:mod:`solver.cluster.solving` what a worker does, :mod:`solver.cluster.plugin` how Dask gets there,
and :mod:`solver.cluster.places` where the scheduler is. Nothing else of this package imports Dask.
"""
