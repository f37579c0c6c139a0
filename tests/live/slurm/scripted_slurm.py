"""A Slurm that is none: jobs by the cells of `squeue`, which start where they are pinned, or by themselves."""

from loadmaster.live.session.engine import Capabilities
from loadmaster.live.slurm.host_parts import HostPart
from loadmaster.live.slurm.listing import COLUMNS, ListedJob
from loadmaster.live.slurm.observation import SlurmListings, SlurmObserver
from loadmaster.live.slurm.work import OURS
from loadmaster.model.actions import Repin, Start
from loadmaster.model.units import MB
from loadmaster.site.site import read_site


class ScriptedSlurm:
    """See `Engine`. A job is a dict of cells, and of what becomes of it.

    Attributes:
        jobs: of each `at_s` (when it comes), `lasts_s`, `cells`, and as it runs `parts` (by host, cores and MiB),
            `got` (cells that change then), `alone_s` (Slurm starts it itself at that moment, on the hosts of `parts`),
            `back_s` (so long after its first start it is sent back, as if submitted then, to begin a little later).
    """

    name = "slurm"
    can = Capabilities()

    def __init__(self, conf, clock, jobs):
        self._clock, self._jobs = clock, {str(7 + k): job for k, job in enumerate(jobs)}
        self._site = read_site(conf)
        self._on, self._begun, self._back_s = {}, {}, {}
        self._observer = SlurmObserver(self._site, None, lambda job, _: self._parts(job), looks_on=False)

    def observe(self):
        now_s = self._clock.now_s()
        for number, job in self._jobs.items():
            if "alone_s" in job and now_s >= job["alone_s"] and number not in self._begun:
                self._begin(number, tuple(job["parts"]))
            if (
                number in self._begun
                and number not in self._back_s
                and now_s >= self._begun[number] + job.get("back_s", 1e9)
            ):
                self._back_s[number] = now_s
                del self._begun[number]
        rows = [self._row(number, job, now_s) for number, job in self._jobs.items() if job["at_s"] <= now_s]
        states = {part.name: "up" for part in self._site.partitions}
        return self._observer.see(SlurmListings(now_s, rows, tuple(self._site.nodes), states, []))

    def act(self, action):
        if isinstance(action, Start | Repin):
            self._begin(action.id, action.hosts)

    def close(self): ...

    def _begin(self, number, hosts):
        self._on[number], self._begun[number] = tuple(dict.fromkeys(hosts)), self._clock.now_s()

    def _parts(self, number):
        parts = self._jobs[number].get("parts", {})
        on = [host for host in self._on[number] if host in parts]
        return {host: HostPart(float(parts[host][0]), parts[host][1] * MB) for host in on}

    def _row(self, number, job, now_s):
        cells = (
            dict.fromkeys(COLUMNS, "")
            | {
                "JobArrayID": number,
                "JobID": number,
                "ArrayJobID": number,
                "State": "PENDING",
                "Reason": "JobHeldUser",
                "PriorityLong": "0",
                "NumNodes": "1",
                "NumCPUs": "1",
                "cpus-per-task": "1",
                "ntpernode": "0",
                "MinMemory": "100M",
                "tres-alloc": "cpu=1,mem=100M,node=1",
                "TimeLimit": "10:00",
                "OverSubscribe": "OK",
                "SubmitTime": str(int(job["at_s"])),
                "UserName": "eve",
                "Account": "phys",
                "Partition": "main",
                "admin_comment": OURS,
                "Name": number,
            }
            | job["cells"]
        )
        if number in self._back_s:
            back_s = int(self._back_s[number])
            cells |= {"SubmitTime": str(back_s), "EligibleTime": str(back_s + 12)}
        if number in self._begun:
            begun_s, hosts = self._begun[number], self._on[number]
            end_s = begun_s + job["lasts_s"]
            cells |= {"PriorityLong": "9", "Reason": "None", "State": "RUNNING", "NumNodes": str(len(hosts))}
            cells |= {"NodeList": ",".join(hosts), "StartTime": str(int(begun_s)), "EndTime": str(int(end_s))}
            if parts := self._parts(number):
                cores, mib, _ = (round(sum(amounts)) for amounts in zip(*parts.values(), strict=True))
                cells |= {"NumCPUs": str(cores), "tres-alloc": f"cpu={cores},mem={mib // MB}M,node={len(hosts)}"}
            cells |= job.get("got", {})
            if now_s >= end_s:
                cells["State"] = "COMPLETED"
        return ListedJob(number, cells)
