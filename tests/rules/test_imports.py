import sys

import pytest

from loadmaster.results.stamp import stamp
from loadmaster.rules.imports import imported


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("zz_own")]:
        del sys.modules[name]


def test_modules_of_the_users_count_also_those_behind_them_and_in_packages(folder):
    (folder / "zz_own.py").write_text("from zz_own_package.inner import W\n")
    (folder / "zz_own_package").mkdir()
    (folder / "zz_own_package" / "__init__.py").write_text("A = 1\n")
    (folder / "zz_own_package" / "inner.py").write_text("from . import other\nW = other.W\n")
    (folder / "zz_own_package" / "other.py").write_text("W = 1.0\n")
    before = imported(["import math\nimport numpy as np\nfrom zz_own import W\n"])
    assert set(before) == {"zz_own", "zz_own_package", "zz_own_package.inner", "zz_own_package.other"}
    (folder / "zz_own_package" / "other.py").write_text("W = -1.0\n")
    after = imported(["from zz_own import W\n"])
    assert {name for name in before if before[name] != after[name]} == {"zz_own_package.other"}


def test_installed_packages_do_not_count_and_this_one_by_its_stamp():
    found = imported(["import numpy\nfrom loadmaster.place.mix_fit import mix_fit\n"])
    assert found["loadmaster.place.mix_fit"] == stamp("loadmaster.place.mix_fit")
    assert "numpy" not in found


def test_names_that_are_no_modules_are_passed_over():
    assert imported(["from math import sqrt\ntry:\n    import zz_own_missing.x\nexcept ImportError:\n    pass\n"]) == {}
