"""Closures of hosts: how the command line and `scontrol show reservation` write them."""

import json

import pytest

from loadmaster.model import Cluster, InputError
from loadmaster.site.closures import closure_of, reservation_rows, with_calendar
from loadmaster.site.scontrol_reservations import moment_s, read_reservations

HOSTS = Cluster(("cores",), [[4.0]] * 4, names=("n01", "n02", "n03", "login"))
ZERO_S = moment_s("2026-12-01T00:00:00")


def test_a_closure_of_dates_lies_on_the_clock_of_the_log():
    row = closure_of("2026-12-01T08:00/12h:n[01-02],login", HOSTS, ZERO_S)
    assert (row.kind, row.from_s, row.to_s, row.hosts) == ("drained", 8 * 3600.0, 20 * 3600.0, (0, 1, 3))


def test_a_closure_of_seconds_needs_no_dates_and_all_names_every_host():
    row = closure_of("90.5/30min:all", HOSTS, None)
    assert (row.from_s, row.to_s, row.hosts) == (90.5, 1890.5, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-12-01T08:00", r"START/LENGTH:HOSTS.*write it like"),
        ("0/1h:", r"START/LENGTH:HOSTS"),
        ("0/0:all", r"lasts longer than nothing"),
        ("0/soon:all", r"'soon': not a duration"),
        ("nan/1h:all", r"begins at a date or at a second"),
        ("tomorrow/1h:all", r"'tomorrow': this is no date"),
        ("0/1h:n04", r"'n04': no such host.*did you mean n0"),
        ("0/1h:rack7", r"'rack7': no such host.*n01 to login"),
        ("2026-12-01T08:00/1h:all", r"no dates.*seconds of the log"),
    ],
)
def test_a_closure_that_does_not_read_so_is_refused(text, said):
    with pytest.raises(InputError, match=said):
        closure_of(text, HOSTS, None)


def test_a_closure_before_the_log_is_refused_with_the_moment_at_which_the_log_begins():
    with pytest.raises(InputError, match="ends before the log begins; the log begins at 2026-12-01T00:00"):
        closure_of("2025-12-01T08:00/12h:all", HOSTS, ZERO_S)
    with pytest.raises(InputError, match="ends before the log begins; the log begins at second 0"):
        closure_of("-7200/1h:all", HOSTS, None)
    assert closure_of("2026-11-30T20:00/12h:all", HOSTS, ZERO_S).to_s == 8 * 3600.0


TEXT = """ReservationName=repair StartTime=2026-12-01T08:00:00 EndTime=2026-12-01T20:00:00 Duration=12:00:00
   Nodes=n[01-02] NodeCnt=2 CoreCnt=8 Features=(null) PartitionName=(null) Flags=MAINT,IGNORE_JOBS
   Users=root Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE

ReservationName=course StartTime=2026-12-02T08:00:00 EndTime=2026-12-02T10:00:00 Duration=02:00:00
   Nodes=n03 NodeCnt=1 CoreCnt=4 Features=(null) PartitionName=main Flags=WEEKLY,FLEX
   Users=eve,-bob Groups=(null) Accounts=teach Licenses=(null) State=INACTIVE

ReservationName=licences StartTime=2026-12-02T08:00:00 EndTime=2026-12-02T10:00:00 Duration=02:00:00
   Nodes=(null) NodeCnt=0 Licenses=x:3 State=INACTIVE
"""


def as_one_line(text):
    return text.replace("\n   ", " ").replace("\n\n", "\n")


def as_json(_):
    number = {"set": True, "infinite": False}

    def row(name, begin, end, nodes, flags, users, accounts):
        start, stop = ({**number, "number": moment_s(text)} for text in (begin, end))
        return {
            "name": name,
            "start_time": start,
            "end_time": stop,
            "node_list": nodes,
            "flags": flags,
            "users": users,
            "accounts": accounts,
        }

    day, next_day = "2026-12-01T", "2026-12-02T"
    return json.dumps(
        {
            "reservations": [
                row("repair", day + "08:00", day + "20:00", "n[01-02]", ["MAINT", "IGNORE_JOBS"], "root", ""),
                row("course", next_day + "08:00", next_day + "10:00", "n03", ["WEEKLY", "FLEX"], "eve,-bob", "teach"),
                row("licences", next_day + "08:00", next_day + "10:00", "", [], "", ""),
            ]
        }
    )


@pytest.mark.parametrize("written", [str, as_one_line, as_json])
def test_reservations_read_alike_however_scontrol_prints_them(tmp_path, written):
    path = tmp_path / "reservations"
    path.write_text(written(TEXT))
    (repair, course), notes = reservation_rows(read_reservations(path), HOSTS, ZERO_S)
    assert (repair.kind, repair.from_s, repair.to_s, repair.hosts) == ("drained", 28_800.0, 72_000.0, (0, 1))
    assert (course.kind, course.name, course.users, course.accounts) == ("reserved", "course", ("eve",), ("teach",))
    assert (course.from_s, course.hosts, course.flex) == (86_400.0 + 28_800.0, (2,), True)
    assert [note.split(" holds")[0].split(" comes")[0].split(" keeps")[0] for note in notes] == [
        "The reservation course",
        "The reservation course",
        "The reservation licences",
    ]


def test_a_file_without_reservations_is_refused_and_one_that_says_so_is_empty(tmp_path):
    path = tmp_path / "reservations"
    path.write_text("hello\n")
    with pytest.raises(InputError, match=r"no reservation is in this file.*scontrol show reservation"):
        read_reservations(path)
    path.write_text('{"jobs": []}')
    with pytest.raises(InputError, match=r"no list of reservations"):
        read_reservations(path)
    path.write_text("No reservations in the system\n")
    assert read_reservations(path) == []
    with pytest.raises(InputError, match="cannot be read"):
        read_reservations(tmp_path / "missing")


def test_rows_come_behind_those_that_the_hosts_have():
    first = closure_of("0/1h:n01", HOSTS, None)
    second = closure_of("7200/1h:n02", HOSTS, None)
    assert with_calendar(with_calendar(HOSTS, [first]), [second]).rules.calendar == (first, second)
    assert with_calendar(HOSTS, []) is HOSTS
