"""Every `--json` is one object, as the schemas of `report/schemas` describe it."""

import json
import sys

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from loadmaster.cli import main
from loadmaster.cli.app import VERBS
from loadmaster.papers import Paper
from loadmaster.papers.claim import Claim, Reproduction
from loadmaster.report.document import document
from loadmaster.report.schemas import SCHEMAS

REGISTRY = Registry().with_resources((made["$id"], Resource.from_contents(made)) for made in SCHEMAS.values())

TASKS = "name,cores,memory\na,1,1GiB\nb,2,2GiB\nc,1,4GiB\n"
READY = [{"type": "Ready", "status": "True"}]
STATUS = {"allocatable": {"cpu": "4", "memory": "8Gi"}, "conditions": READY}
STATE = {
    "apiVersion": "v1",
    "kind": "List",
    "items": [
        {"kind": "Node", "metadata": {"name": "n"}, "status": STATUS},
        {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": []}},
    ],
}
NEEDS = {"requiredCpuPower": 1, "requiredMemory": 1, "requiredNetworkBandwidth": 1}
CLOUD = {
    "computerList": [{"id": 0, "cpuPower": 4, "memory": 4, "networkBandwidth": 4, "cost": 400}],
    "processList": [{"id": 0, "computer": None, **NEEDS}, {"id": 1, "computer": 0, **NEEDS}],
}
QUEUE = """JOBID|PARTITION|NAME|USER|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|MIN_MEMORY
7|main|a|ann|RUNNING|2026-11-27T09:00:00|2026-11-27T09:10:00|3:00:00|1|4|1G
8|main|b|ben|PENDING|2026-11-27T09:20:00|N/A|1:00:00|1|4|1G
"""
PAST = "submit_s,runtime_s,estimate_s,cores,user\n" + "".join(
    f"{k * 1900},{2000 + 37 * k % 1600},7200,{1 + 3 * (k % 3 > 0)},{k % 4}\n" for k in range(200)
)
WEEKS = "submit_s,runtime_s,cores\n" + "".join(f"{k * 86400},{90_000 - 9 * k},{1 + k % 2}\n" for k in range(22))
SITE = "NodeName=n[1-2] CPUs=2\nPartitionName=main Nodes=ALL Default=YES\nPriorityType=priority/multifactor\n"
FILES = {
    "slurm.conf": SITE,
    "asleep.conf": SITE.replace("CPUs=2", "CPUs=2 State=CLOUD"),
    "queue.txt": QUEUE,
    "past.csv": PAST,
    "weeks.csv": WEEKS,
    "state.json": json.dumps(STATE),
    "log.csv": "job_id,submit_s,runtime_s,cores,memory_bytes\n7,0,20,1,1\n8,5,10,x,1\n9,6,10,1,1\n10,7,10,99,1\n",
    "at_once.csv": "submit_s,runtime_s,cores\n0,20,1\n0,10,1\n",
    "one.csv": "submit_s,runtime_s,cores\n0,20,1\n",
    "tasks.csv": TASKS,
    "state.csv": "name,cores,memory,host\na,2,1GiB,0\nb,2,1GiB,0\n",
    "cloud.json": json.dumps(CLOUD),
    "bag.txt": "30\n40\n?\n50\n",
    "commands.txt": "true\nfalse\n",
    "KTH-SP2-1996-2.1-cln.swf.gz": "a log that was fetched before",
}
COMMANDS = [
    "compare --limit 200 --policies first-fit,max-jobs --loads 0.8,1.1 --json",
    "compare log.csv --hosts 1x1c1g --policies first-fit --disciplines fcfs,easy --json",
    "compare --limit 200 --policies first-fit --hosts 22x16c64g@1 --hosts 28x16c64g@1 --loads 0.8,1.1 --json",
    "fewest --limit 200 --hosts 10..40x16c64g@1 --hosts 4..30x32c128g --p95 1h --mean 30min --samples 5 --json",
    "compare at_once.csv --site slurm.conf --add 1x2c@main --set PriorityWeightAge=9 --disciplines site,easy --json",
    "fewest at_once.csv --site slurm.conf --mean 1h --json",
    "tune weeks.csv --site slurm.conf --trials 1 --runs 2 --samples 5 -o site --json",
    "fewest log.csv --hosts 1x1c1g --p99 0s --allow-left-out --json",
    "compare at_once.csv --hosts 1x1c1g --policies first-fit --json",
    "simulate one.csv --hosts 1x1c1g --json",
    "simulate --limit 200 --policy max-jobs -o run --json",
    "simulate --limit 200 --policy first-fit --discipline easy --down 0/2h:0 -o closed --json",
    "simulate --again run --json",
    "explain run 42 --json",
    "simulate at_once.csv --site asleep.conf -o asleep --json",
    "explain asleep 0 --json",
    "diff run run --json",
    "explain run 42 --beside run --json",
    "when queue.txt 8 --hosts 1x4c4g --json",
    "when queue.txt 8 --hosts 1x4c4g --log past.csv --samples 19 --past-jobs 15 -o when --json",
    "pack tasks.csv --hosts 2x4c8g --json",
    "pack tasks.csv --hosts 1x4c1g --json",
    "rebalance state.csv --hosts 2x2c4g --moves 1 --json",
    "rebalance cloud.json --time-limit 0.1 --json",
    "rebalance state.csv --hosts 2x2c4g --balance --json",
    "rebalance state.csv --hosts 3x2c4g --drain 0 --moves 0 --json",
    "rebalance state.json --fix --json",
    "rebalance state.json --json",
    "size constant(60)x20 --repetitions 5 --json",
    "size constant(60)x20 --repetitions 5 --budget 0.001 --json",
    "run commands.txt --sizer 1 --limit 1 --json",
    "tune weeks.csv --hosts 1x2c --trials 1 --runs 2 --samples 5 --json",
    "share log.csv --hosts 1x1c1g --methods pvm,fcfs --json",
    "reproduce made1999 --json",
    "fit at_once.csv --hosts 1x1c1g -o fit --json",
    "info log.csv --json",
    "info at_once.csv --hosts 1x1c1g --json",
    "info state.json --json",
    "generate bag constant(60)x20 -o b.csv --json",
    "generate lublin -o l.csv --jobs 20 --json",
    "generate virtual-jobs -o j.csv --hosts 4 --tasks 8 --json",
    "pack tasks.csv --hosts 2x4c8g -o packed --json",
    "explain packed a --json",
    "generate netbatch -o n.csv --jobs 50 --hosts 2 --json",
    "generate opportunity -o o.csv --json",
    "generate virtual-clusters -o v.csv --hosts 4 --tasks 8 --json",
    "convert log.csv out.swf --json",
    "fetch KTH-SP2 --folder . --json",
    "policies --json",
    "live fake log.csv --hosts 1x1c1g -o live --json",
    "live --check live --json",
    "live fake log.csv --hosts 1x1c1g --shadow --for 2min -o shadow --json",
    "report live --json",
    "report shadow --json",
    "report run --json",
]


def refuse(word):
    raise AssertionError(f"{word} is not in the standard of JSON")


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def printed(here, monkeypatch, capsys):
    """Exit code and document of a command, run in this process in the folder `here`."""
    monkeypatch.chdir(here)
    made = Reproduction("made1999", "A paper", [Claim("Table 1", "x is 1", "1", "1.0", "holds", n=3)])
    monkeypatch.setattr("loadmaster.papers.PAPERS", {"made1999": Paper("made1999")})
    module = type(sys)("made1999")
    module.reproduce = lambda options: made
    monkeypatch.setitem(sys.modules, "made1999", module)

    def run(command):
        monkeypatch.setattr(sys, "argv", ["loadmaster", *command.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        out = capsys.readouterr().out
        assert out.count("\n") == 1, out
        return ended.value.code, json.loads(out, parse_constant=refuse)

    return run


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_one(name):
    Draft202012Validator.check_schema(SCHEMAS[name])


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_verb_prints_is_what_its_schema_describes(printed, command):
    code, made = printed(command)
    assert code in (0, 1)
    name = made["schema"].removeprefix("loadmaster.").partition("/")[0]
    assert name in (command.split()[0], "placement", "moves")
    Draft202012Validator(SCHEMAS[name], registry=REGISTRY).validate(made)
    assert made["command"] == f"loadmaster {command}".replace("constant(60)x20", "'constant(60)x20'")


def test_every_verb_has_a_schema_and_is_tried():
    printing = {*VERBS} - {"serve"}  # which prints an address
    assert set(SCHEMAS) == {*printing, "head", "placement", "moves"}
    assert {command.split()[0] for command in COMMANDS} == printing


def test_jobs_that_all_arrive_at_once_have_no_load_and_use_what_they_use(printed):
    """Twenty seconds and ten on one core, one after the other: it is in use for all thirty."""
    row = printed("compare at_once.csv --hosts 1x1c1g --policies first-fit --interval 0 --json -o once")[1]["rows"][0]
    assert (row["load"], row["utilization"]["cores"], row["makespan_s"]) == (None, 1.0, 30.0)


def test_lines_left_out_and_jobs_rejected_are_in_the_document(printed):
    made = printed("compare log.csv --hosts 1x1c1g --policies first-fit --json")[1]
    assert [(left["count"], left["first"], left["malformed"]) for left in made["left_out"]] == [(1, [3], True)]
    assert [(left["count"], left["first"]) for left in made["rejected_jobs"]] == [(1, [10])]
    assert made["rows"][0]["rejected"] == 1


def test_one_run_of_one_log_is_no_verdict_but_has_a_lowest(printed):
    made = printed("compare --limit 200 --policies first-fit,max-jobs --loads 0.8,1.1 --json")[1]
    assert made["verdict"] == "none"
    for lowest in made["lowest"]:
        waits = {row["policy"]: row["mean_wait_s"] for row in made["rows"] if row["load"] == lowest["load"]}
        assert lowest["mean_wait_s"] == min(waits.values())
        assert {one["policy"] for one in lowest["candidates"]} == {p for p in waits if waits[p] == min(waits.values())}


def test_a_key_of_the_head_cannot_be_lost_under_a_verbs_own():
    with pytest.raises(AssertionError, match="seed"):
        document("run", {"seed": 3})


def test_the_log_of_a_bag_holds_data_and_not_what_python_shows_of_objects(printed, here):
    printed("run commands.txt --sizer 1 --limit 1 --json")
    session = json.loads((here / "commands.txt.run" / "log.jsonl").read_text().splitlines()[0], parse_constant=refuse)
    assert session["sizer"]["class"] == "FixedHosts"
    assert session["sizer"]["count"] == 1
    assert session["type"]["price_per_h"] == 1.0


@pytest.mark.parametrize(
    "command",
    [
        "compare log.csv --policies first-fit --json", "simulate log.csv --json",
        "fewest log.csv --p99 0s --allow-left-out --json", "share log.csv --methods fcfs --json",
        "info log.csv --json",
    ],
)  # fmt: skip
def test_the_part_of_the_work_that_fits_no_machine_has_one_name(printed, command):
    """One of the three jobs that can be read requests 99 cores for 10 s, the others one core for 20 and 10 s."""
    _, made = printed(f"{command} --hosts 1x1c1g")
    where = made["cluster"] if command.startswith("info") else made
    assert where["rejected_work"] == pytest.approx(990 / 1020)
    rejected = where["rejected"] if command.startswith("info") else where["rejected_jobs"]
    assert sum(each["count"] for each in rejected) == 1
