"""What can be named, by its kind or by a part of its name."""

import loadmaster as lm


def test_a_kind_lists_all_of_that_kind_and_a_part_of_a_name_what_has_it():
    movers = lm.policies("mover")
    assert set(movers["kind"]) == {"mover"}
    assert movers.equals(lm.policies(kind="mover"))
    assert set(lm.policies("mix")["name"]) >= {"mix-fit"}
    assert all("mix" in name for name in lm.policies("mix")["name"])
