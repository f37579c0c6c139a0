"""`loadmaster live kubernetes`: checks a Kubernetes, runs beside its scheduler, or is one of its schedulers."""

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.live_kubernetes import KubernetesOptions


@taking(KubernetesOptions)
def kubernetes(options: KubernetesOptions, as_json: o.AsJson = False) -> None:
    """Bind the pods of a running Kubernetes; start with --doctor, then --shadow.

    No bound pod is moved or deleted unless --moves, --budget or --preempt is given. At the end, waiting pods go on
    waiting.
    """
    from loadmaster.cli.command_line import command_line
    from loadmaster.cli.live_queue import show_queue
    from loadmaster.cli.live_screen import screen_of
    from loadmaster.verbs.live_kubernetes import kubernetes_with

    result = kubernetes_with(options, screen_of(options, as_json), command_line())
    show_queue(result, as_json, options.log_format)
