"""Checks a Slurm and reports what prevents a live run; changes nothing."""

import os
import pwd
import re
import stat
import time
from contextlib import suppress
from pathlib import Path

from loadmaster.live.session.finding import Finding, host_count, left_out, listing_time
from loadmaster.live.session.lease import holder
from loadmaster.live.slurm.engine import SlurmEngine, cluster_of_machine
from loadmaster.live.slurm.listing import COMMAND
from loadmaster.site.gpu_models import models_of
from loadmaster.site.node import SiteNode
from loadmaster.system.counted import counted

_LOOKS_AT = re.compile(r'^local HEARTBEAT = "(.*)"', re.MULTILINE)
_RUNS = re.compile(r"""^[^-\n]*\bdofile\s*\(\s*["'](.*?)["']""", re.MULTILINE)
_NAMED = 8


def examine(engine: SlurmEngine, heartbeat: Path) -> list[Finding]:
    """Rights, version, plugins, latency, what is hidden, and which jobs would be left out and why.

    Args:
        engine: that only looks on.
        heartbeat: the file of a run, which the hook at submission is to look at.

    Raises:
        EngineDown: Slurm stopped answering.
    """
    hook = _hook(engine, heartbeat)
    looked = [*_check_lock(engine), *_privacy(engine), *_latency(engine), *_jobs(engine), *_gpus(engine)]
    return [*_version(engine), *_rights(engine), *hook, *looked]


def _version(engine: SlurmEngine) -> list[Finding]:
    version = engine.settings.get("SLURM_VERSION", "unknown")
    tried = version.startswith("22.05")
    note = "" if tried else "; tried on 22.05: use --shadow first"
    selection = engine.settings.get("SelectType", "")
    findings = [
        Finding("ok" if tried else "note", f"Slurm {version}, cluster {engine.cluster or 'without a name'}{note}")
    ]
    if selection not in ("select/cons_tres", "select/cons_res"):
        findings.append(Finding("note", f"{selection}: every job gets whole hosts"))
    return findings


def _rights(engine: SlurmEngine) -> list[Finding]:
    me = pwd.getpwuid(os.geteuid()).pw_name
    chief = engine.settings.get("SlurmUser", "").partition("(")[0]
    if os.geteuid() == 0 or me == chief:
        return [Finding("ok", f"you are {me}: may hold, pin and release any job")]
    answer = engine.commands.run("sacctmgr", "-n", "-P", "show", "user", me, "format=AdminLevel")
    level = answer.text.strip()
    if level in ("Operator", "Administrator"):
        return [Finding("ok", f"you are {me}, {level} of the accounting database: may hold, pin and release any job")]
    fix = f"run it as {chief or 'SlurmUser'}, or: sacctmgr modify user {me} set adminlevel=operator"
    return [Finding("bad", f"you are {me}: may not pin or release jobs of others", fix)]


def _hook(engine: SlurmEngine, heartbeat: Path) -> list[Finding]:
    plugins = engine.settings.get("JobSubmitPlugins", "").split(",")
    if "lua" not in plugins:
        fix = "set JobSubmitPlugins=lua in slurm.conf and put the hook beside it (--print hook)"
        return [Finding("bad", "no hook at submission: jobs start before they are seen", fix)]
    script = engine.conf.with_name("job_submit.lua")
    try:
        texts = _texts_of(script)
    except OSError:  # it may lie on the controller's machine alone
        return [Finding("ok", "JobSubmitPlugins=lua: job_submit.lua beside slurm.conf can hold jobs at submission")]
    if heartbeat.resolve() not in [Path(path).resolve() for text in texts for path in _LOOKS_AT.findall(text)]:
        fix = "give the --state with which the hook was printed, or print it again with this one (--print hook)"
        return [Finding("bad", f"{script} does not look at {heartbeat}: no job would be held", fix)]
    return [
        Finding("ok", f"{script} holds jobs at submission while {heartbeat} is fresh"),
        *_readable(engine, heartbeat.parent),
    ]


def _texts_of(script: Path) -> list[str]:
    """The script, and those that it runs with `dofile`: a site may have merged ours into its own.

    Raises:
        OSError: the script cannot be read.
    """
    texts = [script.read_text(encoding="utf-8", errors="replace")]
    for name in _RUNS.findall(texts[0]):
        with suppress(OSError):
            texts.append(Path(name).read_text(encoding="utf-8", errors="replace"))
    return texts


def _check_lock(engine: SlurmEngine) -> list[Finding]:
    """Whether a run would find the cluster taken."""
    who = holder(cluster_of_machine(engine.settings))
    return [Finding("note", f"a loadmaster runs this cluster now ({who}): a second one does not start")] if who else []


def _readable(engine: SlurmEngine, folder: Path) -> list[Finding]:
    """Whether Slurm's controller may look into the folder of the heartbeat, as far as its mode tells."""
    name = engine.settings.get("SlurmUser", "").partition("(")[0]
    try:
        chief = pwd.getpwnam(name)
    except KeyError:
        return []
    groups = set(os.getgrouplist(name, chief.pw_gid))
    for each in [*reversed(folder.parents), folder]:
        if chief.pw_uid and each.is_dir() and not _may_enter(each.stat(), chief.pw_uid, groups):
            fix = f"give a --state that {name} can read, such as /var/lib/loadmaster"
            return [
                Finding(
                    "bad",
                    f"{name}, the user of Slurm's controller, may not read {each}: no job would be held",
                    fix,
                )
            ]
    return []


def _may_enter(mode: os.stat_result, user: int, groups: set[int]) -> bool:
    if mode.st_uid == user:
        return bool(mode.st_mode & stat.S_IXUSR)
    return bool(mode.st_mode & (stat.S_IXGRP if mode.st_gid in groups else stat.S_IXOTH))


def _privacy(engine: SlurmEngine) -> list[Finding]:
    hidden = set(engine.settings.get("PrivateData", "none").lower().split(",")) & {"jobs", "nodes", "partitions", "all"}
    if not hidden or os.geteuid() == 0:
        return []
    return [
        Finding(
            "bad",
            f"PrivateData={','.join(sorted(hidden))}: this site hides them from users",
            "run as an operator, else the count of free cores is wrong",
        )
    ]


def _latency(engine: SlurmEngine) -> list[Finding]:
    begun = time.perf_counter()
    engine.commands.read(*COMMAND)
    return [listing_time(time.perf_counter() - begun, "jobs")]


def _jobs(engine: SlurmEngine) -> list[Finding]:
    seen = engine.observe()
    hosts = host_count(seen.up, "host", "jobs")
    findings = [
        Finding("ok", f"{hosts}; {counted(seen.jobs.jobs, 'job')} that can be placed, {len(seen.left_out):,} left out")
    ]
    findings += left_out(seen.left_out)
    if engine.senseless:
        findings.append(
            Finding(
                "bad", f"{counted(engine.senseless, 'line')} of squeue cannot be read", "report the version of Slurm"
            )
        )
    return findings + [Finding("note", note) for note in engine.notes]


def _gpus(engine: SlurmEngine) -> list[Finding]:
    """GPUs of the hosts by model, which of them jobs may name, and whether accounting tracks them."""
    hosts: dict[tuple[str, ...], list[SiteNode]] = {}
    for node in engine.nodes:
        if node.gpus:
            hosts.setdefault(models_of(node), []).append(node)
    if not hosts:
        return []
    findings = []
    for models, nodes in sorted(hosts.items()):
        words = " and ".join(model or "without a type" for model in models)
        names = ", ".join(node.name for node in nodes[:_NAMED]) + (", ..." if len(nodes) > _NAMED else "")
        text = f"GPUs {words}: {sum(node.gpus for node in nodes):,} on {names}"
        if len(models) > 1:
            findings.append(Finding("note", f"{text}: counted together, so jobs that name one of them are left out"))
        else:
            findings.append(Finding("ok", text))
    tracked = engine.settings.get("AccountingStorageTRES", "").lower().split(",")
    if any(each.partition(":")[0] == "gres/gpu" for each in tracked):
        return [*findings, Finding("ok", "AccountingStorageTRES has gres/gpu: accounting knows the GPUs of jobs")]
    text = "AccountingStorageTRES lacks gres/gpu: squeue shows what GPUs jobs request, but limits and sacct count none"
    return [*findings, Finding("note", text, "add gres/gpu to it if GPUs are to count for shares, limits or a replay")]
