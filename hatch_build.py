"""What a build adds to a package: a long description that stands alone, and the commit of its source."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"!\[([^\]]*)\]\((?!https?:)[^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#)[^)]*\)")


def standing_alone(readme: str) -> str:
    """`readme` as it can be read without files beside it: pictures by their captions, links by their text."""
    return _LINK.sub(r"\1", _PICTURE.sub(r"*Picture: \1.*", readme))


class ReadmeHook(MetadataHookInterface):
    """Hatchling's hook for metadata that is made."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the long description."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": standing_alone(text)}


class CommitHook(BuildHookInterface):
    """Hatchling's hook for files that are made: the commit of this checkout goes into the package."""

    made: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the commit; an editable install reads its own, and a folder or a machine without git has none."""
        if version == "editable" or not (Path(self.root) / ".git").exists() or shutil.which("git") is None:
            return
        asked = subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.root, capture_output=True, text=True, check=False)
        if asked.returncode:
            return
        with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
            file.write(asked.stdout)
        self.made = Path(file.name)
        inside = "src/loadmaster" if self.target_name == "sdist" else "loadmaster"
        build_data["force_include"][file.name] = f"{inside}/commit.txt"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Take the written file away."""
        if self.made is not None:
            self.made.unlink(missing_ok=True)
