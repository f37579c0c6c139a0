"""Price tables: what is no such table is said in one line."""

import pytest

from loadmaster.model import InputError
from loadmaster.sizing.prices import read_prices


def test_a_cell_beyond_what_a_table_may_hold_is_refused(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("name,price_per_h\n" + "x" * 140_000 + ",1\n")
    with pytest.raises(InputError, match="not a table of prices"):
        read_prices(path)


def test_yaml_is_read_without_references(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text("- {name: small, price_per_h: 1.5, limit: 2}\n")
    (kind,) = read_prices(path)
    assert (kind.name, kind.price_per_h, kind.limit) == ("small", 1.5, 2)
    path.write_text("- &a {name: small, price_per_h: 1}\n- *a\n")
    with pytest.raises(InputError, match="a reference"):
        read_prices(path)


@pytest.mark.parametrize("text", ["- {a: [", "just words", "{name: x}"])
def test_yaml_that_is_no_list_of_machine_types_is_refused(tmp_path, text):
    path = tmp_path / "p.yaml"
    path.write_text(text)
    with pytest.raises(InputError):
        read_prices(path)
