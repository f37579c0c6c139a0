"""Many runs on the same jobs and hosts: each is made once, kept at once, and never made again.

A run is known by a key made from all that shapes its result, so a sweep that was interrupted goes on where it
stopped, and a sweep with one more policy runs only that policy.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from loadmaster import __version__
from loadmaster.runs.case import Case
from loadmaster.runs.outcome import Outcome
from loadmaster.runs.setting import Setting, discipline_of, policy_of, sources_of
from loadmaster.runs.store import Store
from loadmaster.runs.watch import Watch

Pool = Callable[[Case, Sequence[Setting], bool, Watch], Iterator[tuple[int, Outcome]]]
"""Makes runs: called with the case, the settings, whether to check each schedule, and who is to be told.

Yields (index in the settings, outcome) in the order in which the runs end.
"""


def sweep(
    case: Case,
    settings: Sequence[Setting],
    store: Store,
    pool: Pool,
    *,
    check: bool = False,
    watch: Watch | None = None,
) -> list[Outcome]:
    """The outcome of every setting, in their order; only those not yet in `store` are run.

    Raises:
        InputError: a setting names a policy or discipline that does not exist, or a host has a speed other than 1;
            nothing is run then.
    """
    told = watch or Watch()
    case.cluster.check_equal_speeds()
    for setting in settings:
        policy_of(setting, sources_of(setting))
        discipline_of(setting)
    keys = [key_of(case, setting, check=check) for setting in settings]
    done = store.get(sorted(set(keys)))
    todo = {key: setting for key, setting in zip(keys, settings, strict=True) if key not in done}
    told.begin(len(todo), len(done), case.workload.jobs)
    todo_keys = list(todo)
    for index, outcome in pool(case, list(todo.values()), check, told):
        store.put(todo_keys[index], outcome)
        done[todo_keys[index]] = outcome
        told.finished(index)
    return [
        replace(done[key], setting=setting, rejected=case.rejected.total)
        for key, setting in zip(keys, settings, strict=True)
    ]


def key_of(case: Case, setting: Setting, *, check: bool = False) -> str:
    """The name of a run: equal for runs that must come out alike, and only for those."""
    sources = {path: sha256(text.encode()).hexdigest() for path, text in sources_of(setting).items()}
    shaped_by = {
        "setting": setting.essential(),
        "sources": sources,
        "case": case.digest,
        "check": check,
        "version": __version__,
    }
    return sha256(json.dumps(shaped_by, sort_keys=True).encode()).hexdigest()
