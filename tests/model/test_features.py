"""Which hosts a job may use by features and names of hosts."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model import InputError
from loadmaster.model.features import (
    hosts_that_serve,
    parse_choices,
    parse_features,
    replaced_terms,
    with_terms,
)

NAMES = ["n1", "n2", "n3", "n4"]
FEATURES = [["a"], ["b"], ["a", "b"], []]


def texts():
    """Expressions of the four signs, and the same in Python over `has`."""
    term = st.sampled_from(["a", "b", "!a", "host:n[1-2]", "!host:n3,n4"])
    one = term.map(lambda text: (text, f"has({text!r})"))

    def more(inner):
        pairs = st.tuples(inner, st.sampled_from("&|"), inner)
        word = {"&": "and", "|": "or"}
        return pairs.map(lambda p: (f"({p[0][0]}){p[1]}({p[2][0]})", f"({p[0][1]} {word[p[1]]} {p[2][1]})"))

    return st.recursive(one, more, max_leaves=6)


@given(texts())
def test_an_expression_admits_the_hosts_that_it_says(pair):
    text, python = pair
    for host, served in enumerate(hosts_that_serve(parse_features(text), NAMES, FEATURES)):

        def has(term, host=host):
            name = term.removeprefix("!")
            listed = {"host:n[1-2]": ["n1", "n2"], "host:n3,n4": ["n3", "n4"]}
            found = NAMES[host] in listed[name] if name in listed else name in FEATURES[host]
            return found != term.startswith("!")

        assert served == eval(python, {"has": has})


def test_without_known_features_only_names_of_hosts_bind():
    assert hosts_that_serve(parse_features("a&!host:n2|b&host:n2"), NAMES, ()) == [True] * 4
    assert hosts_that_serve(parse_features("a&!host:n2"), NAMES, ()) == [True, False, True, True]


@pytest.mark.parametrize(
    "text",
    ["", "a&", "|a", "(a", "a)", "a*2", "a,b", "[a|b]|c", "!", "host:", "host:n[", "host:n[3-1]", "a(b)", "[a*1&b*2]",
     "&".join(f"(a{k}|b{k})" for k in range(40))],
)  # fmt: skip
def test_other_text_is_refused_in_one_line(text):
    with pytest.raises(InputError) as refused:
        parse_features(text)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("text", "choices"), [("[a|b]", 2), ("x&[a|b|c]", 3), ("[a|b]&[c|d]", 4), ("a|b", 1)])
def test_each_part_of_a_bracket_is_a_choice(text, choices):
    assert len(parse_choices(text)) == choices


@pytest.mark.parametrize("text", ["a", "a|b", "(a|b)&c", "[a|b]", "x&[a|(b|c)]"])
def test_further_terms_bind_each_alternative_and_replacing_none_changes_nothing(text):
    more = with_terms(text, ["x", "!host:n1"])
    for before, after in zip(parse_choices(text), parse_choices(more), strict=True):
        wanted = {frozenset((*part, "x", "!host:n1")) for part in before}
        assert {frozenset(part) for part in after} == wanted
    assert choices_of(replaced_terms(text, lambda term: [term])) == choices_of(text)


def choices_of(text):
    return [set(map(frozenset, choice)) for choice in parse_choices(text)]


def test_a_term_is_replaced_by_each_of_others():
    wanted = {frozenset(pair) for pair in product(["a1", "a2"], ["b"])}
    assert choices_of(replaced_terms("a&b", lambda term: ["a1", "a2"] if term == "a" else [term])) == [wanted]
    assert replaced_terms("a|b", lambda term: ["" if term == "a" else term]) == ""
