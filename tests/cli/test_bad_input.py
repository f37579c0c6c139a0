"""Bad input of every kind ends in one clear line on stderr and exit code 2: no traceback, nothing on stdout."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from loadmaster.cli import main

LINE = "{number} {submit} -1 {runtime} 1 -1 -1 1 60 1048576 1 1 1 1 1 1 -1 -1\n"
HOSTS = ("--hosts", "2x4c8g")


def swf(*rows):
    """An SWF log of (submit, runtime) rows."""
    return "".join(LINE.format(number=i + 1, submit=s, runtime=r) for i, (s, r) in enumerate(rows))


GOOD = swf((0, 60), (5, 60), (9, 30))
PLAIN_RULE = "def rule(demand, free, capacity):\n    return free[0]\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to stand in, with one good log and one good rule."""
    monkeypatch.chdir(tmp_path)
    Path("good.swf").write_text(GOOD)
    Path("rule.py").write_text(PLAIN_RULE)
    return tmp_path


def test_good_input_gives_a_table_and_exit_code_0(here, monkeypatch, capfd):
    """The counterpart: without it, all the others could fail for a reason of their own."""
    monkeypatch.setattr(sys, "argv", ["loadmaster", "compare", "good.swf", *HOSTS, "--policies", "rule.py:rule"])
    with pytest.raises(SystemExit) as stop:
        main()
    printed = capfd.readouterr()
    assert stop.value.code == 0
    assert "rule.py:rule" in printed.out


LOGS = {
    "empty": b"",
    "blank lines only": b"\n\n\n",
    "comments only": b"; Version: 2.2\n; MaxJobs: 0\n",
    "binary junk": bytes(range(256)) * 64,
    "zero bytes": b"\0" * 4096,
    "prose": b"Dear scheduler,\nplease start my jobs soon.\n",
    "not text in any common encoding": b"\xff\xfe\xfd" * 100,
}


@pytest.mark.parametrize("verb", ["compare", "info"])
@pytest.mark.parametrize("name", LOGS)
def test_a_log_without_jobs_is_told_apart_by_its_path(told, verb, name):
    Path("bad.swf").write_bytes(LOGS[name])
    assert "bad.swf" in told(verb, "bad.swf", *HOSTS)


def test_a_truncated_gzip_is_named(told):
    Path("cut.swf.gz").write_bytes(gzip.compress((GOOD * 200).encode())[:-40])
    assert "cut.swf.gz" in told("compare", "cut.swf.gz", *HOSTS)


def test_a_gzip_that_is_none_is_named(told):
    Path("fake.swf.gz").write_text("not compressed, and no log either\n")
    assert "fake.swf.gz" in told("compare", "fake.swf.gz", *HOSTS)


@pytest.mark.parametrize("path", ["missing.swf", "."], ids=["missing file", "directory"])
def test_a_log_that_cannot_be_opened_is_named(told, path):
    assert path in told("compare", path, *HOSTS)


@pytest.mark.parametrize(("rows", "word"), [([(-5, 60)], "submit"), ([(0, -60)], "runtime")])
def test_strict_names_the_line_of_an_impossible_time(told, rows, word):
    Path("bad.swf").write_text(GOOD + swf(*rows))
    message = told("compare", "bad.swf", *HOSTS, "--strict")
    assert "4" in message
    assert word in message


def test_without_strict_an_impossible_time_is_left_out_and_counted(here, monkeypatch, capfd):
    Path("bad.swf").write_text(GOOD + swf((-5, 60), (0, -60)))
    monkeypatch.setattr(sys, "argv", ["loadmaster", "info", "bad.swf", *HOSTS])
    with pytest.raises(SystemExit) as stop:
        main()
    printed = capfd.readouterr()
    assert stop.value.code == 0
    assert "4" in printed.out + printed.err
    assert "5" in printed.out + printed.err


@pytest.mark.parametrize(
    "hosts",
    ["2x0c8g", "0x4c8g", "-1x4c8g", "many", "", "2x4c8", "2x4c-8g", "1e9x4c8g", "2x4c8g,", "nowhere.csv", "."],
)
def test_machines_that_cannot_be_are_refused(told, hosts):
    told("compare", "good.swf", "--hosts", hosts)


def test_a_host_with_zero_cores_in_a_file_is_named_with_its_line(told):
    Path("hosts.csv").write_text("name,cores,memory\na,4,8G\nb,0,8G\n")
    message = told("compare", "good.swf", "--hosts", "hosts.csv")
    assert "hosts.csv" in message
    assert "core" in message


def test_no_job_that_fits_any_machine_is_said(told):
    Path("wide.swf").write_text(GOOD.replace(" 1 60 1048576", " 64 60 1048576"))
    told("compare", "wide.swf", *HOSTS, "--policies", "first-fit")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--policies", "best-fit-core"), "best-fit-cores"),
        (("--policies", "nonsense"), "nonsense"),
        (("--policies", ","), "--policies"),
        (("--disciplines", "lifo"), "lifo"),
        (("--baseline", "mix-fit", "--policies", "first-fit"), "mix-fit"),
        (("--loads", "0"), "0"),
        (("--loads", "-1"), "-1"),
        (("--loads", "nan"), "nan"),
        (("--loads", "high"), "high"),
        (("--loads", ","), "--loads"),
        (("--loads", "1", "--beta", "1"), "--beta"),
        (("--samples", "100001"), "100000"),
        (("--interval", "-30s"), "-30"),
        (("--interval", "soon"), "soon"),
        (("--reservations", "-1"), "-1"),
        (("--reservations", "²"), "--reservations"),
        (("--lookahead", "0"), "0"),
        (("--limit", "0"), "--limit"),
        (("--seed", "x"), "--seed"),
        (("--max-jobs-target", "beauty"), "beauty"),
        (("--max-jobs-members", "nonsense", "--policies", "max-jobs"), "nonsense"),
        (("--no-such-option",), "--no-such-option"),
        (("--format", "xls"), "xls"),
        (("--columns", "submit_s"), "submit_s"),
        (("-o", "good.swf"), "good.swf"),
        (("--picture", "nowhere/wait.png"), "nowhere"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(told, options, word):
    assert word in told("compare", "good.swf", *HOSTS, *options)


@pytest.mark.parametrize(
    ("source", "spec", "word"),
    [
        (None, "gone.py:rule", "gone.py"),
        (PLAIN_RULE, "mine.py:other", "other"),
        (PLAIN_RULE, "mine.py", "file.py:function"),
        (PLAIN_RULE, "mine.py:", "function"),
        ("def rule(demand):\n    return 0.0\n", "mine.py:rule", "parameters"),
        ("def rule(demand, free, capacity)\n    return 0.0\n", "mine.py:rule", "SyntaxError"),
        ("import nothing_of_this_name\n", "mine.py:rule", "nothing_of_this_name"),
        ("raise RuntimeError('two\\nlines')\n", "mine.py:rule", "mine.py"),
        ("rule = 7\n", "mine.py:rule", "rule"),
        ("def rule(demand, free, capacity):\n    return (free[0] - 4.0) / 0.0\n", "mine.py:rule", "finite"),
        ("def rule(demand, free, capacity):\n    return float('nan')\n", "mine.py:rule", "mine.py:rule"),
        ("def rule(demand, free, capacity):\n    return open('x').read()\n", "mine.py:rule", "compiled"),
        ("def rule(demand, free, capacity):\n    return 'low'\n", "mine.py:rule", "mine.py:rule"),
        ("def rule(demand, free, capacity):\n    return free[7]\n", "mine.py:rule", "0 cores, 1 memory"),
        ("def rule(demand, free, capacity):\n    demand[0] = 0\n    return 0.0\n", "mine.py:rule", "change"),
        ("import os\ndef rule(demand, free, capacity):\n    return os.getpid()\n", "mine.py:rule", "getpid"),
        ("import sys\nsys.exit(3)\n", "mine.py:rule", "SystemExit"),
        (b"\x00\xff\x00", "mine.py:rule", "mine.py"),
    ],
)
def test_a_policy_of_ones_own_that_does_not_work_is_named(told, source, spec, word):
    if source is not None:
        Path("mine.py").write_bytes(source if isinstance(source, bytes) else source.encode())
    assert word in told("compare", "good.swf", *HOSTS, "--policies", spec)


def test_a_store_that_is_none_is_named(told):
    Path("report").mkdir()
    Path("report/results.sqlite").write_bytes(b"no database of anything" * 50)
    assert "results.sqlite" in told("compare", "good.swf", *HOSTS, "--policies", "first-fit")


def test_more_than_memory_can_hold_is_said(told):
    assert "memory" in told("generate", "netbatch", "--jobs", "99999999999999", "-o", "x.swf")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--scale", "1e300"), "jobs"),
        (("--scale", "1e308"), "jobs"),
        (("--scale", "1e300", "--jobs", "5"), "hosts"),
        (("--hosts", "1" + 30 * "0", "--jobs", "5"), "hosts"),
        (("--hosts", "5", "--jobs", "1" + 30 * "0"), "jobs"),
    ],
)
def test_pools_of_more_than_can_be_are_refused(told, options, word):
    said = told("generate", "netbatch", *options, "-o", "x.swf")
    assert "more than" in said
    assert word in said


@pytest.mark.parametrize("words", [("generate", "netbatch", "-o"), ("generate", "opportunity", "-o"),
                                   ("convert", "good.swf")], ids=" ".join)  # fmt: skip
def test_a_log_is_refused_by_the_ending_of_its_name_before_the_work(told, monkeypatch, words):
    def at_work(*_, **__):
        raise AssertionError("the work was begun")

    monkeypatch.setattr("loadmaster.verbs.generate.netbatch_with", at_work)
    monkeypatch.setattr("loadmaster.verbs.generate.opportunity_with", at_work)
    monkeypatch.setattr("loadmaster.verbs.convert.ConvertOptions.read", at_work)
    assert "no known ending" in told(*words, "x.xyz")


def test_a_file_is_not_called_a_damaged_record(told):
    said = told("explain", "good.swf", "1")
    assert "this is a file" in said
    assert "damaged" not in said


@pytest.mark.parametrize(
    "arguments",
    [("fly",), ("compare", "good.swf", "too", "many"), ("info",), ("convert", "good.swf"),
     ("generate", "netbatch", "--pool", "Z", "-o", "x.swf"), ("generate", "nothing"), ("reproduce", "nobody1900")],
    ids=" ".join,
)  # fmt: skip
def test_a_command_that_makes_no_sense_is_explained(told, arguments):
    told(*arguments)


def test_a_group_of_commands_alone_shows_its_help_and_asks_for_one_of_them(monkeypatch, capfd):
    monkeypatch.setattr(sys, "argv", ["loadmaster", "generate"])
    with pytest.raises(SystemExit) as stop:
        main()
    printed = capfd.readouterr()
    assert stop.value.code == 2
    assert "netbatch" in printed.out
    assert printed.err == "loadmaster: name one of its commands; see `loadmaster generate --help`\n"


def test_the_real_program_does_the_same(here):
    """Once through a process of its own: exit code and streams as a shell sees them."""
    done = subprocess.run(
        [sys.executable, "-m", "loadmaster", "compare", "missing.swf"],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "src"), "PATH": ""},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("loadmaster: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "command",
    [
        "compare missing.swf --hosts 2x4c8g", "compare good.swf --hosts 2x4c8g --policies nope",
        "compare good.swf --hosts 2x4c8g --loads 1e300", "fit missing.swf --hosts 2x4c8g",
        "simulate missing.swf --hosts 2x4c8g", "pack missing.csv --hosts 2x4c8g", "size missing.csv",
    ],
)  # fmt: skip
def test_what_is_refused_leaves_no_empty_folder(told, command):
    told(*command.split(), "-o", "new")
    assert not Path("new").exists()
    Path("old").mkdir()
    told(*command.split(), "-o", "old")
    assert Path("old").is_dir()


def test_a_missing_file_is_named_once(told):
    assert told("compare", "missing.swf", *HOSTS).count("missing.swf") == 1


def test_a_word_that_is_none_of_those_allowed_is_told_without_the_words_of_a_library(told):
    message = told("compare", "good.swf", *HOSTS, "--spread", "anyy")
    assert "'anyy' is not one of 'auto'" in message
    assert "Value error" not in message


@pytest.mark.parametrize("bag", ["normal(1e300,1)x3", "constant(1e13)x1", "bimodal(1,1e14,.5)x2"])
def test_a_bag_that_no_clock_can_count_is_refused(told, bag):
    assert "beyond any clock" in told("size", bag)


def test_a_generated_log_that_would_come_at_one_moment_is_refused(told):
    command = "generate netbatch --jobs 50 --hosts 2 --load 1e300 -o made.swf"
    assert "'1e+300': offered load" in told(*command.split())


@pytest.mark.parametrize("code", ["0", "3", ""])
@pytest.mark.parametrize("verb", [("simulate", "--discipline"), ("share", "--methods")])
def test_a_rule_that_ends_the_program_is_refused_with_its_line(told, verb, code):
    Path("ends.py").write_text(f"import sys\nclass Ends:\n    def serve(self, this_pass):\n        sys.exit({code})\n")
    said = told(verb[0], "good.swf", *HOSTS, verb[1], "ends.py:Ends", "-o", "out")
    assert "ends.py:4: 'serve': a rule decides, and does not end the program" in said
