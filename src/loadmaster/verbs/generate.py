"""`generate`: synthetic workloads, a function a kind: `loadmaster.generate.netbatch(scale=0.1)`."""

from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

from loadmaster.verbs.common_options import Seed
from loadmaster.verbs.option import Option, Options, called_with
from loadmaster.verbs.rules import Rule, name_of
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    from loadmaster.model.bag import Bag
    from loadmaster.packing.generate import Spec
    from loadmaster.packing.instance import Instance
    from loadmaster.traces import Trace

__all__ = ["bag", "lublin", "netbatch", "opportunity", "own", "virtual_clusters", "virtual_jobs"]


@dataclass(frozen=True, kw_only=True)
class SeedOptions(Options):
    """What every kind takes."""

    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class NetbatchOptions(SeedOptions):
    """All that `netbatch` can be told."""

    pool: Annotated[Literal["A", "B", "C", "D"], Option("The pool whose totals and mixes to follow.")] = "A"
    scale: Annotated[float, Option("Factor on the jobs and hosts of the pool.")] = 1.0
    jobs: Annotated[int | None, Option("Number of jobs; else that of the pool.", least=1)] = None
    hosts: Annotated[int | None, Option("Number of hosts; else that of the pool.", least=1)] = None
    load: Annotated[float, Option("Offered load on cores; sets the rate of arrivals.")] = 0.85
    burstiness: Annotated[float, Option("0: no bursts; 1: the pool's own; 2: twice that.")] = 1.0
    memory_per_core: Annotated[float, Option("Memory of the hosts, GiB a core.", metavar="GIB")] = 4.0


@dataclass(frozen=True, kw_only=True)
class OpportunityOptions(SeedOptions):
    """All that `opportunity` can be told."""

    cluster: Annotated[str, Option("Which guess of the paper's six machines.")] = "three-kinds"
    window: Annotated[float, Option("Seconds in which jobs arrive.")] = 1000.0
    every: Annotated[float, Option("Mean seconds between arrivals.")] = 10.0
    component_work: Annotated[Literal["each", "split"], Option("Work of parallel components.")] = "each"
    component_memory: Annotated[Literal["split", "each", "iid"], Option("Memory of parallel components.")] = "split"
    memory_cap: Annotated[
        Literal["clip", "redraw", "none"], Option("What to do with a job larger than any machine.")
    ] = "clip"


@dataclass(frozen=True, kw_only=True)
class VirtualClustersOptions(SeedOptions):
    """All that `virtual_clusters` can be told."""

    hosts: Annotated[int, Option("Equal hosts, of one core and one GiB each.", least=1)] = 64
    tasks: Annotated[int, Option("Tasks in all.", least=1)] = 250
    slack: Annotated[float, Option("Part of all memory left when every task is placed.")] = 0.3
    cv_memory: Annotated[float, Option("Coefficient of variation of the memory demands.")] = 0.25
    cv_cpu: Annotated[float, Option("Coefficient of variation of the CPU demands.")] = 0.25
    memory_rule: Annotated[
        Literal["rescale_noclip", "rescale_clip", "direct_reject", "direct_clamp"],
        Option("How memory demands are drawn; see the reference."),
    ] = "rescale_noclip"

    def spec(self, *, parallel: bool) -> "Spec":
        """What is drawn: tasks of one VM each, or parallel jobs."""
        from loadmaster.packing.generate import Spec

        drawn = (self.hosts, self.tasks, self.slack, self.cv_memory, self.cv_cpu)
        return Spec(*drawn, parallel, self.memory_rule)


@dataclass(frozen=True, kw_only=True)
class VirtualJobsOptions(VirtualClustersOptions):
    """All that `virtual_jobs` can be told."""

    lublin_bug: Annotated[bool, Option("Draw job sizes with the error of the authors' later generator.")] = False


@dataclass(frozen=True, kw_only=True)
class LublinOptions(SeedOptions):
    """All that `lublin` can be told."""

    jobs: Annotated[int, Option("Number of jobs.", least=1)] = 10_000
    cores: Annotated[int, Option("Cores of the machine; the published parameters are for 128.", least=1)] = 128
    classes: Annotated[
        Literal["both", "one"], Option("Batch and interactive jobs, or the parameters of all jobs as one class.")
    ] = "both"
    load: Annotated[float | None, Option("Offered load on cores; else the published rate of arrivals.")] = None
    estimates: Annotated[
        Literal["exact", "tsafrir"], Option("Estimates: the runtimes, or the model of Tsafrir et al. 2005.")
    ] = "exact"
    longest_estimate: Annotated[float | None, Option("Longest estimate in seconds; else two days.")] = None
    users: Annotated[
        int, Option("Number of users that submit similar jobs in sessions; 0: none, as published.", least=0)
    ] = 0


@dataclass(frozen=True)
class BagOptions(SeedOptions):
    """All that `bag` can be told."""

    law: Annotated[str, Option("Such as normal(150,30)x256 or bimodal(40,330,0.5)x256.", argument=True)]
    _: KW_ONLY


@dataclass(frozen=True)
class OwnGeneratorOptions(SeedOptions):
    """All that `own` can be told."""

    generator: Annotated[
        "Rule",
        Option(
            "file.py:function, or file.py:Class, with parameters in parentheses.",
            metavar="GENERATOR",
            argument=True,
            typed=str,
        ),
    ]
    _: KW_ONLY


def netbatch_with(options: NetbatchOptions) -> "Trace":
    """A synthetic log like that of a NetBatch pool (Shai 2014), with its machines.

    Returns:
        Jobs and machines; times in seconds, memory in bytes.

    Raises:
        InputError: a value breaks its rule, or an option changes nothing.
    """
    from loadmaster.traces import generate_netbatch

    if options.jobs is not None and options.hosts is not None:
        refuse_unused(options, ["scale"], "--jobs and --hosts already set the size")
    return generate_netbatch(
        options.pool,
        scale=options.scale,
        jobs=options.jobs,
        hosts=options.hosts,
        load=options.load,
        burstiness=options.burstiness,
        memory_per_core_gb=options.memory_per_core,
        seed=options.seed,
    )


def opportunity_with(options: OpportunityOptions) -> "Trace":
    """Synthetic jobs with Pareto work and memory, a few of them parallel, and the machines (Amir et al. 2000).

    Returns:
        Jobs and machines; times in seconds, memory in bytes.

    Raises:
        InputError: a value breaks its rule.
    """
    import numpy as np

    from loadmaster.model.units import MB
    from loadmaster.traces.opportunity import generate_opportunity

    trace = generate_opportunity(
        options.cluster,
        window_s=options.window,
        every_s=options.every,
        component_work=options.component_work,
        component_memory=options.component_memory,
        memory_cap=options.memory_cap,
        seed=options.seed,
    )
    assert trace.cluster is not None
    unit = np.array([1.0, float(MB)])
    workload = replace(trace.workload, demand=np.round(trace.workload.demand * unit))
    return replace(trace, workload=workload, cluster=replace(trace.cluster, capacity=trace.cluster.capacity * unit))


def virtual_clusters_with(options: VirtualClustersOptions) -> "Instance":
    """Tasks of one VM each, to be packed (Casanova et al. 2008, section 4.1).

    Returns:
        Tasks and hosts, for `loadmaster.pack`; demands are parts of a host.
    """
    from loadmaster.packing.generate import virtual_clusters

    return virtual_clusters(options.spec(parallel=False), options.seed)


def lublin_with(options: LublinOptions) -> "Trace":
    """A log of rigid parallel jobs by the model of Lublin and Feitelson 2003, with its machine.

    Returns:
        Jobs and machine; times in seconds, one core a node.

    Raises:
        InputError: a value breaks its rule, or an option changes nothing.
    """
    from loadmaster.traces.lublin import LONGEST_ESTIMATE_S, generate_lublin

    if options.estimates == "exact":
        refuse_unused(options, ["longest_estimate"], "the estimates are exact")
    return generate_lublin(
        options.jobs,
        cores=options.cores,
        classes=options.classes,
        load=options.load,
        estimates=options.estimates,
        longest_estimate_s=LONGEST_ESTIMATE_S if options.longest_estimate is None else options.longest_estimate,
        users=options.users,
        seed=options.seed,
    )


def virtual_jobs_with(options: VirtualJobsOptions) -> "Instance":
    """Parallel jobs with sizes of Lublin and Feitelson 2003, to be packed (Casanova et al. 2008, section 5.2).

    Returns:
        Tasks and hosts, for `loadmaster.pack`; demands are parts of a host.
    """
    from loadmaster.packing.generate import virtual_clusters

    return virtual_clusters(options.spec(parallel=True), options.seed, lublin_bug=options.lublin_bug)


def bag_with(options: BagOptions) -> "Bag":
    """A synthetic bag of tasks drawn from a law.

    Returns:
        The bag, durations in seconds, for `loadmaster.size`.

    Raises:
        InputError: no such law.
    """
    import numpy as np

    from loadmaster.model.bag import Bag, BagLaw
    from loadmaster.model.errors import InputError
    from loadmaster.traces.bag import parse_bag

    law = parse_bag(options.law)
    if not isinstance(law, BagLaw):
        raise InputError(options.law, "is a file, not a law", fix="such as normal(150,30)x256")
    return Bag(law.draw(np.random.default_rng(options.seed)), law.source, synthetic=True)


def own_with(options: OwnGeneratorOptions) -> "Trace | Bag":
    """What a generator of your own makes: a function of the seed and of its parameters, or a class.

    Returns:
        Jobs, and machines where it gives some; or a bag.

    Raises:
        InputError: no such function or parameter, it fails, or gives what is no workload.
    """
    from loadmaster.rules.by_value import naming
    from loadmaster.traces.own_generator import generated

    with naming() as name:
        return generated(name_of(options.generator, name), options.seed)


netbatch = called_with(NetbatchOptions, netbatch_with)
opportunity = called_with(OpportunityOptions, opportunity_with)
virtual_clusters = called_with(VirtualClustersOptions, virtual_clusters_with)
virtual_jobs = called_with(VirtualJobsOptions, virtual_jobs_with)
lublin = called_with(LublinOptions, lublin_with)
bag = called_with(BagOptions, bag_with)
own = called_with(OwnGeneratorOptions, own_with)
