import pytest
from comparisons import comparison

from loadmaster.report.identical_rules import shown_as_one
from loadmaster.report.rule_styles import SEVERAL, Drawn, rule_styles
from loadmaster.report.theme import ACCENT, DARK, INK, colours

BUILT_IN = ["first-fit", "mix-fit", "best-fit-cores", "worse-fit-memory"]
WAYS = (("easy", 5.0), ("sjf+easy", 4.0), ("netbatch", 9.0))


def compared(policies, disciplines):
    return comparison({(policy, 0.9, way): 5.0 for way in disciplines for policy in policies})


@pytest.mark.parametrize(
    ("policies", "disciplines"),
    [
        (BUILT_IN[:2], 3), (BUILT_IN, 3), (BUILT_IN[:1], 12), (BUILT_IN[:1], 30), (BUILT_IN[:2], 11),
        ([f"mine.py:f{k}" for k in range(20)], 1), ([*BUILT_IN, *(f"mine.py:f{k}" for k in range(14))], 3),
    ],
)  # fmt: skip
def test_no_two_rules_look_alike(policies, disciplines):
    looks = rule_styles(compared(policies, [f"d{k}+easy" for k in range(disciplines)]))
    seen = {(DARK.get(look.colour, look.colour), tuple(look.dash), look.shape) for look in looks.values()}
    assert len(looks) == len(policies) * disciplines
    assert len(seen) == len(looks)


def test_a_policy_keeps_its_colour_and_a_discipline_its_dash():
    looks = rule_styles(compared(BUILT_IN, ["netbatch", "easy"]))
    for policy, colour in zip(BUILT_IN, colours(BUILT_IN), strict=True):
        assert {looks[f"{policy} under {way}"].colour for way in ("netbatch", "easy")} == {colour}
    assert len({tuple(looks[f"{policy} under easy"].dash) for policy in BUILT_IN}) == 1
    assert looks["mix-fit under easy"].dash != looks["mix-fit under netbatch"].dash == [1, 0]


def test_disciplines_of_policies_that_coincide_have_colours():
    shown, same = shown_as_one(comparison({(policy, 0.9, way): wait for way, wait in WAYS for policy in BUILT_IN}))
    assert len(same) == len(WAYS)
    drawn = Drawn(shown, shown.outcomes)
    assert drawn.plain
    assert [look.colour for look in drawn.looks] == list(SEVERAL[: len(WAYS)])


def test_policies_of_one_discipline_are_drawn_by_colours_alone():
    shown = compared(BUILT_IN, ["easy"])
    drawn = Drawn(shown, shown.outcomes)
    assert drawn.plain
    assert drawn.dash() == drawn.shape() == {}
    assert drawn.told_apart(drawn_chart()).usermeta["rules"][0] == ["first-fit", colours(["first-fit"])[0], [1, 0]]


def drawn_chart():
    import altair as alt

    return alt.Chart(alt.Data(values=[])).mark_point()


def test_colours_in_turn_keep_apart_on_dark_pages_too():
    shown = [DARK.get(colour, colour) for colour in SEVERAL]
    assert len(set(shown)) == len(shown)
    assert not {DARK[ACCENT], DARK[INK]} & set(shown)
