"""What a job of Slurm's accounting counts with, all of one side: what it requested, or what it was given."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.gres import GPU, GpuRequest, first_amount, gpu_models_in, gpus_in
from loadmaster.traces.slurm_fields import job_memory, tracked, tracked_memory, whole_numbers
from loadmaster.traces.submit_line import SubmitOptions
from loadmaster.traces.values import Values, words

_NO_GPUS = r"(?:^|,)(?:billing|cpu|energy|mem|node)=[^,]*"
_ASKED = ("reqtres", "reqgres", "tresperjob", "trespernode", "trespertask", "trespersocket")
WHOLE_HOSTS = ("no", "exclusive")
"""What OverSubscribe says of a job that shares its hosts with no other."""


class Demand(NamedTuple):
    """What jobs count with, and the choices that are to be told.

    Attributes:
        cores: float64[N], of the whole job.
        memory: bytes of the whole job.
        gpus: float64[N], of the whole job.
        as_given: it had whole hosts, so it counts with what it was given, which is not what it requested.
        given_more: it was given more cores than it requested, and counts with those that it requested.
        untracked: its GPUs stand in no TRES.
    """

    cores: Floats
    memory: Values
    gpus: Floats
    as_given: Bools
    given_more: Bools
    untracked: Bools


def demand_of(frame: pl.DataFrame, count: Floats, lines: Sequence[SubmitOptions]) -> Demand:
    """Cores, memory and GPUs of the jobs of `frame`.

    They are those requested; of a job with whole hosts, those given. A job had whole hosts if it says so, or if it was
    given GPUs that it did not request. What one side does not say is taken from the other.

    Args:
        frame: all cells as text, under the names of `sacct` in lower case.
        count: float64[N], nodes of each job.
        lines: what the command line of each job says; () where the log has none.
    """
    requested = first_amount(whole_numbers(frame, "reqcpus"), tracked(frame, "reqtres", "cpu"))
    given = first_amount(
        whole_numbers(frame, "ncpus"), whole_numbers(frame, "alloccpus"), tracked(frame, "alloctres", "cpu")
    )
    tres = _gpus(frame, "reqtres")
    asked_gpus = first_amount(tres, _untracked_gpus(frame, count, lines), _gpus(frame, "reqgres") * count)
    allocated = _gpus(frame, "alloctres")
    given_gpus = first_amount(allocated, _gpus(frame, "gresdetail"), _gpus(frame, "allocgres") * count)
    whole = (given > 0) & (_says_whole_hosts(frame, lines) | ((requested > 0) & (given_gpus > asked_gpus)))
    cores = np.where(whole, given, first_amount(requested, given))
    memory, held = job_memory(frame, cores, count), tracked_memory(frame, "alloctres")
    held = np.where(whole & (held > 0), np.floor(held), memory.values)
    gpus = np.where(whole, first_amount(given_gpus, asked_gpus), first_amount(asked_gpus, given_gpus))
    return Demand(
        cores,
        Values(held, ~memory.bad & (held <= 0), memory.bad),
        gpus,
        whole & (requested > 0) & (given > requested),
        ~whole & (requested > 0) & (given > requested),
        (gpus > 0) & (tres <= 0) & (allocated <= 0),
    )


def gpu_kind(frame: pl.DataFrame, lines: Sequence[SubmitOptions] = ()) -> pl.Series:
    """Of each job the models of its GPUs, joined by commas: those it was given, else those it requests; null for none.

    Args:
        frame: all cells as text, under the names of `sacct` in lower case.
        lines: what the command line of each job says; () where the log has none.
    """
    return _models(frame, ("alloctres", "allocgres", "gresdetail")).fill_null(models_asked_for(frame, lines))


def models_asked_for(frame: pl.DataFrame, lines: Sequence[SubmitOptions]) -> pl.Series:
    """Of each job the models of GPUs that it requests, joined by commas, by its columns, else by its command line."""
    models = _models(frame, _ASKED)
    if not lines:
        return models
    return models.fill_null(pl.Series([line.gpu_models or None for line in lines], dtype=pl.String))


def _models(frame: pl.DataFrame, names: Sequence[str]) -> pl.Series:
    """Of each row the models in the first of these columns that names one, joined by commas; null for none."""
    kinds = pl.Series([None], dtype=pl.String).new_from_index(0, frame.height)
    for name in names:
        if name in frame.columns:
            text = words(frame[name])
            some = text.filter(text.str.contains(GPU, literal=True)).unique().to_list()
            by_text = {each: ",".join(sorted(models)) for each in some if (models := gpu_models_in(each))}
            kinds = kinds.fill_null(text.replace_strict(by_text, default=None, return_dtype=pl.String))
    return kinds


def _gpus(frame: pl.DataFrame, name: str) -> Floats:
    """float64[N]: GPUs in a list of TRES or of generic resources."""
    if name not in frame.columns:
        return np.zeros(frame.height)
    text = words(frame[name]).str.replace_all(_NO_GPUS, "")  # few texts are left, so that each is looked at once
    some = text.filter(text.str.contains(GPU, literal=True)).unique().to_list()
    gpus_by_text = {each: float(gpus_in(each)) for each in some}
    return np.asarray(text.replace_strict(gpus_by_text, default=0.0, return_dtype=pl.Float64).fill_null(0.0).to_numpy())


def _untracked_gpus(frame: pl.DataFrame, count: Floats, lines: Sequence[SubmitOptions]) -> Floats:
    """float64[N]: GPUs requested for the job, else for each node, task or socket; columns before command lines."""
    columns = GpuRequest(
        _gpus(frame, "tresperjob"),
        _gpus(frame, "trespernode"),
        _gpus(frame, "trespertask"),
        _gpus(frame, "trespersocket"),
        whole_numbers(frame, "ntasks"),
        np.zeros(frame.height),
        whole_numbers(frame, "socketspernode"),
    )
    said = GpuRequest(*np.array([line.gpus for line in lines], float).T) if lines else GpuRequest()
    return GpuRequest(*(first_amount(*both) for both in zip(columns, said, strict=True))).total(count)


def _says_whole_hosts(frame: pl.DataFrame, lines: Sequence[SubmitOptions]) -> Bools:
    """bool[N]: the job shares its hosts with no other, by its command line or by OverSubscribe."""
    whole = np.array([line.exclusive > 0 for line in lines]) if lines else np.zeros(frame.height, dtype=bool)
    if "oversubscribe" in frame.columns:
        shares = words(frame["oversubscribe"]).str.to_lowercase()
        whole |= shares.is_in(WHOLE_HOSTS).fill_null(value=False).to_numpy()
    return whole
