"""`live --config`: options of an engine in a TOML file."""

import json
import tomllib
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

import loadmaster as lm
from loadmaster.model import InputError
from loadmaster.verbs.live import ENGINES
from loadmaster.verbs.live_config import config_text, key_of, read_config
from loadmaster.verbs.live_fake import FakeOptions
from loadmaster.verbs.live_kubernetes import KubernetesOptions
from loadmaster.verbs.live_slurm import SlurmOptions
from loadmaster.verbs.option import described


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def written(text):
        (tmp_path / "live.toml").write_text(text)
        return "live.toml"

    return written


def _every_default(kind):
    return {field.name: field.default for field in fields(kind) if field.default not in (None, "", ())}


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_every_option_that_may_stand_in_a_file_is_read_back_as_it_was_printed(engine, file):
    kind = ENGINES[engine].options
    allowed = {name for name, (_, option) in described(kind).items() if option.in_file}
    usual = {name: value for name, value in _every_default(kind).items() if name in allowed}
    read = read_config(kind, file(config_text(kind, usual)))
    assert {name: str(value) if name == "out" else value for name, value in read.items()} == usual
    keys = {line.removeprefix("# ").partition(" = ")[0] for line in config_text(kind, {}).splitlines() if " = " in line}
    assert {key_of(kind, name) for name in allowed} <= keys


@given(st.text())
def test_any_text_is_the_same_in_the_file(text):
    written = config_text(FakeOptions, {"trouble": text})
    assert tomllib.loads(written)["trouble"] == text


def test_the_command_line_wins_and_the_record_says_so(file, tmp_path):
    path = file('policy = "first-fit"\ninterval = 10\nlimit = 5\n')
    made = lm.live.run("fake", config=path, policy="mix-fit", out=tmp_path / "run")
    begin = json.loads((tmp_path / "run" / "live.jsonl").read_text().splitlines()[0])
    assert begin["setting"]["policy"] == "mix-fit"
    assert begin["conduct"]["interval_s"] == 10.0
    assert begin["config"] == {"file": path, "options": {"interval": 10, "limit": 5}, "overridden": ["policy"]}
    assert "options of live.toml" in made.report(tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('polcy = "mix-fit"', "live.toml: 'polcy': no such option; did you mean policy?"),
        ("max_starts = 3", "live.toml: 'max_starts': no such option; did you mean max-starts?"),
        ("[slurm]", "live.toml: 'slurm': no such option; `--print config` lists"),
        ('seed = "one"', "live.toml: 'one': seed takes a whole number"),
        ("metrics = true", "live.toml: 'true': metrics takes a whole number"),
        ("metrics = 99999", "live.toml: '99999': metrics takes a number of at most 65535"),
        ('on-exit = "keep"', "live.toml: 'keep': on-exit takes release, hold"),
        ("policy = 1979-05-27", "policy takes a text in quotes"),
        ("a = [", "'live.toml': not TOML"),
        ('a = "' + chr(0xDC80) + '"', "'live.toml': not TOML"),
        ("a = " + 5000 * "[", "'live.toml': not TOML"),
        ('config = "other.toml"', "'config': this option works on the command line only"),
        ('print = "config"', "'print': this option works on the command line only"),
        ('policy = "mine.py:rate"', "policy in a file of options names no Python to be run"),
        ('discipline = "fcfs+mine.py:Own"', "discipline in a file of options names no Python to be run"),
        ('metrics-token = "token"', "this option changes nothing here: it works only with --metrics"),
        ('shadow = true\non-exit = "hold"', "no action is sent to the engine"),
    ],
)
def test_bad_files_are_refused_in_one_line(text, says, file, tmp_path):
    path = file("")
    (tmp_path / path).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as error:
        lm.live.run("fake", config=path, out=tmp_path / "run")
    assert says in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        lm.live.run("fake", config=tmp_path / "nowhere.toml", out=tmp_path)


@pytest.mark.parametrize("key", ["doctor", "probe", "watchdog", "uninstall", "print"])
def test_no_file_asks_for_anything_beside_a_run(key, file):
    with pytest.raises(InputError, match="works on the command line only"):
        SlurmOptions(config=file(f"{key} = true"))


def test_no_file_names_commands_to_be_run(file):
    with pytest.raises(InputError, match="works on the command line only"):
        ENGINES["cgroup"].options("jobs.txt", config=file('commands = "jobs.txt"'))


def test_a_typed_shadow_tries_the_file_of_a_run_as_it_is(file, tmp_path):
    path = file('on-exit = "hold"\nlimit = 5\n')
    assert lm.live.run("fake", config=path, shadow=True, out=tmp_path / "run").ended == "done"
    options = KubernetesOptions(config=file("moves = 3"), shadow=True)
    assert (options.given, options.moves) == (("config", "shadow"), 3)


def test_lists_stand_for_texts_parted_by_commas(file):
    assert SlurmOptions(config=file('partition = ["short", "long"]')).partition == "short,long"


def test_the_doctor_says_whether_a_run_by_the_file_would_begin(file):
    (good,) = SlurmOptions(config=file('fail-open = "1min"\npolicy = "mix-fit"'), doctor=True).config_findings()
    assert (good.level, good.what) == ("ok", "live.toml: 2 options (fail-open 1min, policy mix-fit)")
    for text, why in (
        ('policy = "mix-fat"', "did you mean mix-fit"),
        ('discipline = "esay"', "did you mean easy"),
        ('fail-open = "1s"', "10 s or more"),
        ('interval = "0s"', "needs a time between"),
        ('shadow = true\nothers = "keep"', "no action is sent to the engine"),
        ('metrics = 0\nmetrics-token = "nowhere"', "no token can be read there"),
    ):
        (bad,) = SlurmOptions(config=file(text), doctor=True).config_findings()
        assert (bad.level, why in bad.what) == ("bad", True)
    assert SlurmOptions(doctor=True).config_findings() == []
