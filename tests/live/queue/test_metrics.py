"""What is served for Prometheus: its text form, on loopback, while the run lasts."""

import json
import re
import urllib.error
import urllib.request
from types import SimpleNamespace

import pytest
import yaml

from loadmaster.live.queue.metrics import MetricsServer
from loadmaster.live.queue.monitoring import alerts_text, dashboard_text
from loadmaster.live.session.engine import RUNNING
from loadmaster.live.session.report import Report
from loadmaster.model import InputError
from loadmaster.runs.interim_waits import InterimWaits
from loadmaster.verbs.live_kubernetes import KubernetesOptions


def ask(metrics, path="/metrics", authorization=""):
    request = urllib.request.Request(f"http://127.0.0.1:{metrics.port}{path}")
    if authorization:
        request.add_header("Authorization", authorization)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def shown(metrics):
    runs = {"a": SimpleNamespace(running=True), "b": SimpleNamespace(running=False)}
    cluster = {"resources": ("cores", "memory", "bb/x"), "capacity": [[8.0, 64e9, 1.0], [4.0, 32e9, 1.0]]}
    job = {"state": [RUNNING], "host": [0], "demand": [3.0, 2e9, 0.0]}
    listing = {"at_s": 1764179001.5, "cluster": cluster, "up": [True, False], "jobs": {"a": job}}
    ledger = SimpleNamespace(runs=runs, waiting=SimpleNamespace(rows=[1, 2, 3]), listing=listing)
    report = Report(cycles=7, starts=5, fallbacks=2, cycle_s=0.25)
    report.refusals["gone"] += 2
    metrics.show(210.0, ledger, None, report)


def test_every_figure_has_its_help_its_type_and_its_value():
    with MetricsServer(0) as metrics:
        shown(metrics)
        kind, text = ask(metrics)
    assert kind.startswith("text/plain; version=0.0.4")
    lines = text.splitlines()
    wanted = [
        "loadmaster_cycles_total 7",
        "loadmaster_starts_total 5",
        "loadmaster_queue_jobs 3",
        "loadmaster_running_jobs 1",
        "loadmaster_claimed_jobs 1",
        'loadmaster_refusals_total{kind="gone"} 2',
        "# TYPE loadmaster_queue_jobs gauge",
        "loadmaster_fallback_cycles_total 2",
        'loadmaster_refusals_total{kind="denied"} 0',
        "loadmaster_capacity_cores 8",
        "loadmaster_free_cores 5",
        "loadmaster_capacity_memory_bytes 64000000000",
        "loadmaster_free_memory_bytes 62000000000",
        "loadmaster_cycle_duration_seconds 0.25",
        "# TYPE loadmaster_cycle_duration_seconds gauge",
    ]
    for line in wanted:
        assert line in lines


def test_a_shadow_tells_what_jobs_waited_and_leaves_out_what_nobody_knows():
    with MetricsServer(0) as metrics:
        metrics.so_far = InterimWaits(60.0, 12, 3, 40.0, 30.0, 44.0)
        shown(metrics)
        with_error = ask(metrics)[1].splitlines()
        metrics.so_far = InterimWaits(60.0, 12, 3, 40.0, 30.0)
        shown(metrics)
        without = ask(metrics)[1]
    for line in (
        "shadow_site_mean_wait_seconds 40",
        "shadow_own_mean_wait_seconds 30",
        "shadow_model_mean_wait_seconds 44",
        "shadow_model_error_ratio 0.1",
        "shadow_jobs 12",
        "shadow_open_jobs 3",
    ):
        assert f"loadmaster_{line}" in with_error
    assert "loadmaster_shadow_own_mean_wait_seconds 30" in without
    assert "error" not in without


def parsed(text):
    """The text form of Prometheus 0.0.4, read strictly: name -> (type, {labels: value})."""
    assert text.endswith("\n")
    assert "\n\n" not in text
    metrics, name = {}, ""
    for line in text.splitlines():
        if head := re.fullmatch(r"# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S.*)", line):
            name = head[1]
            assert name not in metrics
            metrics[name] = ["", {}]
        elif kind := re.fullmatch(rf"# TYPE {re.escape(name)} (counter|gauge)", line):
            assert metrics[name] == ["", {}]
            metrics[name][0] = kind[1]
        else:
            label = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
            sample = re.fullmatch(rf"{re.escape(name)}(?:{{({label}(?:,{label})*)}})? (\S+)", line)
            assert sample is not None, line
            assert sample[1] not in metrics[name][1]
            metrics[name][1][sample[1]] = float(sample[2])
    return metrics


@pytest.fixture
def everything():
    """All that a run may serve."""
    with MetricsServer(0) as metrics:
        metrics.follow(Report(observed_s=1764179001.5), 30.0)
        metrics.so_far = InterimWaits(60.0, 12, 3, 40.0, 30.0, 44.0)
        shown(metrics)
        return parsed(ask(metrics)[1])


def test_names_and_types_are_those_that_prometheus_asks_for(everything):
    units = {"milliseconds", "minutes", "hours", "ms", "percent", "kilobytes", "megabytes", "gigabytes", "mb", "gb"}
    for name, (kind, values) in everything.items():
        assert name.startswith("loadmaster_")
        assert (kind == "counter") == name.endswith("_total")
        assert not units & {*name.split("_")}
        assert values
        assert all(value >= 0 for value in values.values())
        assert not any(label and label.partition("=")[0] in {"unit", "le", "quantile"} for label in values)


@pytest.mark.parametrize("text", [dashboard_text(), alerts_text()], ids=["dashboard", "alerts"])
def test_every_metric_of_the_dashboard_and_of_the_alerts_is_served(text, everything):
    named = {*re.findall(r"loadmaster_[a-z_]+", text)}
    assert len(named) > 5
    assert named <= everything.keys()
    grown = {*re.findall(r"(?:increase|rate)\((\w+)", text)}
    assert grown
    assert all(everything[name][0] == "counter" for name in grown)


def test_every_figure_is_on_the_dashboard_or_in_an_alert(everything):
    shown_there = {*re.findall(r"loadmaster_[a-z_]+", dashboard_text() + alerts_text())}
    left = {"cycles_total", "shadow_model_error_ratio", "shadow_jobs", "shadow_open_jobs"}
    assert {name.removeprefix("loadmaster_") for name in everything.keys() - shown_there} == left


def test_the_dashboard_is_laid_out_without_overlaps_and_the_alerts_say_what_to_do():
    panels = json.loads(dashboard_text())["panels"]
    places = {(each["gridPos"]["x"], each["gridPos"]["y"]) for each in panels}
    assert len(places) == len({each["id"] for each in panels}) == len(panels)
    (group,) = yaml.safe_load(alerts_text())["groups"]
    for rule in group["rules"]:
        assert rule["annotations"].keys() == {"summary", "description"}
        assert re.fullmatch(r"\d+m", rule["for"])
        assert rule["expr"].count("(") == rule["expr"].count(")")


def test_an_engine_that_does_not_answer_is_told_before_the_next_cycle():
    report = Report()
    with MetricsServer(0) as metrics:
        metrics.follow(report, 30.0)
        before = ask(metrics)[1].splitlines()
        report.up, report.failed_calls, report.observed_s = False, 3, 1795714158.5
        after = ask(metrics)[1].splitlines()
    assert {"loadmaster_up 1", "loadmaster_interval_seconds 30"} <= {*before}
    assert not any("last_observation" in line for line in before)
    for line in ("up 0", "failed_calls_total 3", "last_observation_timestamp_seconds 1795714158.5"):
        assert f"loadmaster_{line}" in after


def test_nothing_else_is_there_and_nothing_stays_open():
    with MetricsServer(0) as metrics:
        with pytest.raises(urllib.error.HTTPError, match="404"):
            ask(metrics, "/etc/passwd")
        port = metrics.port
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5)


def test_a_port_that_is_taken_is_refused_in_one_line():
    with MetricsServer(0) as metrics, pytest.raises(InputError, match="cannot be served"):
        MetricsServer(metrics.port)


def test_without_a_port_nothing_listens():
    with MetricsServer(None) as metrics:
        shown(metrics)
        assert metrics.port == 0


def test_beyond_loopback_a_token_is_asked_for():
    with pytest.raises(InputError, match="others can reach that address"):
        MetricsServer(0, "0.0.0.0")
    with MetricsServer(0, "0.0.0.0", "secret" * 3) as metrics:
        shown(metrics)
        for given in ("", "Bearer wrong", "secret" * 3):
            with pytest.raises(urllib.error.HTTPError) as refused:
                ask(metrics, authorization=given)
            assert (refused.value.code, refused.value.headers["WWW-Authenticate"]) == (401, "Bearer")
            refused.value.close()
        assert "loadmaster_cycles_total 7" in ask(metrics, authorization=f"Bearer {'secret' * 3}")[1]


def test_a_request_under_the_name_of_another_site_is_refused():
    with MetricsServer(0) as metrics:
        address = f"http://127.0.0.1:{metrics.port}/metrics"
        for name in ("127.0.0.1", "localhost:80", "[::1]:9"):
            assert urllib.request.urlopen(urllib.request.Request(address, headers={"Host": name})).status == 200
        for name in ("example.org", "example.org:80", "127.0.0.1.example.org", "[bad"):
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(urllib.request.Request(address, headers={"Host": name}))


@pytest.mark.parametrize("text", ["", "short", "two words that are long enough"])
def test_a_token_that_is_none_is_refused(tmp_path, text):
    (tmp_path / "token").write_text(text)
    with pytest.raises(InputError, match="one word of 16"):
        KubernetesOptions(metrics=0, metrics_host="0.0.0.0", metrics_token=tmp_path / "token").served_at()


def test_the_token_of_a_file_is_its_text(tmp_path):
    (tmp_path / "token").write_text("0123456789abcdef\n")
    served = KubernetesOptions(metrics=9200, metrics_host="10.0.0.1", metrics_token=tmp_path / "token").served_at()
    assert served == (9200, "10.0.0.1", "0123456789abcdef")
    with pytest.raises(InputError, match="it works only with --metrics"):
        KubernetesOptions(metrics_host="0.0.0.0").served_at()
    with pytest.raises(InputError, match="no token can be read there"):
        KubernetesOptions(metrics=0, metrics_token=tmp_path / "nowhere").served_at()


def test_the_server_says_whether_the_run_goes_on(monkeypatch):
    moment_s = [0.0]
    monkeypatch.setattr("loadmaster.live.queue.metrics.time", SimpleNamespace(monotonic=lambda: moment_s[0]))
    with MetricsServer(0) as metrics:
        moment_s[0] = 1e6
        assert ask(metrics, "/healthz")[1] == "ok\n"  # a replica that stands by
        report = Report()
        metrics.follow(report, 10.0)
        for what in ("observed_s", "failed_calls", "starts"):
            setattr(report, what, 1)
            assert ask(metrics, "/healthz")[1] == "ok\n"
            moment_s[0] += 60.0 + 3 * 10.0
            assert ask(metrics, "/healthz")[1] == "ok\n"
        moment_s[0] += 1.0
        with pytest.raises(urllib.error.HTTPError, match="503"):
            ask(metrics, "/healthz")
        report.refusals["busy"] += 1
        assert ask(metrics, "/healthz")[1] == "ok\n"


@pytest.mark.parametrize("path", ["/metrics", "/healthz", "/"])
def test_nothing_is_said_without_the_token(path):
    with MetricsServer(0, token="secret") as metrics, pytest.raises(urllib.error.HTTPError, match="401"):
        ask(metrics, path)
