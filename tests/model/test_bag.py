"""A bag: which durations it takes."""

import numpy as np
import pytest

from loadmaster.model import InputError
from loadmaster.model.bag import Bag
from loadmaster.model.units import LATEST_S


def test_durations_that_no_clock_can_show_are_refused():
    with pytest.raises(InputError, match="beyond any clock"):
        Bag(np.array([10.0, 1e308]))
    with pytest.raises(InputError, match="beyond any clock"):
        Bag(np.full(10, LATEST_S / 9))
    assert Bag(np.full(10, LATEST_S / 11)).tasks == 10
