"""Two real libvirt hosts with QEMU: caps bind, machines move and go on computing, a killed loop does no harm."""

import json
import signal
import subprocess
import sys
import time

import pytest
import real_libvirt

from loadmaster.live.guests.check import check_guests
from loadmaster.live.guests.config import GuestsConfig
from loadmaster.live.guests.run_guests import run_guests
from loadmaster.live.libvirt.engine import LibvirtEngine
from loadmaster.live.libvirt.hosts import connect
from loadmaster.live.session.clocks import RealClock
from loadmaster.model.actions import Cap, Move

pytestmark = pytest.mark.skipif(bool(real_libvirt.why_not()), reason=real_libvirt.why_not() or "there are some")


@pytest.fixture(scope="module")
def hosts():
    with real_libvirt.real_hosts() as (alpha, beta):
        for name in ("x", "y"):
            alpha.start(name)
        for name in ("x", "y"):
            real_libvirt.computes(alpha, name)
        yield alpha, beta


@pytest.fixture
def engine(hosts, tmp_path):
    made = LibvirtEngine(connect([host.uri for host in hosts]), leave_cores=1.0, folder=tmp_path / "state")
    yield made
    made.close()


def named(seen, name):
    return next(each for each in seen.ids if each.startswith(f"{name}@"))


def home(hosts):
    """All machines on the first host, without caps."""
    alpha, beta = hosts
    for each in beta.connection.listAllDomains():
        each.migrate(alpha.connection, 1, None, None, 0)
    for each in alpha.connection.listAllDomains():
        each.setSchedulerParametersFlags({"vcpu_quota": -1}, 1)


def test_a_cap_binds_at_once_and_travels_with_the_machine(hosts, engine):
    alpha, beta = hosts
    home(hosts)
    seen = engine.observe()
    seen.check()
    assert seen.cluster.names == ("alpha", "beta")
    x = named(seen, "x")
    assert engine.act(Cap(x, 0.2)) is None
    assert alpha.used("x") < 0.3
    assert engine.act(Move(x, ("beta",))) is None
    assert engine.observe().tasks.pin.tolist()[seen.ids.index(x)] == 1
    engine._migration.wait()
    after = engine.observe()
    row = after.ids.index(x)
    assert (after.failed, int(after.tasks.host[row]), float(after.tasks.share[row])) == ((), 1, 0.2)
    assert (alpha.machines(), beta.machines()) == (["y"], ["x"])
    assert beta.used("x") < 0.3


def test_a_move_that_is_called_off_leaves_the_machine_computing_where_it_was(hosts, engine):
    alpha, _ = hosts
    home(hosts)
    engine._bandwidth_mib = 1  # so slow that it is caught on the way
    x = named(engine.observe(), "x")
    engine.act(Move(x, ("beta",)))
    time.sleep(1.0)
    engine._migration.call_off()
    engine._migration.wait()
    ((name, why),) = engine.observe().failed
    assert name == x
    assert why
    assert alpha.machines() == ["x", "y"]
    assert alpha.used("x") > 0.01


def test_the_loop_moves_one_of_two_to_the_empty_host_and_gives_both_all_of_the_cpu(hosts, engine, tmp_path):
    home(hosts)
    config = GuestsConfig(mover="rebalance", most=1, interval_s=0.5, every_s=1.0, for_s=25.0)
    report, state = run_guests(engine, RealClock(), config, tmp_path / "run")
    assert (state.moved, report.refusals.total(), report.stranded) == (1, 0, [])
    assert sorted(map(tuple, (host.machines() for host in hosts))) in ([("x",), ("y",)],)
    checked = check_guests(tmp_path / "run")
    assert checked.same == checked.decisions > 5
    stayed = next(line[1] for line in _asked(tmp_path / "run") if line[0] == "cap")
    assert [line[2] for line in _asked(tmp_path / "run") if line[:2] == ["cap", stayed]] == [0.5, 1.0]
    assert all(float(each) >= 0.99 for each in engine.observe().tasks.share)


def _asked(folder):
    lines = map(json.loads, (folder / "guests.jsonl").read_text().splitlines())
    return [each for line in lines for each in line.get("asked", ())]


def test_killed_while_a_machine_is_on_its_way_nothing_is_lost_and_the_next_start_takes_all_up(hosts, tmp_path):
    alpha, beta = hosts
    home(hosts)
    words = [
        "live",
        "libvirt",
        alpha.uri,
        beta.uri,
        "--leave-cores",
        "1",
        "--mover",
        "rebalance",
        "--moves",
        "5",
        "--move-every",
        "1s",
        "--interval",
        "0.5s",
        "--state",
        tmp_path / "state",
        "-o",
        tmp_path / "run",
    ]
    command = [sys.executable, "-m", "loadmaster", *map(str, words)]
    log = tmp_path / "run" / "guests.jsonl"
    with subprocess.Popen([*command, "--bandwidth", "5MB"], stderr=subprocess.DEVNULL) as running:
        end = time.monotonic() + 90.0
        while not (log.exists() and '["move"' in log.read_text()):
            assert time.monotonic() < end
            time.sleep(0.1)
        time.sleep(1.0)
        running.kill()
    end = time.monotonic() + 60.0
    while alpha.machines() != ["x", "y"] or beta.machines():  # libvirt itself takes it back
        assert time.monotonic() < end, (alpha.machines(), beta.machines())
        time.sleep(0.2)
    assert min(alpha.used("x"), alpha.used("y")) > 0.01
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        end = time.monotonic() + 90.0
        while not beta.machines() or len(alpha.machines()) != 1:
            assert time.monotonic() < end
            assert running.poll() is None, running.stderr.read()
            time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60.0)
    assert running.returncode == 130
    quotas = [
        each.schedulerParametersFlags(1)["vcpu_quota"] for host in hosts for each in host.connection.listAllDomains()
    ]
    assert quotas == [-1, -1]  # as they were found before the first start
    checked = check_guests(tmp_path / "run")
    assert checked.same == checked.decisions > 2
