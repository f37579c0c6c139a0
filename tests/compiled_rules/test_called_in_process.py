"""Rules by arrays, called from the compiled engine: the schedule of the plain engine, and the errors of the rule."""

import numpy as np
import pytest

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.order.order_in_process import order_in_process
from loadmaster.place import POLICIES
from loadmaster.place.policy_in_process import policy_in_process
from loadmaster.scheduling import Discipline, discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.simulation import is_compiled

HOSTS = Cluster(("cores", "memory"), np.array([[8.0, 16.0]] * 20 + [[16.0, 16.0]] * 3))


class Aged:
    """Large jobs first, and those that have waited."""

    def __init__(self):
        self.lengths = []

    def rank_all(self, jobs, now):
        self.lengths.append(len(jobs.submit_s))
        assert jobs.tasks.dtype == jobs.user.dtype == np.int32
        return -jobs.cores * jobs.tasks - jobs.memory / 7 - (now - jobs.submit_s) / jobs.expected_s - jobs.user


class Tight:
    """What is left, weighted."""

    calls = 0

    def score_all(self, demand, free, capacity):
        self.calls += 1
        return ((free - demand) / capacity) @ np.array([1.0, 0.7])


def random_log(seed, jobs=300):
    draw = np.random.default_rng(seed)
    return Workload.of(
        submit_s=np.sort(draw.integers(0, 300, jobs)).astype(float),
        runtime_s=draw.integers(1, 90, jobs),
        cores=draw.integers(1, 9, jobs),
        memory=draw.integers(1, 17, jobs),
        tasks=draw.integers(1, 4, jobs),
        user=draw.integers(0, 4, jobs).astype(np.int32),
    )


@pytest.mark.parametrize("backfilling", ["easy", "fcfs+none", "skip"])
def test_rules_by_arrays_give_the_schedule_of_the_plain_engine(backfilling):
    behind = discipline_named(backfilling)
    for seed in range(3):
        log, order, policy = random_log(seed), Aged(), Tight()
        discipline = Discipline(order_in_process("@Aged", order), behind.backfilling, "@Aged")
        rules = policy_in_process("@Tight", policy), discipline
        assert is_compiled(log, HOSTS, *rules)
        compiled = simulate(log, HOSTS, *rules)
        assert max(order.lengths) > 64  # more than the table has room for at first
        assert policy.calls > 0
        plain = simulate(log, HOSTS, *rules, engine="reference")
        np.testing.assert_array_equal(compiled.start_s, plain.start_s)
        np.testing.assert_array_equal(compiled.host, plain.host)


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_rule_is_not_called_where_its_answer_could_change_nothing(engine):
    order, seen = Aged(), []

    class Rates:
        def score_all(self, demand, free, capacity):
            seen.append(free[:, 0].tolist())
            return free[:, 0]

    # 0 and 1 fill both hosts until 10 and 20, and nothing fits when 2 and 3 arrive
    log = Workload.of(submit_s=[0, 0, 1, 2, 3], runtime_s=[10, 20, 5, 5, 5], cores=[4, 4, 2, 3, 4])
    discipline = Discipline(order_in_process("@Aged", order), discipline_named("easy").backfilling, "@Aged")
    schedule = simulate(
        log, Cluster.uniform(2, cores=4), policy_in_process("@Rates", Rates()), discipline, engine=engine
    )
    assert schedule.start_s.tolist() == [0, 0, 20, 15, 10]
    assert seen == [[4, 4], [4, 4]]  # for jobs 0 and 2; the others find one host
    at_2_and_3 = [] if engine == "compiled" else [2, 3]
    assert order.lengths == [2, *at_2_and_3, 3, 2]  # at 0, 10, 15; at 20 one job waits


class Fails:
    """Neither ranks nor rates."""

    def __init__(self, answer):
        self.answer = answer

    def rank_all(self, jobs, now):
        return self.answer(len(jobs.submit_s))

    def score_all(self, demand, free, capacity):
        return self.answer(len(free))


def raises(error):
    def answer(rows):
        raise error

    return answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (raises(ValueError("no such feature")), "fails: ValueError: no such feature"),
        (lambda rows: np.full(rows, np.nan), "must be a finite number"),
        (lambda rows: np.full(rows, np.inf), "must be a finite number"),
        (lambda rows: np.zeros(rows + 1), "gives a number for each"),
        (lambda rows: "high", "fails: ValueError"),
    ],
)
def test_what_a_rule_does_wrong_is_told_in_one_line(answer, message):
    log, easy = random_log(1, jobs=40), discipline_named("easy")
    with pytest.raises(InputError, match=message):
        simulate(log, HOSTS, policy_in_process("@Fails", Fails(answer)), easy)
    discipline = Discipline(order_in_process("@Fails", Fails(answer)), easy.backfilling, "@Fails")
    with pytest.raises(InputError, match=message):
        simulate(log, HOSTS, POLICIES["first-fit"], discipline)


def test_an_interrupt_in_a_rule_goes_up():
    rule = policy_in_process("@Fails", Fails(raises(KeyboardInterrupt())))
    with pytest.raises(KeyboardInterrupt):
        simulate(random_log(1, jobs=40), HOSTS, rule, discipline_named("easy"))


def test_the_columns_cannot_be_written_to():
    class Writes:
        def rank_all(self, jobs, now):
            jobs.cores[0] = 0.0

    discipline = Discipline(order_in_process("@Writes", Writes()), discipline_named("easy").backfilling, "@Writes")
    with pytest.raises(InputError, match="read-only"):
        simulate(random_log(1, jobs=40), HOSTS, POLICIES["first-fit"], discipline)
