"""YAML of hosts holds plain values; references, nesting and size cannot make it grow."""

import pytest

from loadmaster.model import InputError
from loadmaster.traces import read_hosts
from traces.logs import write

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (LAUGHS + "hosts: *i\n", ("h.yaml:2", "a reference (*name): host files have none")),
        ("- &one {cores: 8}\n- {<<: *one, memory: 4GiB}\n", ("h.yaml:2", "a reference")),
        ("[" * 20_000, ("lists in lists without end",)),
        ("- {cores: {much: 8}}\n", ("a value of a group of hosts is one number or word",)),
        ("- {cores: [8, 8]}\n", ("a value of a group of hosts is one number or word",)),
        ("- {? [8] : cores}\n", ("h.yaml",)),
        ("," * 100_000, ("not YAML",)),
        ("- {cores: 8}\n" * 100_000, ("more than a megabyte of YAML; use CSV or Parquet",)),
        ("- {cores: 2024-99-99}\n", ("cores of a host must be zero or more",)),
        ("- {cores: 1e999}\n", ("cores of a host must be zero or more",)),
        ("- {cores: 8, count: 1e300}\n", ("more than 10,000,000 hosts",)),
        ("!!python/object/apply:os.getcwd []\n", ("list of groups",)),
    ],
)
def test_yaml_that_is_no_list_of_hosts_is_refused_in_one_line(tmp_path, text, parts):
    with pytest.raises(InputError) as error:
        read_hosts(str(write(tmp_path, "h.yaml", text)))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400
    for part in parts:
        assert part in str(error.value)


def test_a_missing_value_is_written_as_nothing_null_or_a_tilde(tmp_path):
    text = "- {cores: 8, memory: 4GiB, gpus: 2}\n- {cores: 8, memory: null, gpus: ~}\n- {cores: 8, gpus: }\n"
    cluster = read_hosts(str(write(tmp_path, "h.yaml", text)))
    assert cluster.capacity.tolist() == [[8, 4 * 2**30, 2], [8, 0, 0], [8, 0, 0]]
