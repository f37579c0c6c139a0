"""Cards in kernels count and choose as the plain requests do (rule Q22)."""

import numpy as np
import pytest
from numba import njit

from loadmaster.backfilling.pass_arrays import PassCards
from loadmaster.jit.by_reference import by_reference
from loadmaster.model.cards import CardLayout
from loadmaster.model.request import requests_of
from loadmaster.place.cards_kernel import change_row, sum_up_row, tasks_in_row, tasks_on_empty, tightest_in_row

MOST, TASKS = 4, 100
GPUS = np.array([0.0, 0.25, 0.3, 0.6, 1.0, 2.0])
"""Of each kind of demand."""


@njit
def in_row(cards, row, demand, kind):
    """How many tasks go into the row, and the cards of one, which is then taken."""
    lent = by_reference(cards)
    many, bits = tasks_in_row(lent, row, demand, kind, TASKS), tightest_in_row(lent, row, kind)
    change_row(lent, row, demand, kind, bits, -1.0)
    return many, bits


@njit
def on_empty(cards, capacity, demand):
    return tasks_on_empty(by_reference(cards), capacity, demand[1], 1)


@njit
def sum_up(cards, row):
    sum_up_row(by_reference(cards), row)


def cards_of(demand):
    none = np.zeros(1, np.int64)
    share = np.minimum(GPUS, 1.0)
    cards = PassCards(np.zeros((1, MOST)), np.ceil(GPUS).astype(np.int64), share, np.zeros(MOST), *[none] * 5, 2)
    return cards, requests_of(demand[:, :2], np.ones(len(GPUS), np.int32), None, None, None, CardLayout(1, MOST))


@pytest.mark.parametrize("seed", range(20))
def test_a_row_holds_as_many_tasks_and_gives_the_same_cards_as_the_plain_request(seed):
    rng = np.random.default_rng(seed)
    part, whole = np.where(GPUS < 1, GPUS, 0.0), np.where(GPUS < 1, 0.0, GPUS)
    demand = np.column_stack((rng.integers(1, 3, len(GPUS)), GPUS, part, whole))
    cards, requests = cards_of(demand)
    free = rng.choice([0.0, 0.25, 0.5, 0.75, 1.0, 1.0], MOST)
    row = np.array([float(rng.integers(1, 9)), free.sum(), 0.0, 0.0, *free])
    sum_up(cards, row)
    assert row[2:4].tolist() == [free.max(), (free == 1.0).sum()]
    for kind, request in enumerate(requests):
        plain = (*row[:2].tolist(), *row[4:].tolist())
        if not request.fits(plain):
            assert (row[:4] < demand[kind]).any()
            continue
        assert (row[:4] >= demand[kind]).all()
        many, bits = in_row(cards, row, demand, kind)
        assert (many, bits) == (request.held_in(plain), request.cards_in(plain))
        left = np.subtract(plain, request.amounts(bits))
        assert [*row[:2], *row[4:]] == left.tolist()
        assert row[2:4].tolist() == [left[2:].max(), (left[2:] >= 1.0).sum()]


def test_an_empty_host_holds_tasks_card_by_card():
    demand = np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 0.6, 0.6, 0.0]])
    cards, _ = cards_of(np.ones((len(GPUS), 4)))
    cards = cards._replace(share=np.array([0.0, 0.6]), wanted=np.array([0, 1]))
    assert on_empty(cards, np.array([8.0, 4.0, 1.0, 4.0]), demand) == 4.0
