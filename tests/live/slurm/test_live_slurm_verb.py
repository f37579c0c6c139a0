"""`loadmaster live slurm` as an operator meets it, on a real Slurm."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import real_slurm

from loadmaster.live.slurm.hook import heartbeat_path
from loadmaster.live.slurm.mark import owner_of

pytestmark = pytest.mark.skipif(bool(real_slurm.why_not()), reason=real_slurm.why_not() or "there is one")
RUN = ("--interval", "1s", "--policy", "mix-fit", "--discipline", "multifactor+easy")


@pytest.fixture(scope="module")
def slurm():
    with real_slurm.held_slurm(["CPUs=4 RealMemory=8000"] * 3) as made:
        yield made


@contextmanager
def start(slurm, *words, state=None):
    where = ["--conf", str(slurm.conf), "--state", str(state or slurm.folder / "lm")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, "-m", "loadmaster", "live", "slurm", *where, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            yield process
        finally:
            process.kill()  # where a test fails, nobody else ends it


def verb(slurm, *words, state=None):
    with start(slurm, *words, state=state) as process:
        out, err = process.communicate(timeout=240)
    return process.returncode, out, err


def submit(slurm, *words, run="sleep 1"):
    return slurm.run("sbatch", "--parsable", "-o", "/dev/null", *words, "--wrap", run).strip()


def states(slurm):
    return dict(line.split("|") for line in slurm.run("squeue", "-h", "-t", "all", "-o", "%i|%T").splitlines())


def wait_for(what, patience_s=120.0):
    until = time.monotonic() + patience_s
    while not what():
        assert time.monotonic() < until
        time.sleep(0.3)


def test_the_doctor_finds_nothing_bad_here(slurm):
    code, out, err = verb(slurm, "--doctor", "--json")
    assert code == 0, err
    rows = json.loads(out)["rows"]
    assert {row["level"] for row in rows} <= {"ok", "note"}
    assert any("22.05" in row["what"] for row in rows)


def test_the_service_is_started_with_the_options_of_the_run(slurm):
    code, out, err = verb(slurm, "--print", "units", "--partition", "main", "--policy", "best-fit-memory", "-o", "x y")
    assert code == 0, err
    state = slurm.folder / "lm"
    (line,) = [line for line in out.splitlines() if line.startswith("ExecStart=") and "--watchdog" not in line]
    assert line.startswith(f"ExecStart={sys.executable} -m loadmaster live slurm --state {state} --conf {slurm.conf} ")
    assert all(words in line for words in ("--partition main", "--policy best-fit-memory", "--out 'x y'"))
    assert "record" not in line


def test_a_killed_run_goes_on_and_the_simulator_does_the_same(slurm, tmp_path):
    out = tmp_path / "live"
    beat = heartbeat_path("lm", slurm.folder / "lm")
    with start(slurm, *RUN, "-o", str(out)) as first:
        wait_for(beat.exists)
        jobs = [submit(slurm, "-n", "3", "--mem=100", "-t", "2", run=f"sleep {k % 3 + 1}") for k in range(6)]
        wait_for(lambda: "RUNNING" in states(slurm).values())
        first.kill()
    jobs += [submit(slurm, "-n", "2", "--mem=100", "-t", "1") for _ in range(4)]
    with start(slurm, *RUN, "-o", str(out), "--json") as second:
        wait_for(lambda: all(states(slurm)[job] == "COMPLETED" for job in jobs))
        second.send_signal(signal.SIGINT)
        text, err = second.communicate(timeout=120)
    assert second.returncode == 130, err
    told = json.loads(text)
    assert (told["ended"], told["stranded"], told["lost"]) == ("stopped", [], [])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    checked = subprocess.run(
        [sys.executable, "-m", "loadmaster", "live", "--check", str(out), "--json"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    result = json.loads(checked.stdout)
    assert result["same"]
    assert result["starts"] == len(jobs)


def test_a_shadow_asks_for_nothing(slurm, tmp_path):
    job = submit(slurm, "-H", "-n", "1", "--mem=100")
    before = slurm.run("scontrol", "-o", "show", "job", job)
    code, out, err = verb(slurm, *RUN, "--shadow", "--for", "3s", "-o", str(tmp_path / "shadow"), "--json")
    assert code == 0, err
    assert json.loads(out)["refusals"] == {}
    assert slurm.run("scontrol", "-o", "show", "job", job) == before
    slurm.run("scancel", job)


def test_at_the_end_nothing_is_left_that_only_we_could_start(slurm, tmp_path):
    with start(slurm, *RUN, "--max-starts", "0", "-o", str(tmp_path / "none")) as process:
        wait_for(heartbeat_path("lm", slurm.folder / "lm").exists)
        job = submit(slurm, "-n", "1", "--mem=100")
        time.sleep(2.0)
        code, _, err = verb(slurm, "--uninstall")
        assert (code, "stop it first" in err) == (2, True)
        for words in (("--uninstall",), (*RUN, "-o", str(tmp_path / "second"))):
            code, _, err = verb(slurm, *words, state=tmp_path / "other")
            assert (code, f"another loadmaster runs this cluster (process {process.pid} of" in err) == (2, True)
        assert states(slurm)[job] == "PENDING"
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    wait_for(lambda: states(slurm)[job] == "COMPLETED")


def test_what_one_run_holds_is_not_released_by_another_with_another_state(slurm, tmp_path):
    beat = heartbeat_path("lm", slurm.folder / "lm")
    with start(slurm, *RUN, "--max-starts", "0", "--on-exit", "hold", "-o", str(tmp_path / "first")) as process:
        wait_for(beat.exists)
        job = submit(slurm, "-n", "1", "--mem=100")
        time.sleep(2.0)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    other = tmp_path / "other"
    code, out, err = verb(slurm, *RUN, "--for", "3s", "-o", str(tmp_path / "second"), state=other)
    assert code == 0, err
    assert f"{job}: another loadmaster holds it, with another --state" in out
    assert "1 job stays held by a loadmaster with another --state" in verb(slurm, "--uninstall", state=other)[1]
    assert states(slurm)[job] == "PENDING"
    assert "1 job released" in verb(slurm, "--uninstall")[1]
    wait_for(lambda: states(slurm)[job] == "COMPLETED")


@pytest.fixture
def small_disk(tmp_path):
    """A disk of a quarter of a megabyte."""
    (tmp_path / "disk").mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "lm-test", tmp_path / "disk"], check=False)
    if made.returncode:
        pytest.skip("no small disk can be made here")
    try:
        yield tmp_path / "disk"
    finally:
        subprocess.run(["umount", "-l", tmp_path / "disk"], check=True)


def fill(disk):
    """Really full."""
    with (disk / "filler").open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(512))


def test_on_a_full_disk_all_that_is_held_is_handed_back(slurm, small_disk):
    beat = heartbeat_path("lm", slurm.folder / "lm")
    with start(slurm, *RUN, "--max-starts", "0", "-o", str(small_disk / "out")) as process:
        wait_for(beat.exists)
        jobs = [submit(slurm, "-n", "1", "--mem=100") for _ in range(5)]
        time.sleep(2.0)
        fill(small_disk)
        jobs += [submit(slurm, "-n", "1", "--mem=100") for _ in range(5)]
        _, err = process.communicate(timeout=120)
    assert process.returncode not in (0, None)
    assert "No space left on device" in err
    wait_for(lambda: all(states(slurm)[job] == "COMPLETED" for job in jobs))


def test_where_the_heartbeat_cannot_grow_it_goes_on_in_its_place(slurm, small_disk, tmp_path):
    beat = heartbeat_path("lm", small_disk)
    with start(slurm, *RUN, "-o", str(tmp_path / "out"), state=small_disk) as process:
        wait_for(beat.exists)
        fill(small_disk)
        before = beat.read_text()
        time.sleep(3.0)
        assert beat.read_text() != before
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == 130


def test_ctrl_c_while_the_controller_is_down_names_what_stays_held_and_how_to_free_it(slurm, tmp_path):
    with start(slurm, *RUN, "--max-starts", "0", "-o", str(tmp_path / "out")) as process:
        wait_for(heartbeat_path("lm", slurm.folder / "lm").exists)
        jobs = [submit(slurm, "-n", "1", "--mem=100") for _ in range(3)]
        time.sleep(8.0)  # the controller keeps its state on disk every five seconds
        slurm.kill("slurmctld")
        time.sleep(3.0)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=240)
    slurm.start("slurmctld")
    assert process.returncode == 1
    assert "slurm does not answer; loadmaster asks again" in out
    assert f"3 jobs stay held, since slurm did not accept the release: {', '.join(jobs)}" in out
    assert f"not handed back to the engine: {', '.join(jobs)}" in err
    (command,) = [line.partition("by hand: ")[2] for line in out.splitlines() if "by hand: " in line]
    assert command.startswith(f"for job in {' '.join(jobs)}; do SLURM_CONF={slurm.conf} scontrol update JobId=$job")
    wait_for(lambda: slurm.tried("squeue").returncode == 0)
    assert {states(slurm)[job] for job in jobs} == {"PENDING"}
    slurm.run("sh", "-c", command)
    wait_for(lambda: all(states(slurm)[job] == "COMPLETED" for job in jobs))


def test_why_a_job_is_not_started_stands_in_its_comment_until_that_is_over(slurm, tmp_path):
    with start(slurm, *RUN, "-o", str(tmp_path / "out")) as process:
        wait_for(heartbeat_path("lm", slurm.folder / "lm").exists)
        large = submit(slurm, "-N", "4", "--ntasks-per-node=1", "--mem=100")
        first = submit(slurm, "-n", "1", "--mem=100", run="sleep 8")
        second = submit(slurm, "-n", "1", "--mem=100", "-d", f"afterok:{first}")
        wait_for(lambda: "no host has what it requests" in slurm.run("scontrol", "show", "job", large))
        wait_for(lambda: "dependencies are not met yet" in slurm.run("scontrol", "show", "job", second))
        wait_for(lambda: states(slurm)[second] == "COMPLETED")
        wait_for(lambda: "in other jobs" not in slurm.run("scontrol", "show", "job", second))
        slurm.run("scancel", large)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)


def test_a_job_that_our_hook_held_and_we_have_no_words_for_is_released(slurm, tmp_path):
    with start(slurm, *RUN, "-o", str(tmp_path / "uneven"), "--json") as process:
        wait_for(heartbeat_path("lm", slurm.folder / "lm").exists)
        job = submit(slurm, "-N", "2", "-n", "3", "--mem=100")
        wait_for(lambda: states(slurm)[job] == "COMPLETED")
        process.send_signal(signal.SIGINT)
        text, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert json.loads(text)["starts"] == 0


def test_what_others_keep_has_held_is_released_at_the_end(slurm, tmp_path):
    with start(slurm, *RUN, "--others", "keep", "-o", str(tmp_path / "keep")) as process:
        wait_for(heartbeat_path("lm", slurm.folder / "lm").exists)
        job = submit(slurm, "-N", "2", "-n", "3", "--mem=100")
        time.sleep(3.0)
        assert states(slurm)[job] == "PENDING"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    wait_for(lambda: states(slurm)[job] == "COMPLETED")


def test_the_watchdog_waits_for_the_heartbeat_to_be_old_then_lets_go(slurm):
    beat = heartbeat_path("lm", slurm.folder / "lm")
    beat.write_text(f"{time.time():.0f} {owner_of(beat.parent)}\n")
    job = submit(slurm, "-n", "1", "--mem=100")
    code, out, _ = verb(slurm, "--watchdog", "--fail-open", "60s")
    assert (code, states(slurm)[job]) == (0, "PENDING")
    assert "nothing is released" in out
    beat.write_text(f"{time.time() - 90:.0f}\n")
    code, out, _ = verb(slurm, "--watchdog", "--fail-open", "60s")
    assert code == 0
    assert "1 job released" in out
    wait_for(lambda: states(slurm)[job] == "COMPLETED")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--doctor", "--uninstall"), "only one of these options can be given"),
        (("--fail-open", "1s", "--doctor"), "10 s or more"), (("--partition", "mian", "--doctor"), "mian"),
        (("--interval", "0"), "needs a time between its cycles"),
        (("--doctor", "--policy", "mix-fit"), "--doctor stands alone"),
        (("--fail-open", "1h"), "--print and --watchdog"), (("--shadow", "--on-exit", "hold"), "no action is sent"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_ends_in_one_line(slurm, words, says):
    code, out, err = verb(slurm, *words)
    assert (code, out) == (2, "")
    assert says in err
    assert len(err.strip().splitlines()) == 1


def test_without_a_slurm_it_says_so_in_one_line(tmp_path):
    conf = tmp_path / "slurm.conf"
    conf.write_text("ClusterName=x\nSlurmctldHost=localhost\nSlurmctldPort=1\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-m", "loadmaster", "live", "slurm", "--doctor", "--conf", str(Path(conf))],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
