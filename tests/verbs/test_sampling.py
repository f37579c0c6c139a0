"""`compare` asked how sure it is: the same on the command line and in Python, resumed, refused where it cannot be."""

import json
import sys

import pytest

import loadmaster as lm
from loadmaster.cli import main


def printed(command, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["loadmaster", *command.split()])
    with pytest.raises(SystemExit) as end:
        main()
    text = capsys.readouterr()
    return end.value.code, text.out, text.err


RULES = "--limit 300 --policies first-fit,worse-fit-cores --loads 1.2"


def test_every_rule_runs_on_the_same_samples_and_what_was_drawn_is_not_drawn_again(capsys, monkeypatch, tmp_path):
    code, out, _ = printed(f"compare {RULES} --samples 5 --json -o {tmp_path}", capsys, monkeypatch)
    made = json.loads(out)
    assert code == 0
    assert made["verdict"] in ("best", "tied")
    assert {row["samples"] for row in made["rows"]} == {5}
    assert (tmp_path / "groups.parquet").is_file()
    assert "How sure this is" in (tmp_path / "report.html").read_text()
    more = lm.compare(limit=300, policies=["first-fit", "worse-fit-cores"], loads=[1.2], samples=6, out=tmp_path).frame
    kept = printed(f"compare {RULES} --samples 6 --json -o {tmp_path}", capsys, monkeypatch)
    assert "14 of 14 runs were kept from before" in kept[2]
    assert [row["difference_low"] for row in json.loads(kept[1])["rows"]] == more["difference_low"].to_list()


def test_another_seed_draws_other_samples():
    options = {"limit": 300, "policies": ["first-fit", "worse-fit-cores"], "loads": [1.2], "samples": 5}
    first, other = (lm.compare(**options, seed=seed).frame["difference_high"].to_list() for seed in (0, 1))
    assert first != other


def test_a_race_stops_within_its_time_and_says_why():
    made = lm.compare(limit=200, policies=["first-fit", "mix-fit"], until_sure="1s").comparison.judgement
    assert made.sampled.ending in ("best", "close", "time")
    assert made.sampled.samples >= 10


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--samples 3", "at least 5"),
        ("--resample seeds", "no samples are drawn"),
        ("--samples 5 --until-sure 1s", "both say how many"),
        ("--until-sure 1s --resample users", "add no information"),
        ("--until-sure soon", "soon"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_line(options, words, capsys, monkeypatch, tmp_path):
    code, out, err = printed(f"compare --limit 50 --policies first-fit {options} -o {tmp_path}", capsys, monkeypatch)
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.strip().splitlines()) == 1


def test_a_recorded_log_is_not_made_again(capsys, monkeypatch, tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("submit_s,runtime_s,cores\n" + "".join(f"{i},50,1\n" for i in range(30)))
    command = f"compare {log} --hosts 2x4c --policies first-fit,mix-fit -o {tmp_path}"
    code, _, err = printed(f"{command} --samples 5 --resample seeds", capsys, monkeypatch)
    assert code == 2
    assert "carries its generator's parameters" in err
    code, out, _ = printed(f"{command} --samples 5 --json", capsys, monkeypatch)
    made = json.loads(out)
    assert (code, made["verdict"], made["loads"][0]["interval"]) == (0, "none", "chaos")
    assert "0 whole weeks" in made["verdict_because"]


@pytest.mark.parametrize("name", ["log.swf", "log.csv.gz", "log.parquet"])
def test_a_log_that_generate_wrote_carries_what_made_it_so_other_seeds_can_be_drawn(
    name, capsys, monkeypatch, tmp_path
):
    log = tmp_path / name
    made = printed(f"generate netbatch --jobs 200 --hosts 4 --load 1.2 --seed 3 -o {log}", capsys, monkeypatch)
    assert made[0] == 0
    asked = f"compare {log} --policies first-fit,mix-fit --samples 5 --json -o {tmp_path / 'r'}"
    code, out, err = printed(f"{asked} --hosts {tmp_path / 'log.hosts.csv'}", capsys, monkeypatch)
    assert code == 0, err
    (load,) = json.loads(out)["loads"]
    assert (load["resample"], load["samples"]) == ("seeds", 5)
