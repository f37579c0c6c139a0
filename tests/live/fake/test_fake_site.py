"""A log runs live on a fake of a real site as it is simulated there: its partitions and limits bind."""

import numpy as np
import polars as pl
import pytest

import loadmaster as lm

CONF = """
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=n[1-3] CPUs=4
PartitionName=batch Nodes=n[1-2] Default=YES
PartitionName=wide Nodes=n[2-3] MinNodes=2 PriorityTier=2
AccountingStorageEnforce=limits,qos
"""
ACCOUNTS = "Account|User|Share|MaxJobs\nroot||1|\na||1|\na|u0|1|1\na|u1|1|\n"


@pytest.fixture
def site(tmp_path):
    rng = np.random.default_rng(4)
    jobs = pl.DataFrame(
        {
            "job_id": np.arange(1, 31),
            "submit_s": np.sort(rng.integers(0, 600, 30)),
            "runtime_s": rng.integers(30, 300, 30),
            "cores": rng.integers(1, 4, 30),
            "tasks": rng.integers(1, 3, 30),
            "user": [f"u{n}" for n in rng.integers(0, 2, 30)],
            "project": ["a"] * 30,
            "partition": rng.choice(["batch", "wide", "batch,wide"], 30),
        }
    )
    jobs.write_csv(tmp_path / "jobs.csv")
    (tmp_path / "slurm.conf").write_text(CONF)
    (tmp_path / "accounts.txt").write_text(ACCOUNTS)
    return {"site": tmp_path / "slurm.conf", "site_accounts": tmp_path / "accounts.txt"}


@pytest.mark.parametrize("discipline", ["multifactor+easy", "sjf+slurm"])
def test_a_site_binds_a_fake_run_as_it_binds_a_simulated_one(site, discipline, tmp_path):
    rule = {"policy": "first-fit", "discipline": discipline, "interval": "30s"}
    lm.live.run("fake", tmp_path / "jobs.csv", **site, **rule, out=tmp_path / "live")
    simulated = lm.simulate(tmp_path / "jobs.csv", **site, **rule).record.schedule.start_s
    lived = pl.read_parquet(tmp_path / "live" / "jobs.parquet").sort("job")["start_s"].to_numpy()
    assert np.isfinite(simulated).sum() >= 20
    assert np.array_equal(lived, simulated, equal_nan=True)
