import pytest

from loadmaster.model import InputError
from loadmaster.rules.near import pick
from loadmaster.runs.kinds import elsewhere

TABLE = {"mix-fit": 1, "first-fit": 2}


def test_a_name_that_is_there_is_taken():
    assert pick("mix-fit", TABLE, what="policy") == 1


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("mix-fat", "'mix-fat': no such policy; did you mean mix-fit?"),
        ("zebra", "'zebra': no such policy; see `loadmaster policies`"),
        ("zoo", "'zoo': no policy; it is a place"),
    ],
)
def test_a_name_that_is_not_there_is_answered_by_what_was_meant_or_where_it_belongs(name, says):
    with pytest.raises(InputError) as stop:
        pick(name, TABLE, what="policy", elsewhere={"zoo": "it is a place"})
    assert str(stop.value) == says


def test_a_name_of_one_kind_is_never_said_to_be_of_another():
    from loadmaster.order import ORDERS
    from loadmaster.place import POLICIES

    assert not elsewhere("placement policy").keys() & POLICIES.keys()
    assert not elsewhere("discipline").keys() & ORDERS.keys()
