"""`loadmaster live kubernetes`: looks at a Kubernetes, runs beside its scheduler, or is one of its schedulers."""

from pathlib import Path
from typing import Annotated

import typer

from loadmaster.cli import live_options as v
from loadmaster.cli import options as o

LEASE_S = 60.0
"""The lease lasts so long or three cycles, whichever is more."""


def kubernetes(
    policy: v.Policy = "mix-fit",
    discipline: v.Discipline = "easy",
    interval: v.Interval = "30s",
    shadow: v.Shadow = False,
    dry_run: v.DryRun = False,
    for_: v.For = "",
    max_starts: v.MaxStarts = None,
    namespace: Annotated[
        str, typer.Option(metavar="A,B,...", help="Only pods of these namespaces.", rich_help_panel=v.CONDUCT)
    ] = "",
    scheduler_name: Annotated[
        str, typer.Option(metavar="NAME", help="Pods with this schedulerName are ours.", rich_help_panel=v.CONDUCT)
    ] = "loadmaster",
    kubeconfig: Annotated[
        Path | None, typer.Option(metavar="FILE", help="As kubectl takes it; else KUBECONFIG or the pod's own account.")
    ] = None,
    context: Annotated[str, typer.Option(metavar="NAME", help="Of the kubeconfig; else its current one.")] = "",
    lease_namespace: Annotated[
        str, typer.Option(metavar="NAME", help="Where the Lease is that keeps a second loadmaster away.")
    ] = "kube-system",
    doctor: Annotated[
        bool, typer.Option("--doctor", help="Only look: rights, version, latency, what is left out.")
    ] = False,
    seed: o.Seed = 0,
    metrics: v.MetricsPort = None,
    out: v.Out = Path("live"),
    as_json: o.AsJson = False,
) -> None:
    """Bind the pods of a running Kubernetes; start with --doctor, then --shadow.

    A bound pod is never unbound, moved or deleted; at the end pods that wait for us wait on.

    Examples: live kubernetes --doctor; live kubernetes --shadow --for 1h -o beside; live kubernetes --max-starts 5.
    """
    from loadmaster.cli.live_findings import show
    from loadmaster.cli.run_options import split
    from loadmaster.live.clocks import RealClock
    from loadmaster.live.kubernetes.api import Api
    from loadmaster.live.kubernetes.doctor import examine
    from loadmaster.live.kubernetes.engine import KubernetesEngine
    from loadmaster.runs import Setting

    how = v.conduct(interval, shadow, dry_run, for_, max_starts, "hold", "keep")
    names = split(namespace)
    api = Api(kubeconfig, context)
    if doctor:
        show("doctor", examine(api, scheduler_name, names, lease_namespace), as_json)
        return
    setting = Setting(policy, discipline, interval_s=how.interval_s, seed=seed)
    engine = KubernetesEngine(
        api, scheduler_name, looks_on=not how.acts, everyone=how.mode == "shadow", namespaces=names,
        lease_namespace=lease_namespace, lease_s=max(LEASE_S, 3 * how.interval_s),
    )  # fmt: skip
    v.drive(engine, RealClock(), setting, how, out, as_json=as_json, metrics=metrics)
