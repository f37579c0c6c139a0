"""The adapter on libvirt's own test driver, and on one that caps and moves in memory."""

import threading

import pytest

from loadmaster.cli import main
from loadmaster.live.libvirt import engine as engine_module
from loadmaster.live.libvirt.doctor import examine
from loadmaster.live.libvirt.hosts import closed, connect
from loadmaster.model import InputError
from loadmaster.model.actions import Cap, Move, Start

pytest.importorskip("libvirt", reason="libvirt-python is not installed")
LibvirtEngine = engine_module.LibvirtEngine
NODE = """<node>
  <domain type='test'><name>{0}</name><uuid>{1}</uuid><memory>1048576</memory><vcpu>{2}</vcpu><os><type>hvm</type></os></domain>
  <cpu><mhz>2000</mhz><model>x</model><active>4</active><nodes>1</nodes><sockets>1</sockets><cores>4</cores><threads>1</threads></cpu>
  <memory>8388608</memory>
</node>"""  # noqa: E501
UUIDS = ("11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222")


@pytest.fixture
def uris(tmp_path):
    """Two hosts of the test driver, each with a machine that runs."""
    found = []
    for k, name in enumerate(("web", "db")):
        path = tmp_path / f"{name}.xml"
        path.write_text(NODE.format(name, UUIDS[k], 1 + k))
        found.append(f"test://{path}")
    return found


@pytest.fixture
def engine(uris, tmp_path):
    made = LibvirtEngine(connect(uris), folder=tmp_path / "state")
    yield made
    made.close()


def test_a_driver_without_caps_shows_its_machines_as_left_out_by_name(engine, uris):
    seen = engine.observe()
    seen.check()
    assert seen.cluster.names == tuple(uris)  # one machine is both hosts: they go by their URIs
    assert dict(seen.left_out) == {
        f"web@{UUIDS[0]}": "its CPU cannot be capped here",
        f"db@{UUIDS[1]}": "its CPU cannot be capped here",
    }
    assert seen.cluster.capacity.tolist() == [[3.0, 7 * 2**30], [2.0, 7 * 2**30]]
    assert engine.act(Cap(f"web@{UUIDS[0]}", 0.5)).kind == "gone"


def test_what_is_paused_is_left_out(engine):
    engine._hosts[0].connection.lookupByName("web").suspend()
    assert dict(engine.observe().left_out)[f"web@{UUIDS[0]}"] == "it is paused"


def test_what_is_shut_down_is_not_there(engine):
    engine._hosts[1].connection.lookupByName("db").destroy()
    assert [name for name, _ in engine.observe().left_out] == [f"web@{UUIDS[0]}"]


def test_the_doctor_says_that_this_driver_does_not_cap(uris):
    with closed(connect(uris)) as hosts:
        found = examine(hosts)
    bad = [finding.what for finding in found if finding.level == "bad"]
    assert [text.partition(": ")[2] for text in bad] == ["TEST does not cap CPUs by quota"] * 2


def test_a_second_loadmaster_is_kept_away_but_may_look_on(engine, uris, tmp_path):
    with pytest.raises(InputError, match="another loadmaster runs this cluster"):
        LibvirtEngine(connect(uris), folder=tmp_path / "state")
    LibvirtEngine(connect(uris), folder=tmp_path / "state", looks_on=True).close()


class Capping:
    """The test driver's machine, with caps and moves as QEMU has them."""

    def __init__(self, domain, host):
        self._domain, self.host = domain, host
        self.asked = {"vcpu_quota": -1, "vcpu_period": 100_000}

    def __getattr__(self, name):
        return getattr(self._domain, name)

    def schedulerParametersFlags(self, flags):
        return dict(self.asked)

    def setSchedulerParametersFlags(self, asked, flags):
        self.asked |= asked

    def migrate3(self, other, given, flags):
        self.host.moved.append((self.name(), other, given, flags))
        assert self.host.gate.wait(30.0)
        if self.host.fails:
            raise self.host.fails


class Able:
    """A connection of the test driver whose machines can be capped and moved."""

    def __init__(self, connection):
        self._connection, self._known = connection, {}
        self.moved, self.gate, self.fails = [], threading.Event(), None

    def __getattr__(self, name):
        return getattr(self._connection, name)

    def listAllDomains(self, flags):
        return [self.lookupByUUIDString(each.UUIDString()) for each in self._connection.listAllDomains(flags)]

    def lookupByUUIDString(self, uuid):
        return self._known.setdefault(uuid, Capping(self._connection.lookupByUUIDString(uuid), self))


@pytest.fixture
def able(uris, tmp_path):
    hosts = connect(uris)
    for host, name in zip(hosts, "ab", strict=True):
        host.connection, host.name = Able(host.connection), name
    made = LibvirtEngine(hosts, leave_cores=1.0, leave_memory=2**30, bandwidth_mib=50, folder=tmp_path / "state")
    yield made
    for host in hosts:
        host.connection.gate.set()
    made.close()


WEB, DB = f"web@{UUIDS[0]}", f"db@{UUIDS[1]}"


def test_a_cap_is_a_quota_of_every_virtual_cpu_and_is_seen_afterwards(able):
    seen = able.observe()
    assert (seen.ids, seen.tasks.host.tolist(), seen.tasks.share.tolist()) == ((DB, WEB), [1, 0], [1.0, 1.0])
    assert seen.cluster.capacity.tolist() == [[3.0, 7 * 2**30]] * 2
    assert seen.jobs.demand.tolist() == [[2.0, 2**30], [1.0, 2**30]]
    assert able.act(Cap(DB, 0.25)) is None
    domain = able._hosts[1].domain(DB)
    assert domain.asked == {"vcpu_quota": 5000, "vcpu_period": 20000}
    assert able.observe().tasks.share.tolist() == [0.25, 1.0]
    assert able.act(Cap(DB, 1.0)) is None
    assert domain.asked["vcpu_quota"] == -1


def test_a_move_goes_on_while_others_are_looked_at_and_keeps_the_definition(able):
    import libvirt

    able.observe()
    assert able.act(Move(WEB, ("b",))) is None
    seen = able.observe()
    assert seen.tasks.pin.tolist() == [-1, 1]
    assert able.act(Move(DB, ("a",))).kind == "busy"
    source = able._hosts[0].connection
    ((name, to, given, flags),) = source.moved
    assert (name, to, given) == ("web", able._hosts[1].connection, {libvirt.VIR_MIGRATE_PARAM_BANDWIDTH: 50})
    assert flags == libvirt.VIR_MIGRATE_LIVE | libvirt.VIR_MIGRATE_PERSIST_DEST | libvirt.VIR_MIGRATE_UNDEFINE_SOURCE


def test_a_move_that_fails_is_told_with_the_reason_and_the_machine_is_where_it_was(able):
    import libvirt

    able.observe()
    source = able._hosts[0].connection
    source.fails = libvirt.libvirtError("no road")
    able.act(Move(WEB, ("b",)))
    source.gate.set()
    able._migration.wait()
    seen = able.observe()
    assert (seen.failed, seen.tasks.pin.tolist(), seen.tasks.host.tolist()) == (((WEB, "no road"),), [-1, -1], [1, 0])
    assert able.observe().failed == ()


def test_machines_are_never_started_or_stopped(able):
    able.observe()
    assert able.act(Start(WEB, ("a",))).kind == "unknown"
    assert able.act(Move(WEB, ("a",))).kind == "unknown"
    assert able.act(Move("nobody@3", ("a",))).kind == "gone"


def test_a_machine_with_a_device_of_its_host_stays(able):
    host = able._hosts[0]
    host._devices[UUIDS[0]] = "it has a device of its host"
    assert able.observe().tasks.stays.tolist() == [False, True]
    assert able.act(Move(WEB, ("b",))).text == "it has a device of its host"


def test_a_host_that_does_not_answer_is_down_with_what_runs_there(able):
    able.observe()
    able._hosts[1].uri = "qemu+unix:///system?socket=/nowhere"
    able._hosts[1].connection._connection.close()
    able._hosts[1].connection.isAlive = lambda: False
    seen = able.observe()
    assert (seen.ids, seen.up.tolist()) == ((WEB,), [True, False])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere:///x"], "no libvirt answers"),
        (["test:///default", "test:///default"], "name each host once"),
        (["test:///default", "--mover", "mosix"], "within a budget only"),
        (["test:///default", "--moves", "3"], "no machine moves without --mover"),
        (["test:///default", "--no-caps"], "nothing would be done"),
        (["test:///default", "--mover", "mosix", "--moves", "3", "--budget", "3GB"], "only one of them can bind"),
        (["test:///default", "--dry-run", "--on-exit", "leave"], "nothing is changed"),
        (["test:///default", "--doctor", "--for", "3s"], "--doctor only looks"),
        (["test:///default", "--interval", "0s"], "a time between its looks"),
    ],
)  # fmt: skip
def test_every_mistake_is_told_in_one_line(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["loadmaster", "live", "libvirt", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    error = capsys.readouterr().err
    assert (ended.value.code, error.count("\n")) == (2, 1)
    assert said in error
    assert len(error) < 320
