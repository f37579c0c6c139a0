"""Notes that the user must read on jobs, machines and rules, before a run and beside its result."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loadmaster.model.arrays import Floats
    from loadmaster.runs import Case, Setting
    from loadmaster.sizing import HostType, Sizer


def noting(case: "Case", *specs: str, models: Sequence[str] = ()) -> "Case":
    """`case` with what must be said of the user's own functions among placement policies and sharing models."""
    from loadmaster.scheduling.meta_rules import remarks_on
    from loadmaster.sharing.load import remarks_on_models

    return replace(case, notes=(*case.notes, *remarks_on(*specs), *remarks_on_models(*models)))


def noting_runs(case: "Case", settings: "Sequence[Setting]") -> "Case":
    """`case` with what must be said of the rules that are to run on it."""
    from loadmaster.rules.in_process import in_process_notes
    from loadmaster.runs import discipline_of, sources_of

    case = noting(case, *(spec for setting in settings for spec in (setting.policy, *setting.members)))
    notes: dict[str, None] = {}
    named: dict[str, dict[str, None]] = {}
    for setting in settings:
        discipline = discipline_of(setting, sources_of(setting))
        for note in discipline.notes:
            named.setdefault(note, {})[discipline.name or discipline.order.name] = None
        notes |= dict.fromkeys(setting.estimate_model.notes)
        tell = getattr(discipline.order, "notes", None)  # a class of the user's own need not have it
        notes |= dict.fromkeys(tell(case.workload, case.cluster) if tell is not None else ())
    notes |= dict.fromkeys(in_process_notes([path for setting in settings for path in setting.in_process]))
    shared = (f"{', '.join(names)}: {note}" for note, names in named.items())
    return replace(case, notes=(*case.notes, *shared, *notes))


def refuse_distributed(settings: "Sequence[Setting]") -> None:
    """Refuse to send rules of this process to workers: they have one state, which stays here.

    Raises:
        InputError: a setting has such a rule.
    """
    from loadmaster.rules.in_process import refuse_lost

    for setting in settings:
        for path in setting.in_process:
            refuse_lost(path, "a Dask cluster", fix="leave --on out, or write a rule without state in a file")


def remarks(case: "Case") -> list[str]:
    """What was left out, what was assumed, and whether the data is synthetic; one sentence each."""
    sentences = list(case.notes)
    if case.workload.synthetic and not any("synthetic" in note for note in sentences):
        sentences.append("This log is synthetic.")
    return sentences + case.skipped.sentences("line") + case.rejected.sentences("job")


def warn_of_plain(case: "Case", settings: "Sequence[Setting]") -> None:
    """Say on stderr which of the runs only the plain engine can make, and how fast the first of each discipline begins.

    Raises:
        InputError: a rule of the user's own fails on the first jobs.
    """
    from loadmaster.report.console import for_notes
    from loadmaster.runs import discipline_of, policy_of, sources_of
    from loadmaster.runs.plain_engine_rate import jobs_a_second, shown_pace
    from loadmaster.scheduling.resolved_constraints import binds
    from loadmaster.sim.queue.simulation import is_compiled

    bound = binds(case.workload, case.cluster)
    tried: set[str] = set()
    for setting in settings:
        if setting.in_process:
            continue  # a trial would change its state
        texts = sources_of(setting)
        rules = policy_of(setting, texts), discipline_of(setting, texts)
        compiled = is_compiled(case.workload, case.cluster, *rules, setting.estimate_model)
        if setting.discipline in tried or compiled:
            continue
        tried.add(setting.discipline)
        rate = jobs_a_second(case, setting, texts)
        if rate is not None:
            text = (
                f"{setting.policy} under {setting.discipline}: not compiled, about {shown_pace(rate)} jobs a second "
                "at first"
            )
            less = "--limit reads fewer" + (", --ignore all without what binds them" if bound else "")
            for_notes().print(f"{text} ({case.workload.jobs:,} jobs; {less})", style="yellow")


def warn_of_plain_sizers(sizers: "Sequence[Sizer]", durations: "Floats", types: "tuple[HostType, ...]") -> None:
    """Say on stderr which sizers only the plain engine can run, where that takes a while, and how fast it is."""
    import time

    from loadmaster.report.console import for_notes
    from loadmaster.report.progress import QUIET_S
    from loadmaster.sim.bags.repetitions import repeat
    from loadmaster.sizing.own import OwnSizer

    for sizer in sizers:
        if type(sizer) is OwnSizer:
            began_s = time.perf_counter()
            repeat(durations[:1], sizer, types)
            took_s = max(time.perf_counter() - began_s, 1e-9)
            if took_s * len(durations) > QUIET_S:
                text = f"{sizer.name}: not compiled, about {1 / took_s:,.2g} bags of {len(durations)} a second"
                for_notes().print(text, style="yellow")
