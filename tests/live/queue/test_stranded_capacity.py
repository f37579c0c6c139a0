"""What a shadow and the site leave on each host that no typical job can use."""

import pytest

from loadmaster.live.queue.stranded_capacity import stranded_by_host

GB = 2.0**30


def cluster(names):
    return {
        "resources": ["cores", "memory"],
        "names": names,
        "capacity": [[8.0, 8 * GB] for _ in names],
        "speed": [1.0] * len(names),
        "rules": None,
    }


def job(cores, memory_gb, host=-1):
    return {"demand": [cores, memory_gb * GB], "state": [0 if host < 0 else 2], "host": [host]}


def cycle(at_s, jobs, starts=(), names=("a", "b")):
    seen = {"at_s": at_s, "new": jobs} | ({"cluster": cluster(list(names))} if at_s == 0 else {})
    each = {"starts": [[name, list(hosts), 0] for name, hosts in starts], "carry": ["", {}, "inf", []]}
    return {"cycle": at_s, "seen": seen, "passes": [each] if starts else []}


@pytest.fixture
def decided(monkeypatch):
    """Passes as this test writes them."""
    from types import SimpleNamespace

    from loadmaster.live.queue import record

    def passes(line):
        rows = [row for each in line["passes"] for row in each["starts"]]
        return [SimpleNamespace(starts=[SimpleNamespace(id=name, hosts=tuple(hosts)) for name, hosts, _ in rows])]

    monkeypatch.setattr(record, "passes_of", passes)


def by_host(lines):
    return {(each.host, each.resource): (each.site, each.ours) for each in stranded_by_host(lines)}


def test_cores_are_stranded_where_memory_is_taken(decided):
    waits = {"x": job(2, 8), "y": job(2, 1), "z": job(2, 1)}
    lines = [cycle(0, waits, [("x", ("a",))]), cycle(10, {"x": job(2, 8, host=1)})]
    assert by_host(lines) == {
        ("a", "cores"): (0.0, 0.75),
        ("a", "memory"): (0.0, 0.0),
        ("b", "cores"): (0.75, 0.0),
        ("b", "memory"): (0.0, 0.0),
    }


def test_cycles_count_for_as_long_as_they_last(decided):
    waits = {"x": job(2, 8), "y": job(2, 1), "z": job(2, 1)}
    runs = {"x": job(2, 8, host=0)}
    lines = [cycle(0, waits), cycle(10, runs), cycle(40, {"w": job(2, 1)}), cycle(40.0, {})]
    assert by_host(lines)["a", "cores"] == (0.75, pytest.approx(0.75 * 30 / 40))


def test_a_record_of_one_cycle_says_nothing(decided):
    assert by_host([cycle(0, {"x": job(1, 1)})]) == {}
