"""`pack`: place a whole set of tasks, and say how far from the best possible the placement is."""

import math
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from loadmaster.system.counted import counted
from loadmaster.verbs.common_options import Seed
from loadmaster.verbs.option import Option, called_with
from loadmaster.verbs.result import Result
from loadmaster.verbs.rules import Rule, name_of
from loadmaster.verbs.task_options import TaskOptions
from loadmaster.verbs.unused_options import refuse_all_but, refuse_unused

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.model.arrays import Bools
    from loadmaster.packing import Instance, Packing
    from loadmaster.packing.incumbent import Report
    from loadmaster.packing.kubernetes_packing import PodsPlacedAnew
    from loadmaster.report.page import Page


@dataclass(frozen=True)
class PlacingOptions(TaskOptions):
    """All that `pack` can be told."""

    tasks: Annotated[
        "str | Path | Instance",
        Option("Tasks: CSV, Parquet, openb pods, or OptaPlanner's JSON.", argument=True, reads=True, typed=Path),
    ]
    _: KW_ONLY
    method: Annotated[
        Rule | None,
        Option(
            "The packer, default mcb8, or a placement policy (also file.py:function); see `loadmaster policies`.",
            typed=str | None,
        ),
    ] = None
    exact: Annotated[bool, Option("The optimum with its proof, if time allows.")] = False
    minimise: Annotated[
        str | None,
        Option(
            "level, hosts, cost, moves, imbalance, stranded, or a sum such as 'cost + 0.1*moves'; default level, or "
            "hosts if all demands are rigid."
        ),
    ] = None
    numa_nodes: Annotated[
        int | None, Option("NUMA nodes of each host, equal parts of it; tasks have a column numa_nodes.", least=1)
    ] = None
    admit: Annotated[float | None, Option("Refuse jobs until the other jobs keep this yield.")] = None
    seed: Seed = 0


@dataclass(frozen=True, eq=False, repr=False)
class Packed(Result):
    """The result of `pack`, also if no placement was found.

    Attributes:
        name: of the tasks.
        asked: all given tasks, and the hosts.
        instance: the admitted tasks, and the hosts.
        packing: the placement of the admitted tasks.
        admitted: bool[J] over the jobs of `asked`.
        known: notes on the file from before the packing.
        methods: the results of other methods on the same tasks, a row each; None before they have run.
        command: the command that makes it again.
        pods: the state of Kubernetes that the tasks are from, with its rules; None for other tasks.
    """

    verb = "pack"

    name: str
    asked: "Instance"
    instance: "Instance"
    packing: "Packing"
    admitted: "Bools"
    known: tuple[str, ...] = ()
    methods: list[dict[str, Any]] | None = None
    command: str = ""
    pods: "PodsPlacedAnew | None" = None

    @property
    def placed(self) -> bool:
        """Whether there is a placement of all admitted tasks."""
        return self.packing.placed

    @property
    def some_placed(self) -> bool:
        """Whether at least one task has a host, also where others are left over."""
        return bool((self.packing.host >= 0).any())

    @property
    def notes(self) -> tuple[str, ...]:
        """Assumptions, and facts about the way in which the placement was found."""
        return (*self.known, *self.packing.notes)

    @cached_property
    def figures(self) -> dict[str, Any]:
        """The least and the mean yield, the bound on them, the gap to it and whether it is proven, by name."""
        from loadmaster.packing.summary import summary

        return summary(self.instance, self.packing, self.asked, self.admitted)

    @property
    def answer(self) -> str:
        """The placement in one sentence."""
        facts = self.figures
        what = f"{counted(facts['tasks'], 'task')} on {counted(facts['hosts'], 'host')} by {facts['solver']}"
        if not self.placed:
            sure = "no placement of all exists" if facts["proven"] else "no placement of all was found"
            return f"{what}: {placed_in_words(facts)}; {sure}: {facts['reason']}."
        sure, yields = in_words(facts), f"yield {facts['min_yield']:.4f}"
        if facts["minimise"] == "hosts":
            return f"{what}: {facts['cost']:,.0f} hosts in use, {sure}; minimum {yields}."
        if facts["minimise"] == "cost":
            return f"{what}: hosts in use for {facts['cost']:,.10g} an hour, {sure}; minimum {yields}."
        if facts["minimise"] != "level":
            return f"{what}: {facts['minimise']} = {facts['cost']:,.6g}, {sure}; minimum {yields}."
        return f"{what}: minimum {yields}, {sure}; mean yield {facts['mean_yield']:.4f}."

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each task as plain values: task, job, refused, host, yield, share of each fluid resource."""
        from loadmaster.packing.summary import task_rows

        return task_rows(self.asked, self.packing, self.admitted)

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each task: its host, its yield, its share of each fluid resource, its demand; memory in bytes."""
        import polars as pl

        demand, rows = self.asked, self.rows
        columns: dict[str, Any] = {
            name: [row[name] for row in rows] for name in ("task", "job", "refused", "host", "yield")
        }
        columns |= {f"share_{name}": [row["share"][name] for row in rows] for name in demand.fluid_names}
        if rows and "cards" in rows[0]:
            columns["cards"] = [" ".join(map(str, row["cards"])) for row in rows]
        if rows and "on_numa_nodes" in rows[0]:
            columns["on_numa_nodes"] = [" ".join(map(str, row["on_numa_nodes"])) for row in rows]
        columns |= {name: demand.fluid[:, f] for f, name in enumerate(demand.fluid_names)}
        columns |= {name: demand.rigid[:, r] for r, name in enumerate(demand.rigid_names)}
        return pl.DataFrame(columns, schema_overrides={"host": pl.String, "yield": pl.Float64})

    def plot(self) -> Any:
        """How full every host is of each resource: an Altair chart.

        Raises:
            InputError: there is no placement to show.
        """
        from loadmaster.model.errors import InputError
        from loadmaster.packing.picture import host_loads

        if not self.some_placed:
            raise InputError(self.name, "there is no placement to draw", fix="see its answer")
        return host_loads(self.instance, self.packing)

    def page(self) -> "Page":
        """The answer, methods beside each other, the hosts as they are filled, the yields, where every task goes."""
        from loadmaster.packing.beside import beside
        from loadmaster.report.pack_page import pack_page

        methods = beside(self.instance, self.packing) if self.methods is None else self.methods
        return pack_page(
            self.name,
            self.answer,
            self.notes,
            self.figures,
            methods,
            self.instance,
            self.packing,
            self.rows,
            self.command,
        )

    def write_tables(self, folder: Path) -> None:
        """Write placement.parquet and placement.csv; and hosts.png where pictures can be drawn."""
        from loadmaster.report.picture import can_draw, write_picture
        from loadmaster.system.whole_file import whole_file
        from loadmaster.traces.spreadsheet import harmless

        frame = self.frame
        with whole_file(folder / "placement.parquet") as part:
            frame.write_parquet(part)
        with whole_file(folder / "placement.csv") as part:
            harmless(frame).write_csv(part)
        if self.some_placed and can_draw():
            write_picture(folder / "hosts.png", self.plot())


def placed_in_words(facts: dict[str, Any]) -> str:
    """How many tasks have a host, and how far from the most that could have one this is at most."""
    from loadmaster.model.units import percent

    placed, bound = facts["placed_tasks"], facts["place_bound"]
    text = f"{placed:,} of {facts['tasks']:,} tasks placed"
    if bound is None:
        return text
    if placed >= bound:
        return f"{text}, the most possible"
    return f"{text}, at most {percent(math.ceil((bound - placed) / bound * 1e4) / 1e4, 2)} from the most possible"


def in_words(facts: dict[str, Any]) -> str:
    """How good the placement is: optimal, or how far at most from that."""
    from loadmaster.model.units import percent

    if facts["proven"]:
        return "optimal"
    if facts["gap"] is None:
        return "best found, no bound"
    return f"best found, at most {percent(math.ceil(facts['gap'] * 1e4 - 1e-6) / 1e4, 2)} from optimal"


def pack_with(options: PlacingOptions, command: str = "", report: "Report | None" = None) -> Packed:
    """Place all tasks at once: hosts, CPU shares, the least and the mean yield, the bound and the gap to it.

    Args:
        options: what to place.
        command: how to make it again; made of the options where it is not given.
        report: is told the best placement and the bound while a search runs.

    Returns:
        The placement; `placed` says whether there is one.

    Raises:
        InputError: the tasks, the machines or the packer cannot be used, or an option changes nothing.
    """
    from loadmaster.results.progress_file import not_left_empty
    from loadmaster.rules.by_value import naming

    out = None if options.out is None else Path(options.out)
    with not_left_empty(out), naming() as name:
        method = name_of(options.method, name) if options.method is not None else None
        return _packing(options, method, command or options.call("pack"), report)


def _packing(options: PlacingOptions, method: str | None, command: str, report: "Report | None") -> Packed:
    import numpy as np

    from loadmaster.model.errors import InputError
    from loadmaster.packing import PackOptions
    from loadmaster.packing.admit import admit
    from loadmaster.packing.beside import beside
    from loadmaster.packing.by_objective import pack_by_objective
    from loadmaster.packing.incumbent import silent
    from loadmaster.packing.kubernetes_objects import is_kubernetes_file
    from loadmaster.packing.most_placed import with_place_bound
    from loadmaster.packing.numa_nodes import NumaNodes
    from loadmaster.packing.numa_placement import pack_on_numa_nodes
    from loadmaster.packing.objective import PLAIN, summed
    from loadmaster.packing.solve import pack_what_fits, packer_named
    from loadmaster.place.load import remarks_on
    from loadmaster.verbs.folder import make_folder

    objective = summed(options.minimise, PLAIN)
    if options.exact and method not in (None, "exact"):
        fix = "leave one of them out"
        raise InputError(f"--method {method} --exact", "two packers for one placement", fix=fix)
    name = "exact" if options.exact else method or "mcb8"
    packer = packer_named(name)
    if objective is not None:
        refuse_unused(options, ["method", "exact"], "one search serves such a sum")
    elif not packer.timed and not packer.rates and options.numa_nodes is None:
        refuse_unused(options, ["time_limit"], "it works only with exact solvers, local search and placement policies")
    if options.out is not None:
        make_folder(Path(options.out))
    if options.admit is not None and options.minimise not in (None, "level"):
        fix = "leave one of them out"
        raise InputError(f"--admit {options.admit:g} --minimise {options.minimise}", "two goals at once", fix=fix)
    if options.numa_nodes is not None:
        only = ["tasks", "hosts", "fluid", "time_limit", "out", "numa_nodes", "seed"]
        refuse_all_but(options, only, "tasks on NUMA nodes are placed on as few hosts as possible")
    if isinstance(options.tasks, str | Path) and is_kubernetes_file(Path(options.tasks)):
        return _packed_under_rules(options, Path(options.tasks), command)
    how = PackOptions(options.time_limit, options.seed, minimise=options.minimise, report=report or silent)
    read = options.read(options.tasks)
    if read.numa_nodes is not None and options.numa_nodes is None:
        fix = "give --numa-nodes 2, or leave the column out"
        raise InputError("numa_nodes", "tasks take NUMA nodes, and the hosts have none", fix=fix)
    instance, notes = read.instance, (*read.notes, *(remarks_on(name) if packer.rates else ()))
    title = Path(options.tasks).name if isinstance(options.tasks, str | Path) else instance.source or "tasks"
    if options.numa_nodes is not None:
        parts = np.ones(instance.tasks, np.int64) if read.numa_nodes is None else read.numa_nodes
        packing = pack_on_numa_nodes(instance, NumaNodes.of(instance, parts, options.numa_nodes), how)
        packed = Packed(title, instance, instance, packing, np.ones(instance.jobs, bool), notes)
    elif objective is not None:
        packing = pack_by_objective(instance, objective, how, read.host)
        packed = Packed(title, instance, instance, packing, np.ones(instance.jobs, bool), notes)
    elif options.admit is None:
        everybody = np.ones(instance.jobs, bool)
        packed = Packed(title, instance, instance, pack_what_fits(instance, name, how), everybody, notes)
    else:
        let = admit(instance, options.admit, name, how)
        packed = Packed(title, instance, let.instance, let.packing, let.admitted, notes)
    in_full = packer.in_full or packed.packing.minimise != "level"
    bounded = with_place_bound(packed.instance, packed.packing, in_full, options.time_limit / 10)
    packed = replace(packed, packing=bounded, command=command)
    if options.out is not None:
        others = beside(packed.instance, packed.packing, replace(how, report=silent)) if packed.placed else []
        packed = replace(packed, methods=others)
        packed.save(options.out)
    return packed


def _packed_under_rules(options: PlacingOptions, path: Path, command: str) -> Packed:
    """The pods of a state of Kubernetes on as few nodes as possible, under all their rules."""
    import numpy as np

    from loadmaster.packing.kubernetes_packing import pack_pods, pods_anew
    from loadmaster.packing.kubernetes_problem import read_kubernetes_problem
    from loadmaster.packing.most_placed import with_place_bound
    from loadmaster.packing.solve import finish_on_hosts

    refuse_all_but(options, ["tasks", "out"], "a state of Kubernetes names its nodes and is packed under its rules")
    anew = pods_anew(read_kubernetes_problem(path))
    packing = with_place_bound(anew.instance, finish_on_hosts(anew.instance, pack_pods(anew)), True)
    everybody = np.ones(anew.instance.jobs, bool)
    packed = Packed(path.name, anew.instance, anew.instance, packing, everybody, anew.notes, [], command, anew)
    if options.out is not None:
        packed.save(options.out)
    return packed


pack = called_with(PlacingOptions, pack_with)
