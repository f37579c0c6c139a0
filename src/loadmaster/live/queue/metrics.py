"""Metrics of a live run as text for Prometheus; beyond loopback only with a token."""

import hmac
import ipaddress
import re
import socket
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import isfinite
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np

from loadmaster.live.queue.stranded_capacity import free_in
from loadmaster.live.session.engine import Kind
from loadmaster.model.errors import InputError
from loadmaster.model.units import CORES, GPUS, MEMORY

if TYPE_CHECKING:
    from loadmaster.live.queue.ledger import Ledger
    from loadmaster.live.queue.listing import Listing
    from loadmaster.live.queue.record import CycleDecision
    from loadmaster.live.session.report import Report
    from loadmaster.runs.interim_waits import InterimWaits

OF_CYCLE: dict[str, tuple[str, Callable[["Ledger", "Report"], float]]] = {
    "cycles_total": ("Cycles that saw an observation.", lambda _, report: report.cycles),
    "missed_cycles_total": ("Cycles missed, since an earlier cycle took too long.", lambda _, report: report.missed),
    "skipped_cycles_total": ("Cycles without a decision.", lambda _, report: report.skipped),
    "starts_total": ("Jobs started by loadmaster.", lambda _, report: report.starts),
    "foreign_total": ("Jobs started or released by others.", lambda _, report: report.foreign),
    "queue_jobs": ("Jobs that may start now.", lambda ledger, _: len(ledger.waiting.rows)),
    "running_jobs": ("Jobs that run.", lambda ledger, _: sum(run.running for run in ledger.runs.values())),
    "claimed_jobs": (
        "Jobs asked to start that do not run yet.",
        lambda ledger, _: sum(not run.running for run in ledger.runs.values()),
    ),
    "left_out_jobs": (
        "Jobs that are left out: held, waiting for other jobs, or never able to run here.",
        lambda _, report: len(report.left_out),
    ),
    "lost_jobs_total": ("Jobs that the engine lost.", lambda _, report: len(report.lost)),
    "cycle_duration_seconds": (
        "Time that the last cycle took to decide and send its actions.",
        lambda _, report: report.cycle_s,
    ),
    "fallback_cycles_total": (
        "Cycles in which first-fit decided, as the rule failed.",
        lambda _, report: report.fallbacks,
    ),
}
"""Figures of a cycle, by name: what each is, and how it is had."""
OF_SHADOW: dict[str, tuple[str, Callable[["InterimWaits"], float | None]]] = {
    "shadow_site_mean_wait_seconds": ("Mean wait at the site so far.", lambda waits: waits.site_wait_s),
    "shadow_own_mean_wait_seconds": (
        "Mean wait of the same jobs so far in a simulated queue under this rule.",
        lambda waits: waits.own_wait_s,
    ),
    "shadow_model_mean_wait_seconds": (
        "Mean wait of the same jobs so far in a simulated queue under the site's own rule.",
        lambda waits: waits.model_wait_s,
    ),
    "shadow_model_error_ratio": (
        "The model's wait over the site's, less 1: a smaller gain is no evidence.",
        lambda waits: waits.error,
    ),
    "shadow_jobs": ("Jobs in these means.", lambda waits: waits.jobs),
    "shadow_open_jobs": (
        "Jobs in these means that still wait or run, at the site or in the simulated queue.",
        lambda waits: waits.open,
    ),
}
"""Figures of a shadow, by name; what is not known is left out."""
OF_HOSTS = {CORES: "cores", MEMORY: "memory_bytes", GPUS: "gpus"}
"""Resources of which capacity and free amounts are served, with their units as Prometheus has them."""
_REFUSALS = {
    401: b"the token of --metrics-token is missing\n",
    403: b"without a token only requests to 127.0.0.1 or localhost are answered\n",
    404: b"only /metrics and /healthz are here\n",
    503: b"stalled\n",
}
STALLED_S = 60.0
"""A run that did nothing for so long and three intervals is not alive (`/healthz`)."""
LOOPBACK = "127.0.0.1"


class ServedAt(NamedTuple):
    """Where `/metrics` is served.

    Attributes:
        port: 0 takes one that is free; None serves nothing.
        host: an address of this machine.
        token: a request has to give it as `Authorization: Bearer`; "" allows all requests, on loopback alone.
    """

    port: int | None = None
    host: str = LOOPBACK
    token: str = ""


class MetricsServer:
    """Serves `/metrics` and `/healthz` while it is open; see `ServedAt` for its arguments.

    Raises:
        InputError: the address cannot be had, or is not loopback and no token is given.
    """

    def __init__(self, port: int | None, host: str = LOOPBACK, token: str = "") -> None:
        self._text, self._token, self._names = "", token, {host, LOOPBACK, "::1", "localhost"}
        self._report: Report | None = None
        self._interval_s = 0.0
        self._did: tuple[float, ...] = ()
        self._did_s = time.monotonic()
        self.so_far: InterimWaits | None = None
        """What jobs have waited so far, of a shadow; None until that is known."""
        self._server: ThreadingHTTPServer | None = None
        if port is None:
            return
        try:
            family, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            if not token and not ipaddress.ip_address(str(where[0]).partition("%")[0]).is_loopback:
                rule = "others can reach that address, and /metrics names what your cluster does"
                raise InputError(host, rule, fix="give --metrics-token FILE")
            kind = type("_Server", (ThreadingHTTPServer,), {"address_family": family, "daemon_threads": True})
            self._server = kind(where, self._handler())
        except OSError as error:
            rule = f"/metrics cannot be served: {error.strerror}"
            raise InputError(f"{host}:{port}", rule, fix="take another port or address") from None

    @property
    def port(self) -> int:
        """Where it is served."""
        return 0 if self._server is None else int(self._server.server_address[1])

    def __enter__(self) -> "MetricsServer":
        if self._server is not None:
            threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def follow(self, report: "Report", interval_s: float) -> None:
        """From now on show whether the engine answers, also while no cycle comes to its end.

        Args:
            report: of the run.
            interval_s: between two cycles.
        """
        self._report, self._interval_s = report, interval_s

    def _now(self) -> str:
        """What is served now."""
        report = self._report
        if report is None:
            return self._text
        lines = [
            *_lines("up", "1 if the engine answered when it was last asked, else 0.", report.up),
            *_lines("failed_calls_total", "Calls that the engine did not answer.", report.failed_calls),
            *_lines("interval_seconds", "Time between two cycles.", self._interval_s),
        ]
        if isfinite(report.observed_s):
            text = "When the engine was last observed, on its own clock: seconds since 1970."
            lines += _lines("last_observation_timestamp_seconds", text, report.observed_s)
        return self._text + "\n".join(lines) + "\n"

    def show(self, _now_s: float, ledger: "Ledger", _decided: "CycleDecision", report: "Report") -> None:
        """Called after every cycle."""
        if self._server is None:
            return
        lines = [line for name, (text, of) in OF_CYCLE.items() for line in _lines(name, text, of(ledger, report))]
        refused = {f'{{kind="{kind}"}}': report.refusals[kind] for kind in get_args(Kind)}
        lines += _series("refusals_total", "Actions that the engine refused.", refused)
        lines += _of_hosts(ledger.listing)
        if self.so_far is not None:
            known = ((name, text, of(self.so_far)) for name, (text, of) in OF_SHADOW.items())
            lines += [line for name, text, value in known if value is not None for line in _lines(name, text, value)]
        self._text = "\n".join(lines) + "\n"

    def _is_alive(self) -> bool:
        """Whether the run has observed, not been answered or requested something lately; before it begins it is."""
        report = self._report
        if report is None:
            return True
        did = report.observed_s, report.failed_calls, report.starts, report.refusals.total()
        if did != self._did:
            self._did, self._did_s = did, time.monotonic()
        return time.monotonic() - self._did_s <= STALLED_S + 3 * self._interval_s

    def _status(self, path: str, host: str, authorization: str) -> int:
        """What a request is answered with.

        Without a token the name in its `Host` is one of this machine's own: the page of another site, whose name was
        made to lead here, could read the answer in a browser.
        """
        wanted = f"Bearer {self._token}".encode()
        if self._token and not hmac.compare_digest(authorization.encode("utf-8", "replace"), wanted):
            return 401
        if not self._token and re.sub(r":\d*$", "", host).strip("[]").lower() not in self._names:
            return 403
        if path == "/healthz":
            return 200 if self._is_alive() else 503
        return 200 if path.partition("?")[0] == "/metrics" else 404

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        metrics = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status = metrics._status(self.path, self.headers.get("Host", ""), self.headers.get("Authorization", ""))
                text = "ok\n" if self.path == "/healthz" else metrics._now()
                body = text.encode() if status == 200 else _REFUSALS[status]
                self.send_response(status)
                if status == 401:
                    self.send_header("WWW-Authenticate", "Bearer")
                self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *_: object) -> None:
                """Says nothing: stderr is the table's."""

        return Handler


def _of_hosts(listing: "Listing") -> list[str]:
    """Capacity and free amounts of the hosts that are up."""
    cluster, up = listing["cluster"], np.array(listing["up"], bool)
    amounts = {
        ("capacity", "Of hosts that are up: all {}."): np.array(cluster["capacity"], float)[up].sum(axis=0),
        ("free", "Of hosts that are up: the {} that no job holds."): free_in(listing)[up].sum(axis=0),
    }
    return [
        line
        for (what, text), sums in amounts.items()
        for name, amount in zip(cluster["resources"], sums, strict=True)
        if name in OF_HOSTS
        for line in _lines(f"{what}_{OF_HOSTS[name]}", text.format(name), amount)
    ]


def _lines(name: str, text: str, value: float) -> list[str]:
    return _series(name, text, {"": value})


def _series(name: str, text: str, values: Mapping[str, float]) -> list[str]:
    """What Prometheus reads of a figure: its value for each set of labels; nothing where there is none."""
    kind = "counter" if name.endswith("_total") else "gauge"
    head = [f"# HELP loadmaster_{name} {text}", f"# TYPE loadmaster_{name} {kind}"]
    return head + [f"loadmaster_{name}{labels} {value:.15g}" for labels, value in values.items()] if values else []
