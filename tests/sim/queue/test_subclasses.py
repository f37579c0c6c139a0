"""A subclass is a rule of the user's own: what it overrides is done, and it is never taken for its parent."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from loadmaster.backfilling import Blocking, Conservative, Easy, NetBatch, Skip
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.move.assign_u_r import AssignUR
from loadmaster.move.enhanced_mosix import EnhancedMosix
from loadmaster.move.migration import MigrationCost, TaskMove
from loadmaster.move.mosix import Mosix
from loadmaster.order import ORDERS, FairShare
from loadmaster.place import POLICIES, Policy
from loadmaster.scheduling import Chosen, Discipline, MaxJobs
from loadmaster.scheduling import discipline_named as named
from loadmaster.scheduling.fractional import Fractional
from loadmaster.scheduling.time_shared import METHODS
from loadmaster.sharing.processor_sharing import ProcessorSharing
from loadmaster.sim.bags.repetitions import repeat
from loadmaster.sim.fractional.simulation import FractionalProblem, simulate_fractional
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.simulation import is_compiled
from loadmaster.sim.timeshared.problem import TimesharedProblem
from loadmaster.sim.timeshared.simulation import simulate_timeshared
from loadmaster.sizing import Actions, FixedHosts, HostType, Rental, SilvaRule

HOSTS = Cluster.uniform(4, cores=4, memory=8)
LOG = Workload.of(
    submit_s=np.arange(40.0), runtime_s=np.full(40, 30.0), cores=np.tile([1, 3, 2, 4], 10), memory=np.tile([2, 1], 20),
    project=np.tile([0, 1], 20),
)  # fmt: skip
FIRST_FIT = POLICIES["first-fit"]


def idle_until_noon(parent):
    """A discipline with a subclass of a backfilling that starts nothing in the first ten minutes."""

    @dataclass(frozen=True)
    class Late(parent):
        def serve(self, this_pass):
            if this_pass.now_s >= 600.0:
                super().serve(this_pass)

    return Discipline(ORDERS["fcfs"], Late())


@pytest.mark.parametrize("engine", ["auto", "compiled", "planning"])
@pytest.mark.parametrize("parent", [Blocking, Skip, Easy, Conservative, NetBatch])
def test_a_backfilling_that_serves_otherwise_is_asked(parent, engine):
    later = Workload.of(submit_s=[0, 700], runtime_s=[60, 60], cores=[1, 1], memory=[1, 1])
    assert simulate(later, HOSTS, FIRST_FIT, Discipline(ORDERS["fcfs"], parent())).start_s[0] == 0.0
    late = simulate(later, HOSTS, FIRST_FIT, idle_until_noon(parent), interval_s=30.0, engine=engine)
    assert late.start_s.tolist() == [720.0, 720.0]


def test_a_fair_share_with_other_shares_is_asked():
    @dataclass(frozen=True)
    class Second(FairShare):
        def share_of(self, projects):
            share = np.full(projects, 1.0)
            share[1:] = 1000.0
            return share

    usual, other = (
        simulate(LOG, HOSTS, FIRST_FIT, rule, interval_s=30.0)
        for rule in (named("fair-share"), Discipline(Second(), NetBatch()))
    )
    assert other.start_s[LOG.project == 1].mean() < usual.start_s[LOG.project == 1].mean()


@dataclass(frozen=True)
class LastFit(Policy):
    """Rates the last host lowest, whatever its score says."""

    def rate(self, demand, free, capacity, context):
        return -float(context.host)


@pytest.mark.parametrize("discipline", [named("netbatch"), named("easy"), named("fcfs")], ids=str)
@pytest.mark.parametrize("meta", [False, True], ids=["alone", "under max-jobs"])
def test_a_policy_that_rates_otherwise_is_asked(discipline, meta):
    one = LastFit("first-fit", FIRST_FIT.score)
    host = simulate(LOG, HOSTS, MaxJobs((one,)) if meta else one, discipline, interval_s=30.0).host
    assert host[0] == 3


def test_a_max_jobs_that_chooses_otherwise_is_asked():
    @dataclass(frozen=True)
    class Worst(MaxJobs):
        def choose(self, snapshot, trials):
            return Chosen(len(trials) - 1, [0.0] * len(trials))

    members = FIRST_FIT, LastFit("last", FIRST_FIT.score)
    assert simulate(LOG, HOSTS, MaxJobs(members), named("netbatch"), interval_s=30.0).host[0] == 0
    assert simulate(LOG, HOSTS, Worst(members), named("netbatch"), interval_s=30.0).host[0] == 3


def test_the_built_in_rules_are_compiled_and_their_subclasses_are_not():
    assert is_compiled(LOG, HOSTS, FIRST_FIT, named("fcfs"))
    assert is_compiled(LOG, HOSTS, FIRST_FIT, named("easy"))
    assert is_compiled(LOG, HOSTS, MaxJobs(), named("netbatch"))
    assert not is_compiled(LOG, HOSTS, FIRST_FIT, idle_until_noon(Blocking))
    assert not is_compiled(LOG, HOSTS, LastFit("mine", FIRST_FIT.score), named("fcfs"))
    assert not is_compiled(LOG, HOSTS, MaxJobs((LastFit("mine", FIRST_FIT.score),)), named("netbatch"))


SHARED = Workload.of(submit_s=np.arange(12.0), runtime_s=np.full(12, 20.0), cores=np.full(12, 2), memory=np.full(12, 1))


def shared(method="pvm", sharing=None, migration=None, **changes):
    problem = TimesharedProblem(
        SHARED,
        Cluster.uniform(3, cores=2, memory=8),
        replace(METHODS[method], **changes),
        sharing or ProcessorSharing(),
        migration=migration or MigrationCost(),
    )
    return simulate_timeshared(problem)


def moving_nobody(parent, name):
    return dataclass(frozen=True)(type("Still", (parent,), {name: lambda self, *_: None}))()


@pytest.mark.parametrize(
    ("method", "parent", "name", "policy"),
    [
        ("mosix", Mosix, "turn", "first-fit"),
        ("e-mosix", EnhancedMosix, "turn", "first-fit"),
        ("assign-u-r", AssignUR, "next_move", "first-fit"),
    ],
)
def test_a_mover_that_moves_otherwise_is_asked(method, parent, name, policy):
    crowded = POLICIES[policy]  # all on the first host, so that there is something to move
    assert shared(method, policy=crowded).moves.sum() > 0
    assert shared(method, policy=crowded, mover=moving_nobody(parent, name)).moves.sum() == 0


def test_a_sharing_model_that_divides_otherwise_is_asked():
    @dataclass(frozen=True)
    class Half(ProcessorSharing):
        def yields(self, demand, capacity, claims):
            return 0.5 * super().yields(demand, capacity, claims)

    assert shared(sharing=Half()).end_s[0] == pytest.approx(2 * shared().end_s[0], rel=0.5)
    assert shared(sharing=Half()).end_s.sum() > 1.5 * shared().end_s.sum()


def test_a_cost_of_migration_that_counts_otherwise_is_asked():
    class Dear(MigrationCost):
        def of(self, demand):
            return np.full(len(demand), 0.25)

    crowded = POLICIES["first-fit"]
    assert shared("mosix", migration=Dear(), policy=crowded).end_s.sum() > shared("mosix", policy=crowded).end_s.sum()


def test_a_policy_that_rates_otherwise_is_asked_on_shared_hosts():
    assert shared(policy=LastFit("first-fit", FIRST_FIT.score)).first_host[0] == 2


def test_what_is_no_mover_is_refused():
    class Turns:
        def turn(self, hosts, host, contacts, demand, pick):
            return TaskMove(0, 0)

    with pytest.raises(InputError, match="'Turns': this is not a mover"):
        shared(mover=Turns())


def test_a_fractional_policy_that_places_otherwise_is_asked():
    class Elsewhere(Fractional):
        def hosts_for(self, view, ask):
            return np.full(ask.tasks, 2, np.int32)

    cluster = Cluster.uniform(3, cores=2, memory=80)
    run = simulate_fractional(FractionalProblem(SHARED, cluster, Elsewhere(repack="never")))
    assert set(run.host.tolist()) == {2}


BAG = np.full((1, 30), 600.0)


def test_a_rule_of_silva_that_decides_otherwise_is_asked():
    class Lavish(SilvaRule):
        def decide(self, snapshot):
            return Actions(rent=(Rental(0, snapshot.unstarted),)) if snapshot.occasion == "start" else Actions()

    assert repeat(BAG, SilvaRule()).hosts[0] < 30
    assert repeat(BAG, Lavish()).hosts[0] == 30


def test_a_fixed_number_of_hosts_that_is_decided_otherwise_is_asked():
    class Double(FixedHosts):
        def decide(self, snapshot):
            return replace(self, count=2 * self.count, name="twice").original(snapshot)

        def original(self, snapshot):
            return FixedHosts.decide(self, snapshot)

    assert repeat(BAG, FixedHosts(5)).hosts[0] == 5
    assert repeat(BAG, Double(5)).hosts[0] == 10


def test_a_type_of_host_that_charges_otherwise_is_asked():
    class Double(HostType):
        def cost(self, age_s):
            return 2.0 * super().cost(age_s)

    usual, dear = (repeat(BAG, FixedHosts(5), (kind,)) for kind in (HostType(), Double()))
    assert dear.cost[0] == 2.0 * usual.cost[0]
