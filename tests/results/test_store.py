"""A store gives back what was put into it or says that it cannot: never another number, never a traceback."""

import random
import sqlite3
import subprocess
import sys

import pytest

from loadmaster.model import InputError
from loadmaster.results.store import KeptResult, Store

KEYS = [f"{number:064x}" for number in range(6)]


def block_of(key):
    return random.Random(key).randbytes(3000)


def filled(folder):
    store = Store.in_folder(folder)
    for key in KEYS:
        store.put(key, KeptResult("test", {"policy": "mix-fit", "load": float("inf")}, block_of(key)))
    store.close()
    return folder / "results.sqlite"


def change(path, statement, *values):
    with sqlite3.connect(path) as database:
        database.execute(statement, values)
    database.close()


def test_what_was_put_is_found_by_its_key_and_nothing_else_is(tmp_path):
    filled(tmp_path)
    found = Store.in_folder(tmp_path).get([*KEYS, "f" * 64])
    assert found.whole == {key: block_of(key) for key in KEYS}
    assert found.damaged == frozenset()


def test_the_first_result_of_a_key_stays(tmp_path):
    store = Store.in_folder(tmp_path)
    store.put(KEYS[0], KeptResult("test", {}, b"first"))
    store.put(KEYS[0], KeptResult("test", {}, b"second"))
    assert store.get(KEYS).whole == {KEYS[0]: b"first"}


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("update results set result = ? where key = ?", b"another"),
        ("update results set result = ? where key = ?", "text"),
        ("update results set result = ? where key = ?", 7),
        ("update results set checksum = ? where key = ?", "0" * 64),
        ("update results set checksum = ? where key = ?", b"\xff\xfe"),
    ],
)
def test_a_changed_value_is_found_out_and_replaced(tmp_path, statement, value):
    change(filled(tmp_path), statement, value, KEYS[2])
    store = Store.in_folder(tmp_path)
    found = store.get(KEYS)
    assert found.damaged == {KEYS[2]}
    assert len(found.whole) == 5
    store.put(KEYS[2], KeptResult("test", {}, block_of(KEYS[2])))
    assert store.get(KEYS).whole == {key: block_of(key) for key in KEYS}


def test_results_that_changed_places_are_found_out(tmp_path):
    path = filled(tmp_path)
    change(path, "update results set key = 'x' where key = ?", KEYS[0])
    change(path, "update results set key = ? where key = ?", KEYS[0], KEYS[1])
    found = Store.in_folder(tmp_path).get(KEYS)
    assert found.damaged == {KEYS[0]}
    assert set(found.whole) == set(KEYS[2:])


def test_what_stands_beside_a_result_may_be_anything(tmp_path):
    change(filled(tmp_path), "update results set finished_at = 'yesterday', about = ?, kind = ?", b"\xff", 3)
    assert len(Store.in_folder(tmp_path).get(KEYS).whole) == 6


@pytest.mark.parametrize("shape", ["create table results (key text)", "create table results (checksum, result)"])
def test_a_table_of_another_shape_is_refused_in_one_line(tmp_path, shape):
    change(tmp_path / "results.sqlite", shape)
    with pytest.raises(InputError, match=r"this store cannot be opened: .*; move it away"):
        Store.in_folder(tmp_path)


@pytest.mark.parametrize("seed", range(40))
def test_damage_anywhere_in_the_file_is_found_out_or_refused_in_one_line(tmp_path, seed):
    draw = random.Random(seed)
    path = filled(tmp_path)
    whole = bytearray(path.read_bytes())
    if draw.random() < 0.2:
        whole = whole[: draw.randrange(len(whole))]
    for _ in range(draw.choice([1, 4, 100])):
        start = draw.randrange(max(len(whole), 1))
        whole[start : start + draw.choice([1, 16])] = draw.randbytes(draw.choice([1, 16]))
    path.write_bytes(whole)
    refusals, whole = used(tmp_path)
    assert all(len(line.splitlines()) == 1 and len(line) < 400 for line in refusals)
    assert refusals or whole == {key: block_of(key) for key in KEYS}


def used(folder):
    """(refusal if there was one, what the store has in the end), after all that is not whole was put again."""
    try:
        store = Store.in_folder(folder)
        found = store.get(KEYS)
        for key in set(KEYS) - set(found.whole):
            store.put(key, KeptResult("test", {}, block_of(key)))
        return [], {**found.whole, **store.get(KEYS).whole}
    except InputError as error:
        return [str(error)], {}


def test_a_url_that_is_none_is_refused_and_a_password_is_never_shown(tmp_path):
    with pytest.raises(InputError, match="not the URL of a database"):
        Store("what")
    with pytest.raises(InputError, match="not the URL of a database"):
        Store("nosuchdialect://host/name")
    with pytest.raises(InputError, match="cannot be opened"):
        Store(f"sqlite:///{tmp_path}/missing/results.sqlite")


def test_a_store_in_a_file_loads_no_library_of_databases(tmp_path):
    code = "import sys; from pathlib import Path; from loadmaster.results.store import Store; "
    code += f"Store.in_folder(Path({str(tmp_path)!r})).get(['x']); print('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_without_the_library_of_databases_a_url_says_which_extra_is_missing_and_shows_no_password():
    code = "import sys; sys.modules['sqlalchemy'] = None; from loadmaster.results.store import Store; "
    code += "Store('postgresql://me:secret@127.0.0.1/name')"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr
    assert said.splitlines()[-1].endswith(
        "MissingExtra: a store at postgresql://... needs the extra 'postgres'; "
        "install it with: pip install 'loadmaster[postgres]'"
    )


def test_sqlite_with_options_in_its_url_is_a_store_as_well(tmp_path):
    filled(tmp_path)
    store = Store(f"sqlite:///{tmp_path}/results.sqlite?timeout=5")
    store.put("f" * 64, KeptResult("test", {}, b"by URL"))
    store.close()
    assert Store.in_folder(tmp_path).get([*KEYS, "f" * 64]).whole.keys() == {*KEYS, "f" * 64}


def test_a_password_is_never_shown():
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    with pytest.raises(InputError, match="cannot be opened") as refused:
        Store("postgresql://me:secret@127.0.0.1:9/name")
    assert "secret" not in str(refused.value)


def test_postgresql_keeps_results_as_sqlite_does_and_two_that_write_at_once_lose_none(postgres):
    store, other = Store(postgres), Store(postgres)
    for key in KEYS:
        for each in (store, other):
            each.put(key, KeptResult("test", {"policy": "mix-fit"}, block_of(key)))
    assert other.get([*KEYS, "f" * 64]).whole == {key: block_of(key) for key in KEYS}
    with store._rows._engine.begin() as connection:
        connection.exec_driver_sql(f"update results set result = 'x' where key = '{KEYS[1]}'")
        connection.exec_driver_sql(f"delete from results where key = '{KEYS[0]}'")
    found = store.get(KEYS)
    assert found.damaged == {KEYS[1]}
    assert set(found.whole) == set(KEYS[2:])
    store.put(KEYS[1], KeptResult("test", {}, block_of(KEYS[1])))
    assert other.get(KEYS).whole[KEYS[1]] == block_of(KEYS[1])
    store.close()
    other.close()
