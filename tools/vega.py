"""Bundles the chart library that every page carries: `python tools/vega.py` writes it into the package.

Only for when a new Vega-Lite is wanted; needs vl-convert, which has the library's sources. The version is the one that
the installed Altair writes for.
"""

import gzip
from pathlib import Path

import altair
import vl_convert

TARGET = Path(__file__).parent.parent / "src/loadmaster/report/page_parts/vega.js.gz"


def main() -> None:
    """Bundle, pack, and say how large it came out."""
    version = ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    bundle = vl_convert.javascript_bundle("globalThis.vegaEmbed = vegaEmbed;", version)
    assert "</script" not in bundle.lower()
    assert "import " not in bundle[:200]  # a plain script, no module
    script = f"(() => {{ 'use strict';\n{bundle}\n}})();\n"
    TARGET.write_bytes(gzip.compress(script.encode(), 9, mtime=0))
    print(f"Vega-Lite {version}: {len(script):,} letters, {TARGET.stat().st_size:,} bytes in {TARGET}")


if __name__ == "__main__":
    main()
