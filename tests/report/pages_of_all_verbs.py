"""A small page of every verb, with hostile names where a user's names stand."""

import sys

import pytest
from live_records import begin, live_run

import loadmaster as lm
from loadmaster.cli import main
from loadmaster.papers.claim import Claim, Reproduction
from loadmaster.report.commands_chart import commands_chart
from loadmaster.report.page import Chart
from loadmaster.verbs.reproduce import Reproduced
from loadmaster.verbs.run import Ran

HOSTILE = "<script>alert(1)</script>"
ROWS = [
    {"task": 1, "command": HOSTILE, "state": "done", "exit": 0, "attempts": 1, "seconds": 2.0, "machine": "<b>"},
    {"task": 2, "command": "b", "state": "not done", "exit": None, "attempts": 0, "seconds": None, "machine": ""},
]


def write_all(folder):
    """{verb: its page}; the folders beside the pages hold what `loadmaster report` reads."""
    log = lm.generate.netbatch(jobs=80, hosts=3, load=0.95, seed=1)
    tasks = [f"{HOSTILE if k == 1 else f't{k}'},{1 + k % 3},{1 + k % 4}" for k in range(12)]
    (folder / "tasks.csv").write_text("\n".join(["name,cores,memory_gb", *tasks, ""]))
    placed = [f"{line},{k % 2}" for k, line in enumerate(tasks)]
    (folder / "state.csv").write_text("\n".join(["name,cores,memory_gb,host", *placed, ""]))
    (folder / "log.csv").write_text(
        "job_id,submit_s,runtime_s,cores,memory_gb,user\n"
        + "".join(f"{k},{k * 9_000},{60 + 700 * (k % 9)},{1 + k % 2},1,{k % 3}\n" for k in range(40))
    )
    run = lm.simulate(log, policy="mix-fit", discipline="easy")
    run.save(folder / "simulate")
    claims = [Claim(HOSTILE, "it is 3", "3", "3", "holds", note="<b>"), Claim("Table 1", "x", "1", "2", "differs")]
    made = {
        "compare": lambda: lm.compare(log, policies=["first-fit", "mix-fit"], disciplines="easy"),
        "pack": lambda: lm.pack(folder / "tasks.csv", hosts="4x8c16g"),
        "rebalance": lambda: lm.rebalance(folder / "state.csv", hosts="3x12c24g"),
        "size": lambda: lm.size("normal(150,30)x16", repetitions=3, deadline="2h"),
        "share": lambda: lm.share(log, methods="e-pvm,pvm"),
        "run": lambda: Ran({"failed": [], "unpaid": [2], "folder": "bag.run"}, ("1 of 2 ended well", "a note"), ROWS),
        "reproduce": lambda: Reproduced(
            "paper", Reproduction("paper", "A paper", claims, [Chart(commands_chart(ROWS))]), folder
        ),
    }
    for verb, make in made.items():
        make().save(folder / verb)
    (folder / "live").mkdir()
    _live(folder / "live")
    job = int(run.frame["id"][-1])
    for words in (
        ["explain", "simulate", str(job), "-o", "explain"],
        ["info", "log.csv", "--hosts", "2x2c4g", "-o", "info"],
        ["report", "live"],
        ["report", "simulate"],
    ):
        loadmaster(*words)
    return {verb: folder / verb / "report.html" for verb in (*made, "live", "simulate", "explain", "info")}


def _live(folder):
    import json

    lines = [begin(command=HOSTILE), *live_run(name=HOSTILE, host=HOSTILE, text=HOSTILE)[1:]]
    (folder / "live.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def loadmaster(*words):
    """Run a command in this process; it must end well."""
    kept, sys.argv = sys.argv, ["loadmaster", *words]
    with pytest.raises(SystemExit) as ended:
        main()
    sys.argv = kept
    assert ended.value.code in (0, None), words
