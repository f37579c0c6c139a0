"""The package as users get it: a wheel, installed where nothing of the checkout is, used by another user's means."""

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from loadmaster.system.build import commit

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "loadmaster"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of wheel and sdist."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    return next(built.glob("*.whl"))


@pytest.fixture(scope="module")
def metadata(wheel):
    with zipfile.ZipFile(wheel) as packed:
        name = next(name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(packed.read(name))


def test_the_wheel_has_every_file_of_the_package_and_no_machine_code(wheel):
    kept = {path.relative_to(SOURCE.parent).as_posix() for path in SOURCE.rglob("*") if path.is_file()}
    wanted = {name for name in kept if "__pycache__" not in name}
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if name.startswith("loadmaster/")}
        assert names - {"loadmaster/commit.txt"} == wanted
        if of := commit():
            assert packed.read("loadmaster/commit.txt").decode().strip() == of


def test_a_machine_without_git_builds_the_wheel_too_as_the_container_file_does(tmp_path):
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(tmp_path), str(ROOT)]
    without = os.environ | {"PATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=without, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as packed:
        assert "loadmaster/commit.txt" not in packed.namelist()


def test_the_sdist_has_what_the_wheel_is_built_from_and_what_tests_it(built):
    with tarfile.open(next(built.glob("*.tar.gz"))) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert {"pyproject.toml", "hatch_build.py", "README.md", "src/loadmaster/__init__.py", "conftest.py"} <= names
    assert {"tools/contract_product.py", ".ci/requirements.txt", "benchmarks/README.md", "CONTRIBUTING.md"} <= names
    assert not any("__pycache__" in name or name.endswith((".nbi", ".nbc")) for name in names)


def test_the_long_description_needs_no_file_beside_it(metadata):
    text = metadata.get_payload()
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert text.startswith("# loadmaster\n")
    assert re.findall(r"\]\((?!https?:|#)[^)]*\)", text) == []


def test_what_is_large_or_seldom_used_is_only_in_extras(metadata):
    always = {re.match(r"[\w-]+", each)[0] for each in metadata.get_all("Requires-Dist") if "extra ==" not in each}
    assert not always & {"vl-convert-python", "distributed", "kubernetes", "ortools", "psycopg", "pandas", "optuna"}
    assert {"pictures", "live", "serve", "postgres", "dask", "pandas"} <= set(metadata.get_all("Provides-Extra"))


def test_an_installed_wheel_works_elsewhere_and_leaves_its_own_folder_as_it_is(wheel, tmp_path):
    place, home = tmp_path / "venv", tmp_path / "home"
    venv.create(place, with_pip=False)
    packages = next((place / "lib").glob("python3*/site-packages"))
    (packages / "libraries.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(packages)
    home.mkdir()
    inside = packages / "loadmaster"
    for path in (inside, *inside.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    cache = {"NUMBA_CACHE_DIR": str(home / "kernels"), "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    run = [str(place / "bin" / "python"), "-P", "-m", "loadmaster"]
    said = _output([*run, "policies", "mix-fit"], tmp_path, cache)
    assert "Shai" in said
    made = "lm.pack(lm.generate.virtual_clusters(hosts=2, tasks=4), method='sg')"
    packed = f"import loadmaster as lm; print(lm.__file__); print({made})"
    said = _output([run[0], "-P", "-c", packed], tmp_path, cache)
    assert said.splitlines()[0] == str(inside / "__init__.py")
    assert "4 tasks on 2 hosts" in said
    assert not any(inside.rglob("*.nb[ic]"))


def _output(command: list[str], where: Path, environment: dict[str, str]) -> str:
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(command, cwd=where, env={**kept, **environment}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
