"""`loadmaster live kubernetes`: looks at a Kubernetes, runs beside its scheduler, or is one of its schedulers."""

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.live_kubernetes import KubernetesOptions


@taking(KubernetesOptions)
def kubernetes(options: KubernetesOptions, as_json: o.AsJson = False) -> None:
    """Bind the pods of a running Kubernetes; start with --doctor, then --shadow.

    No bound pod is moved or deleted unless --moves, --budget or --preempt is given; at the end pods of ours wait on.
    """
    from functools import partial

    from loadmaster.cli.command_line import command_line
    from loadmaster.cli.live_queue import show_queue
    from loadmaster.cli.live_screen import Screen
    from loadmaster.verbs.live_kubernetes import kubernetes_with

    show_queue(kubernetes_with(options, partial(Screen, as_json=as_json), command_line()), as_json)
