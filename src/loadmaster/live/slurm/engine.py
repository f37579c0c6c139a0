"""Slurm as an engine: what `squeue` and `scontrol` show, what `scontrol` does."""

import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from loadmaster.live.session.engine import HELD, Capabilities, EngineDown, Observation, Refusal, job_of
from loadmaster.live.session.lease import Lease, MachineLock
from loadmaster.live.slurm.actions import lines_of, refusal_of
from loadmaster.live.slurm.commands import Commands
from loadmaster.live.slurm.controllers import Controllers
from loadmaster.live.slurm.hook import Heartbeat, heartbeat_path, sizes_path
from loadmaster.live.slurm.host_parts import HostParts
from loadmaster.live.slurm.host_sizes import HostSizes
from loadmaster.live.slurm.listing import COMMAND, EXCLUDED_COMMAND, parse_listing, with_excluded
from loadmaster.live.slurm.mark import mark, of_owner, owner_of
from loadmaster.live.slurm.names import number_of
from loadmaster.live.slurm.observation import SlurmListings, SlurmObserver, parse_states
from loadmaster.live.slurm.reconfiguration import CONFIG, definitions, reconfigured
from loadmaster.live.slurm.work import is_ours
from loadmaster.model.actions import Action, Explain, Start, Withdraw
from loadmaster.model.errors import InputError
from loadmaster.rules.near import pick
from loadmaster.site.accounts import read_accounts
from loadmaster.site.node import SiteNode
from loadmaster.site.scontrol_nodes import parse_shown_nodes
from loadmaster.site.scontrol_reservations import parse_reservations
from loadmaster.site.site import Site, read_site

_LOOK = "show config\nshow node\nshow partition\nshow reservation\n"
KEPT_BY_SLURMD = (Path("/run/slurm/conf/slurm.conf"), Path("/var/spool/slurmd/conf-cache/slurm.conf"))
"""Where slurmd puts the files of a site that has them on its controller alone."""


class SlurmEngine:
    """A Slurm that runs.

    Args:
        conf: its configuration, from which the site is read as well; None is what the running Slurm names.
        accounts: a file as `--site-accounts` takes it; None leaves limits and shares out.
        looks_on: it is only looked at, as in shadow: all that waits counts as held for us, and no lease is taken.
        folder: where lease and heartbeat are; jobs that a run with another folder holds are left out.
        partitions: only jobs that wait in these are ours; () for all.
        leaves_held: what is held is to stay so for a next run: the last sign of life is left to grow old.

    Raises:
        InputError: no Slurm here, its configuration cannot be read, or another loadmaster has the lease.
        EngineDown: it does not answer.
    """

    name = "slurm"

    def __init__(
        self,
        conf: Path | None = None,
        accounts: Path | None = None,
        *,
        looks_on: bool = False,
        folder: Path | None = None,
        partitions: Sequence[str] = (),
        leaves_held: bool = False,
    ) -> None:
        self._commands = Commands(conf)
        self.settings = dict(CONFIG.findall(self._commands.read("scontrol", "show", "config")))
        self.conf = conf if conf is not None else _conf_here(Path(self.settings.get("SLURM_CONF", "slurm.conf")))
        self.site = _behind_its_hook(read_site(self.conf))
        for name in partitions:
            pick(name, {part.name: part for part in self.site.partitions}, what="partition", see="see: sinfo -s")
        self.owner = owner_of(folder)
        self._locks = () if looks_on else locked(self.settings, folder)
        self._leaves_held, self._looks_on = leaves_held, looks_on
        self._heartbeat = None if looks_on else Heartbeat(heartbeat_path(self.cluster, folder))
        self._sizes = None if self._heartbeat is None else HostSizes(sizes_path(self._heartbeat.path))
        site_accounts = None if accounts is None else read_accounts(accounts, self.cluster)
        self._parts = HostParts(self._commands)
        self._observer = SlurmObserver(
            self.site, site_accounts, self._parts.of, looks_on=looks_on, partitions=partitions
        )
        self._answered = False  # it has been observed once
        self._definitions: dict[str, str] = {}
        self._controllers = Controllers()
        self._held: set[str] = set()
        self._marked: set[str] = set()
        self._named: dict[str, str] = {}  # by job, the hosts that it names itself
        self.nodes: tuple[SiteNode, ...] = ()
        """The hosts of the last listing."""
        self.senseless = 0
        """Lines of the last listing that made no sense."""

    @property
    def cluster(self) -> str:
        """Its name."""
        return str(self.settings.get("ClusterName", ""))

    @property
    def default_partition(self) -> str:
        """Of jobs that name none."""
        return next((part.name for part in self.site.partitions if part.default), "")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user must know of how this Slurm is seen."""
        return self._observer.notes

    @property
    def commands(self) -> Commands:
        """For what is asked beside observing and acting."""
        return self._commands

    @property
    def can(self) -> Capabilities:
        """Place and hold."""
        return Capabilities(place=True, hold=True)

    def observe(self) -> Observation:
        """See `Engine`; a sign of life for the hook at submission."""
        at_s, notes = time.time(), self._beat()
        rows, self.senseless = parse_listing(self._looked(*COMMAND))
        rows = with_excluded(rows, self._looked(*EXCLUDED_COMMAND))
        rows = [of_owner(row, None if self._looks_on else self.owner) for row in rows]
        self._marked = {row.id for row in rows if is_ours(row)}
        self._named = {row.id: row.named for row in rows if row.named}
        about = self._commands.run("scontrol", "-o", text=_LOOK).text
        nodes = sorted(parse_shown_nodes(about), key=lambda node: node.weight)
        if self._answered and not nodes:
            raise EngineDown("scontrol: lists no host any more")
        if self._sizes is not None:
            self._sizes.show(nodes, about)
        self.nodes = tuple(nodes)
        started = dict(CONFIG.findall(about)).get("BOOT_TIME", "")
        listings = SlurmListings(at_s, rows, self.nodes, parse_states(about), parse_reservations(about), started)
        before, self._controllers = self._controllers, Controllers.of(about, started)
        if note := self._controllers.since(before, time.time()):
            notes = (*notes, note)
        defined = definitions(about)
        self._definitions = self._definitions or defined
        if note := reconfigured(self._definitions, defined):
            notes = (*notes, note)
        seen = replace(self._observer.see(listings), notes=notes)
        self._answered = True
        self._parts.forget_ended()
        self._held = {seen.ids[job] for job in set(seen.tasks.job[seen.tasks.state == HELD].tolist())}
        return seen

    def _beat(self) -> tuple[str, ...]:
        """A sign of life; what must be said where that fails: a run that goes on is better than none."""
        try:
            if self._heartbeat is not None:
                self._heartbeat.beat()
        except InputError as error:
            if not self._answered:
                raise
            return (f"{error}; without one Slurm soon starts new jobs by itself, and the watchdog releases those held",)
        return ()

    def _looked(self, *words: str) -> str:
        """A listing; of a Slurm that answered before, any error is one that passes."""
        try:
            return self._commands.read(*words)
        except InputError as error:
            if self._answered:
                raise EngineDown(str(error)) from None
            raise

    def act(self, action: Action) -> Refusal | None:
        """See `Engine`; to let go of a job that does not bear our mark is nothing."""
        if isinstance(action, Withdraw | Explain) and number_of(action.id) not in self._marked:
            return None
        own = self._named.get(number_of(job_of(action)), "")
        if isinstance(action, Explain):
            comment = f"AdminComment={mark(self.owner, action.why, own)}"  # no line of stdin holds a value with spaces
            self._commands.run("scontrol", "update", f"JobId={number_of(action.id)}", comment)
            return None
        if isinstance(action, Start):
            if action.id not in self._held:
                return Refusal(action, "busy", "it was not held when it was last seen")
            self._held.discard(action.id)
        return refusal_of(action, self._commands.run("scontrol", text=lines_of(action, mark(self.owner, "", own), own)))

    def held_of(self, ids: Sequence[str]) -> list[str]:
        """See `ManualRelease`."""
        return [name for name in ids if number_of(name) in self._marked]

    def by_hand(self, ids: Sequence[str]) -> str:
        """See `ManualRelease`."""
        conf = self._commands.conf
        words = "scontrol" if conf is None else f"SLURM_CONF={shlex.quote(conf)} scontrol"
        own = {number_of(name): self._named.get(number_of(name), "") for name in ids}
        free = f"{words} update JobId=$job ReqNodeList={{}} AdminComment=; {words} release $job"
        jobs = [job for job, named in own.items() if not named]
        loops = [f"for job in {' '.join(jobs)}; do {free.format('')}; done"] if jobs else []
        return "; ".join([*loops, *(f"job={job}; {free.format(shlex.quote(own[job]))}" for job in own if own[job])])

    def close(self) -> None:
        """Give the lease back; from now on nothing is held any more, unless that is left to a next run."""
        if self._heartbeat is not None and self._sizes is not None and not self._leaves_held:
            self._heartbeat.stop()
            self._sizes.stop()
        for lock in self._locks:
            lock.release()


def cluster_of_machine(settings: Mapping[str, str]) -> str:
    """What is locked on this machine: the cluster's name, and where its controller listens."""
    name, host, port = (settings.get(key, "") for key in ("ClusterName", "SlurmctldHost[0]", "SlurmctldPort"))
    return f"slurm-{name}@{host}:{port}"


def locked(settings: Mapping[str, str], folder: Path | None) -> tuple[MachineLock, Lease]:
    """The cluster of these settings is ours alone from now on, and so is the folder of state.

    Raises:
        InputError: another process has one of them.
    """
    lock = MachineLock(cluster_of_machine(settings))
    try:
        return lock, Lease(f"slurm-{settings.get('ClusterName', '')}", folder)
    except InputError:
        lock.release()
        raise


def _conf_here(named: Path) -> Path:
    """The configuration that the running Slurm names, or what slurmd keeps of it on a site without files.

    Raises:
        InputError: neither is on this machine.
    """
    for path in (named, *KEPT_BY_SLURMD):
        if path.is_file():
            return path
    rule = "Slurm names this configuration, and this machine has neither it nor a copy that slurmd keeps"
    raise InputError(named, rule, fix="copy it from the controller and give --conf the copy")


def _behind_its_hook(site: Site) -> Site:
    """The site for jobs that are there: what a hook does at submission has been done to them."""
    return replace(site, not_modelled=tuple(key for key in site.not_modelled if key != "JobSubmitPlugins"))
