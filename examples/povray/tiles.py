"""Write the 256 shell commands that render the picture tile by tile, for `loadmaster run`."""

import argparse
from pathlib import Path

HERE = Path(__file__).resolve().parent


def commands(out: Path, width: int, side: int) -> list[str]:
    """One POV-Ray command a tile; `side` x `side` tiles of a picture of `width` x `width` points."""
    step = width // side
    lines = []
    for row in range(side):
        for column in range(side):
            area = f"+SC{column * step + 1} +EC{(column + 1) * step} +SR{row * step + 1} +ER{(row + 1) * step}"
            image = out / f"tile-{row:02d}-{column:02d}.png"
            lines.append(
                f"povray {HERE / 'scene.pov'} +W{width} +H{width} {area} +A0.05 +AM2 +R4 +WT1 -D -GA +O{image}"
            )
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("tiles"), help="folder of the tiles")
    parser.add_argument("--width", type=int, default=1024, help="points across the picture")
    parser.add_argument("--side", type=int, default=16, help="tiles across the picture")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    print("\n".join(commands(arguments.out.resolve(), arguments.width, arguments.side)))
