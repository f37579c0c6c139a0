"""`live kubernetes`: checks a Kubernetes, runs beside its scheduler, or is one of its schedulers."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from loadmaster.verbs.live_drive import LiveRun, Screen, drive, quiet, scheduler_of
from loadmaster.verbs.live_options import CONDUCT, QueueOptions
from loadmaster.verbs.live_result import Lived, Looked
from loadmaster.verbs.option import Option
from loadmaster.verbs.rules import Discipline
from loadmaster.verbs.unused_options import refuse_all_but

if TYPE_CHECKING:
    from loadmaster.live.kubernetes.engine import KubernetesEngine
    from loadmaster.live.queue.settings import LiveSettings

LEASE_S = 60.0
"""The lease lasts so long or three cycles, whichever is more."""
AGAIN_S = 5.0
"""Seconds between two requests of a standby for the lease."""
LOOKS = (
    "doctor", "config", "namespace", "scheduler_name", "kubeconfig", "context", "lease_namespace", "moves", "budget",
    "preempt",
)  # fmt: skip
"""What `--doctor` looks at."""
OF_REPLICAS = (
    "out",
    "standby",
    "kubeconfig",
    "context",
    "metrics",
    "metrics_host",
    "metrics_token",
    "config",
    "print_",
)
"""Options that a replica in the cluster is given beside its file, or has no use for."""


@dataclass(frozen=True, kw_only=True)
class KubernetesOptions(QueueOptions):
    """All that a run on Kubernetes can be told."""

    discipline: Annotated[
        Discipline,
        Option("Queue discipline; the order priority uses PriorityClass.", metavar="DISCIPLINE", typed=str, rule=True),
    ] = "priority+easy"
    namespace: Annotated[
        str | Sequence[str],
        Option("Schedule pods of these namespaces only.", metavar="A,B,...", panel=CONDUCT, typed=str),
    ] = ""
    scheduler_name: Annotated[str, Option("Schedule pods with this schedulerName.", metavar="NAME", panel=CONDUCT)] = (
        "loadmaster"
    )
    kubeconfig: Annotated[
        "str | Path | None",
        Option(
            "Kubeconfig, as for kubectl; else KUBECONFIG or the pod's service account.",
            metavar="FILE",
            typed=Path | None,
        ),
    ] = None
    context: Annotated[str, Option("Context of the kubeconfig; else its current one.", metavar="NAME")] = ""
    lease_namespace: Annotated[
        str, Option("Namespace of the Lease, which stops a second loadmaster.", metavar="NAME")
    ] = "kube-system"
    standby: Annotated[bool, Option("Wait while another loadmaster has the Lease, then take over.")] = False
    moves: Annotated[
        int | None, Option("Evict up to N pods an hour for one that waits.", metavar="N", panel=CONDUCT, least=1)
    ] = None
    budget: Annotated[
        str | None, Option("Or evict pods with up to this much memory an hour.", metavar="SIZE", panel=CONDUCT)
    ] = None
    preempt: Annotated[bool, Option("Evict pods of lower priority for one that waits.", panel=CONDUCT)] = False
    doctor: Annotated[bool, Option("Only check: rights, version, latency, pods left out.", in_file=False)] = False
    print_: Annotated[
        Literal["deployment", "config", "dashboard", "alerts"] | None,
        Option(
            "Print objects for kubectl apply, a file for --config, a dashboard for Grafana, or alerting rules.",
            flags=("--print",),
            in_file=False,
        ),
    ] = None  # type: ignore[assignment]

    def printed(self) -> str:
        """As for every queue; also the objects that run it in the cluster, where each replica finds its own place."""
        if self.print_ != "deployment":
            return super().printed()
        from loadmaster.live.kubernetes.deployment import deployment_text
        from loadmaster.model import InputError
        from loadmaster.verbs.live_config import config_text

        self.check_run()
        if self.shadow or self.dry_run:
            rule = "the second replica waits for the Lease, which --shadow and --dry-run do not take"
            raise InputError("--print deployment", rule, fix="leave them out")
        names = [name for name in (*self.given, *self.configured) if name not in OF_REPLICAS]
        config = config_text(type(self), {name: getattr(self, name) for name in names})
        evicts = self.preempt or self.moves is not None or self.budget is not None
        return deployment_text(config, self.lease_namespace, evicts=evicts)

    def check_run(self) -> None:
        """As for every queue, and see that the budget of moves can be read."""
        from loadmaster.live.session.disruption import MoveBudget

        super().check_run()
        MoveBudget.of(self.moves, self.budget)


def kubernetes_with(options: KubernetesOptions, screen: Screen = quiet, command: str = "") -> Lived | Looked:
    """Bind the pods of a running Kubernetes, or look at it.

    Raises:
        InputError: no Kubernetes here, an option changes nothing, or another loadmaster has the lease.
    """
    from functools import partial

    from loadmaster.live.kubernetes.api import Api
    from loadmaster.live.kubernetes.descheduler import Descheduler
    from loadmaster.live.kubernetes.doctor import examine
    from loadmaster.live.kubernetes.engine import OWN, KubernetesEngine
    from loadmaster.live.kubernetes.lease import LeaseTerms
    from loadmaster.live.kubernetes.pod_reasons import with_reasons
    from loadmaster.live.kubernetes.pods import PodScope
    from loadmaster.live.kubernetes.preemption import Preemptor, both
    from loadmaster.live.queue.decider import LiveExtras
    from loadmaster.live.queue.metrics import MetricsServer
    from loadmaster.live.queue.warmup import compile_for
    from loadmaster.live.session.clocks import RealClock
    from loadmaster.live.session.disruption import MoveBudget
    from loadmaster.live.session.finding import Finding
    from loadmaster.live.session.termination import Terminated, as_ctrl_c
    from loadmaster.model import InputError
    from loadmaster.report.log_lines import LogLines
    from loadmaster.verbs.run_options import split

    if text := options.printed():
        return Looked("print", text=text)
    if options.doctor:
        refuse_all_but(options, LOOKS, "--doctor only looks")
    how = options.live_settings("hold", "keep")
    move_budget, preempt = MoveBudget.of(options.moves, options.budget), options.preempt
    given = {name for name in options.given if getattr(options, name)}
    for names, words, rule in (
        ({"moves", "budget"}, "--moves or --budget", "--shadow and --dry-run move nothing"),
        ({"preempt"}, "--preempt", "--shadow and --dry-run evict no pod"),
        ({"standby"}, "--standby", "--shadow and --dry-run take no lease"),
    ):
        if names & given and not how.acts:
            raise InputError(words, rule, fix="leave it out")
    scope = PodScope(options.scheduler_name, tuple(split(options.namespace)), everyone=how.mode == "shadow")
    lease = LeaseTerms(options.lease_namespace, max(LEASE_S, 3 * how.interval_s))
    api = Api(None if options.kubeconfig is None else Path(options.kubeconfig), options.context)
    if options.doctor:
        moving = move_budget is not None or preempt
        findings = examine(api, scope, options.lease_namespace, moves=moving)
        return Looked("doctor", (*options.config_findings(), *findings))
    setting = options.setting(how)
    scheduler = scheduler_of(setting)
    say = LogLines(options.log_format, sys.stderr).write

    def made(*, looks_on: bool, watch: bool = True, say: Callable[[str], None] = say) -> KubernetesEngine:
        return KubernetesEngine(api, scope, lease, looks_on=looks_on, watch=watch, say=say)

    def compiled() -> None:
        """Compile before the Lease is taken: no other loadmaster decides while we hold it."""
        compile_for(scheduler, made(looks_on=True, watch=False, say=lambda _: None).observe(), long_queues=True)

    try:
        with as_ctrl_c(), MetricsServer(*options.served_at()):  # a replica that stands by is alive as well
            engine = _engine_with_lease(compiled, partial(made, looks_on=not how.acts), options, how, say)
    except Terminated:
        return Looked("stopped", (Finding("ok", "stopped before it got the Lease: no pod was bound"),))
    if engine is None:
        return Looked("standby", (Finding("ok", "its time is over; another loadmaster held the Lease until then"),))
    moving_them = None if move_budget is None else Descheduler(engine, move_budget, say)
    beside = both(Preemptor(engine, say), moving_them) if preempt else moving_them
    extras = LiveExtras(beside=with_reasons(beside, engine.waits) if how.acts else None, ready=True)
    run = LiveRun(
        options.about(command),
        screen,
        extras,
        metrics=options.served_at(),
        alert=options.alert_command(),
        site=OWN,
        scheduler=scheduler,
    )
    return drive(engine, RealClock(), setting, how, options.folder, run)


def _engine_with_lease(
    compiled: Callable[[], None],
    make_engine: "Callable[[], KubernetesEngine]",
    options: KubernetesOptions,
    how: "LiveSettings",
    say: Callable[[str], None],
) -> "KubernetesEngine | None":
    """The engine, with the Lease where the run acts; None of a standby whose time is over before it had it."""
    from loadmaster.live.kubernetes.lease import when_free

    if not how.acts:
        return make_engine()
    if not options.standby:
        compiled()
        return make_engine()
    end_s = time.time() + how.for_s

    def over() -> bool:
        return time.time() >= end_s

    def pause() -> None:
        time.sleep(max(0.0, min(AGAIN_S, end_s - time.time())))

    when_free(compiled, pause, say, over)
    return None if over() else when_free(make_engine, pause, say, over)
