"""Records of live runs, line by line, as `live.jsonl` has them."""

GB = 2.0**30
SETTING = {"policy": "mix-fit", "discipline": "easy", "members": [], "seed": 0}
CONDUCT = {"interval_s": 10.0, "mode": "live", "for_s": None, "max_starts": None, "on_exit": "release"}


def begin(mode="live", **about):
    conduct = {**CONDUCT, "mode": mode}
    line = {"begin": 1, "origin_s": 1000.0, "at_s": 1000.0, "seed": 0, "engine": "fake", "conduct": conduct}
    return line | {"setting": SETTING, "command": "loadmaster live fake"} | about


def cluster(names):
    return {
        "resources": ["cores", "memory"],
        "names": names,
        "capacity": [[8.0, 8 * GB] for _ in names],
        "speed": [1.0] * len(names),
        "rules": None,
    }


def job(submit_s, host=-1, cores=2.0, memory_gb=1.0):
    return {
        "submit_s": submit_s,
        "demand": [cores, memory_gb * GB],
        "state": [0 if host < 0 else 2],
        "host": [host],
        "pin": [-1],
        "runtime_s": 60.0,
    }


def first(jobs, names=("a", "b")):
    return {
        "at_s": 1000.0,
        "token": "0",
        "cluster": cluster(list(names)),
        "up": [True] * len(names),
        "names": {"user": [], "account": []},
        "left_out": [],
        "over": [],
        "new": jobs,
    }


def decided(*starts, **meta):
    carried = {"last_host": "", "promises": {}, "wake_s": "inf", "clock": ["0.0", "0.0"]}
    return {"starts": [[name, [host], 0] for name, host in starts], "winners": 0, "queued": 2, **carried, **meta}


def cycle(at_s, seen, *passes, asked=()):
    seen = {"at_s": 1000.0 + at_s, **seen}
    return {
        "cycle": at_s,
        "seen": seen,
        "passes": list(passes),
        "by": "rule",
        "taken": True,
        "cut": False,
        "asked": [["start", name, [host]] for name, host in asked],
    }


def runs(host):
    return {"state": [2], "host": [host]}


def live_run(name="j2", host="a", text="try again", mode="live"):
    """Two jobs wait; one begins after 10 s on the first host, the other is refused."""
    starts = (("j1", host), (name, host))
    return [
        begin(mode),
        cycle(0.0, first({"j1": job(995.0), name: job(990.0)}, (host, "b")), decided(*starts), asked=starts),
        {"answer": [[["start", name, [host]], "busy", text]]},
        cycle(10.0, {"set": {"j1": runs(0)}}),
        cycle(20.0, {}),
        {"end": "done", "at_s": 1020.0},
    ]
