"""A listing of a queue as `squeue --json` prints it, and its hosts."""

import json

AT = 1_700_000_000


def job(number, state, submit_s, start_s=0, *, minutes=60, cpus=8, nodes="", count=1):
    set_ = {"set": True, "infinite": False}
    return {
        "job_id": number,
        "user_name": "ann",
        "partition": "main",
        "job_state": [state],
        "submit_time": {**set_, "number": AT + submit_s},
        "start_time": {**set_, "number": AT + start_s if start_s else 0},
        "time_limit": {**set_, "number": minutes},
        "node_count": {**set_, "number": count},
        "cpus": {**set_, "number": cpus},
        "memory_per_node": {**set_, "number": 1000},
        "nodes": nodes,
    }


def listing(tmp_path, *jobs):
    path = tmp_path / "queue.json"
    path.write_text(json.dumps({"jobs": list(jobs)}))
    return path


def hosts(tmp_path):
    path = tmp_path / "hosts.csv"
    path.write_text("name,cores,memory\n" + "".join(f"n{k},8,16GiB\n" for k in range(1, 4)))
    return path
