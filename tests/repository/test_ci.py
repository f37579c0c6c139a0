"""What CI types is what README says, and what it skipped can be tried again by name."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_first_stage_of_ci_types_the_commands_of_readme_that_install_and_test():
    typed = subprocess.run([ROOT / ".ci/readme-commands"], capture_output=True, text=True, check=True).stdout
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert typed == "".join(block for block in blocks if "pip install" in block)
    assert typed.splitlines()[0].startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert ".venv/bin/pytest" in typed.splitlines()[-1]


def test_what_was_skipped_can_be_tried_again_by_name(tmp_path):
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    (tmp_path / "test_two.py").write_text(
        "import pytest\n\ndef test_runs(): ...\n\n@pytest.mark.parametrize('a', ['x y'])\n"
        "def test_waits(a):\n    pytest.skip('no server')\n"
    )
    (tmp_path / "test_none.py").write_text("import pytest\npytest.importorskip('no_such_module')\n")
    modules = f"-opythonpath={ROOT / 'tests' / 'set_ups'}"
    pytest = [sys.executable, "-m", "pytest", "-q", modules, "-n", "1"]
    subprocess.run(pytest, cwd=tmp_path, capture_output=True, check=True)
    names = tmp_path / ".pytest_cache/d/skipped/tests.txt"
    assert sorted(names.read_text().splitlines()) == ["test_none.py", "test_two.py::test_waits[x y]"]
    again = subprocess.run([*pytest[:5], f"@{names}"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "2 skipped" in again.stdout
    names.write_text("those of the whole run")
    subprocess.run([*pytest, "--last-failed"], cwd=tmp_path, capture_output=True, check=False)
    assert names.read_text() == "those of the whole run"
