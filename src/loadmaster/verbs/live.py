"""`live`: the scheduler that was simulated on a real cluster. A new engine is one line here."""

from collections.abc import Callable
from typing import Any, NamedTuple

from loadmaster.verbs.live_cgroup import CgroupOptions, cgroup_with
from loadmaster.verbs.live_fake import FakeOptions, fake_with
from loadmaster.verbs.live_kubernetes import KubernetesOptions, kubernetes_with
from loadmaster.verbs.live_libvirt import LibvirtOptions, libvirt_with
from loadmaster.verbs.live_result import Lived, Looked
from loadmaster.verbs.live_slurm import SlurmOptions, slurm_with
from loadmaster.verbs.option import Options


class KnownEngine(NamedTuple):
    """An engine: its options, and what runs on it by them."""

    options: type[Options]
    work: Callable[..., Lived | Looked]


ENGINES = {
    "fake": KnownEngine(FakeOptions, fake_with), "slurm": KnownEngine(SlurmOptions, slurm_with),
    "kubernetes": KnownEngine(KubernetesOptions, kubernetes_with), "cgroup": KnownEngine(CgroupOptions, cgroup_with),
    "libvirt": KnownEngine(LibvirtOptions, libvirt_with),
}  # fmt: skip
"""Every engine by its name on the command line."""


def run(engine: str, *args: Any, **options: Any) -> Lived | Looked:
    """Run the scheduler that was simulated on a cluster, or look at that; Ctrl-C ends a run as its `for_` does.

    Args:
        engine: `fake`, `slurm`, `kubernetes`, `cgroup` or `libvirt`.
        args: what stands without a flag on the command line: a log, a file of commands, hosts.
        options: those of the command line, with `_` for `-`; `for_` is `--for`, `print_` is `--print`.

    Returns:
        The result of the run, with its record in `folder`; or the findings of a look such as `doctor=True`.

    Raises:
        InputError: there is no such engine, it cannot be driven, or an option changes nothing.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made = run("fake", limit=5, out=folder)
        ...     made.ended, made.figures["starts"] > 0
        ('done', True)
    """
    from loadmaster.rules.near import pick

    engine_run = pick(engine, ENGINES, what="engine", see=f"known: {', '.join(ENGINES)}")
    given: Any = engine_run.options
    chosen = given(*args, **options)
    first, _, rest = chosen.call("live.run").partition("(")
    comma = ", " if rest != ")" else ""
    return engine_run.work(chosen, command=f"{first}({engine!r}{comma}{rest}")
