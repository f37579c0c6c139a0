"""Slurm as an engine: what `squeue` and `scontrol` tell, what `scontrol` does."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from loadmaster.live.engine import HELD, Can, EngineDown, Refusal, Seen
from loadmaster.live.lease import Lease
from loadmaster.live.slurm.acting import lines_of, refusal_of
from loadmaster.live.slurm.commands import Commands
from loadmaster.live.slurm.hook import Heartbeat, heartbeat_path
from loadmaster.live.slurm.host_parts import HostParts
from loadmaster.live.slurm.listing import COMMAND, parse_listing
from loadmaster.live.slurm.names import number_of
from loadmaster.live.slurm.observation import SlurmListings, SlurmObserver
from loadmaster.live.slurm.reservations import parse_reservations, parse_states
from loadmaster.live.slurm.work import OURS
from loadmaster.model.actions import Action, Start, Withdraw
from loadmaster.model.errors import InputError
from loadmaster.rules.near import pick
from loadmaster.site.accounts import read_accounts
from loadmaster.site.node import SiteNode
from loadmaster.site.shown_nodes import parse_shown_nodes
from loadmaster.site.site import Site, read_site

_LOOK = "show config\nshow node\nshow partition\nshow reservation\n"
_CONFIG = re.compile(r"^(\w+)\s+= (.*)$", re.MULTILINE)


class SlurmEngine:
    """A Slurm that runs.

    Args:
        conf: its configuration; None is what the running Slurm names.
        accounts: a file as `--site-accounts` takes it; None leaves limits and shares out.
        looks_on: it is only looked at, as in shadow: all that waits counts as held for us, and no lease is taken.
        folder: where the lease and the heartbeat are.
        partitions: only jobs that wait in these are ours; () for all.
        leaves_held: what is held is to stay so for a next run: the last sign of life is left to grow old.

    Raises:
        InputError: no Slurm here, its configuration cannot be read, or another loadmaster has the lease.
        EngineDown: it does not answer.
    """

    name = "slurm"

    def __init__(
        self, conf: Path | None = None, accounts: Path | None = None, *, looks_on: bool = False,
        folder: Path | None = None, partitions: Sequence[str] = (), leaves_held: bool = False,
    ) -> None:  # fmt: skip
        self._commands = Commands(conf)
        self.settings = dict(_CONFIG.findall(self._commands.read("scontrol", "show", "config")))
        self.site = _behind_its_hook(read_site(Path(self.settings.get("SLURM_CONF", "slurm.conf"))))
        for name in partitions:
            pick(name, {part.name: part for part in self.site.partitions}, what="partition", see="see: sinfo -s")
        self._lease = None if looks_on else Lease(f"slurm-{self.cluster}", folder)
        self._leaves_held = leaves_held
        self._heartbeat = None if looks_on else Heartbeat(heartbeat_path(self.cluster, folder))
        known = None if accounts is None else read_accounts(accounts, self.cluster)
        self._parts = HostParts(self._commands)
        self._observer = SlurmObserver(self.site, known, self._parts.of, looks_on=looks_on, partitions=partitions)
        self._answered = False  # it has been observed once
        self._held: set[str] = set()
        self._marked: set[str] = set()
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
    def can(self) -> Can:
        """Place and hold."""
        return Can(place=True, hold=True)

    def observe(self) -> Seen:
        """See `Engine`; a sign of life for the hook at submission."""
        at_s = time.time()
        if self._heartbeat is not None:
            self._heartbeat.beat()
        rows, self.senseless = parse_listing(self._looked(*COMMAND))
        self._marked = {row.id for row in rows if row["admin_comment"] == OURS}
        about = self._commands.run("scontrol", "-o", text=_LOOK).text
        nodes = sorted(parse_shown_nodes(about), key=lambda node: node.weight)
        if self._answered and not nodes:
            raise EngineDown("scontrol: lists no host any more")
        self.nodes = tuple(nodes)
        heard = SlurmListings(
            at_s, rows, self.nodes, parse_states(about), parse_reservations(about),
            dict(_CONFIG.findall(about)).get("BOOT_TIME", ""),
        )  # fmt: skip
        seen = self._observer.see(heard)
        self._answered = True
        self._parts.forget_ended()
        self._held = {seen.ids[job] for job in set(seen.tasks.job[seen.tasks.state == HELD].tolist())}
        return seen

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
        if isinstance(action, Withdraw) and number_of(action.id) not in self._marked:
            return None
        if isinstance(action, Start):
            if action.id not in self._held:
                return Refusal(action, "busy", "it was not held when it was last seen")
            self._held.discard(action.id)
        return refusal_of(action, self._commands.run("scontrol", text=lines_of(action)))

    def close(self) -> None:
        """Give the lease back; from now on nothing is held any more, unless that is left to a next run."""
        if self._heartbeat is not None and not self._leaves_held:
            self._heartbeat.stop()
        if self._lease is not None:
            self._lease.release()


def _behind_its_hook(site: Site) -> Site:
    """The site for jobs that are there: what a hook does at submission has been done to them."""
    return replace(site, not_modelled=tuple(key for key in site.not_modelled if key != "JobSubmitPlugins"))
