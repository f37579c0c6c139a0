"""Folders as verbs leave them, made without running any, and a client of a workbench over them."""

import json
import warnings

import polars as pl

from loadmaster.report.page import Page, Text, write
from loadmaster.workbench.app import application
from loadmaster.workbench.bench import Bench
from loadmaster.workbench.guard import CSRF
from loadmaster.workbench.served_folders import ServedFolders
from loadmaster.workbench.token import Token

with warnings.catch_warnings():  # it would rather stand on httpx2
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

HOST = "127.0.0.1:8787"
TOKEN = Token("t" * 43)
HOSTILE = "</script><script>alert(1)</script>"


def compared(folder, waits, load=0.8, answer="mix-fit waits least."):
    """A folder of `compare`; `waits` by policy."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"kind": "candidate", "policy": policy, "discipline": "easy", "load": load, "jobs": 10, "mean_wait_s": wait}
        for policy, wait in waits.items()
    ]
    pl.DataFrame(rows).write_parquet(folder / "summary.parquet")
    write(folder / "report.html", Page(answer, [Text("a page")], "10 jobs", "loadmaster compare"))
    return folder


def simulated(folder, policy="mix-fit", wait_s=60.0, ids=(7, 8)):
    """A folder of `simulate`, without what only its engine knows."""
    folder.mkdir(parents=True, exist_ok=True)
    result = {
        "policy": policy,
        "discipline": "easy",
        "jobs": len(ids),
        "load": 0.5,
        "mean_wait_s": wait_s,
        "metrics": {"utilization_cores": 0.5},
    }
    about = {"setting": {"policy": policy, "discipline": "easy"}, "source": "a log", "result": result}
    jobs = {"id": list(ids), "wait_s": [float(k) for k in range(len(ids))], "submit_s": [0.0] * len(ids)}
    pl.DataFrame(jobs).write_parquet(folder / "jobs.parquet")
    (folder / "run.json").write_text(json.dumps(about))
    return folder


def bench_over(*roots, work=None, **more):
    roots = tuple(root.resolve() for root in roots)
    work = (work or roots[0]).resolve()
    return Bench(ServedFolders(roots, work), TOKEN, more.pop("max_upload", 1 << 20), **more)


def client_of(bench, *, known=True, **more):
    """A browser that knows the token, or does not; what it posts comes from a page of ours."""
    client = TestClient(application(bench, [HOST]), base_url=f"http://{HOST}", follow_redirects=False, **more)
    if known:
        client.cookies.set("loadmaster-8787", TOKEN.cookie)
        client.headers.update({CSRF: TOKEN.csrf, "origin": f"http://{HOST}"})
    return client
