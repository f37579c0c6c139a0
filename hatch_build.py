"""The long description of a package: the README without links and pictures that only a checkout has."""

import re
from pathlib import Path
from typing import Any

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
