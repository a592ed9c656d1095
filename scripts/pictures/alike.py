"""How well pictures are told to be the same, saved again or in another size: `python -m pictures.alike FOLDER` in scripts/.

FOLDER is what `pictures.draw` made.
Each picture is taken against five copies of itself (JPEG of quality 60 and 30, half and three
quarters of its size, WebP), and against every other picture, by hashes of 64 and of 256 bits. Prints, for each limit of bits, the
share of copies that are told, and how many pairs of different pictures are taken for the same, by hash and shape alone; what the
words in them part besides is not counted.
"""

from __future__ import annotations

import io
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np
from PIL import Image

from ragd.vision import likeness
from ragd.vision.likeness import distances, phash_of, same_shape


def copies(image: Image.Image) -> list[Image.Image]:
    """The same picture as others keep it."""
    found = [_saved(image, "JPEG", 60), _saved(image, "JPEG", 30), _saved(image, "WEBP", 70)]
    return found + [
        image.resize((round(image.width * by), round(image.height * by)), Image.Resampling.LANCZOS) for by in (0.5, 0.75)
    ]


def _saved(image: Image.Image, form: str, quality: int) -> Image.Image:
    target = io.BytesIO()
    image.save(target, form, quality=quality)
    return Image.open(target).convert("RGB")


def main(folder: Path) -> None:
    images = [Image.open(path).convert("RGB") for path in sorted(folder.glob("*/*")) if path.suffix in (".png", ".jpg")]
    for low in (8, 16):
        likeness._LOW = low  # type: ignore[misc]
        likeness._waves.cache_clear()
        begun = time.process_time()
        own = [phash_of(np.asarray(image)) for image in images]
        spent = time.process_time() - begun
        same = np.concatenate(
            [
                distances(mine, [phash_of(np.asarray(one)) for one in copies(image)])
                for mine, image in zip(own, images, strict=True)
            ]
        )
        pairs = [(a, b) for a, b in combinations(range(len(images)), 2) if same_shape(images[a].size, images[b].size)]
        apart = np.array([distances(own[a], [own[b]])[0] for a, b in pairs])
        cost = 1000 * spent / len(images)
        print(f"\n{low * low} bits; {len(images)} pictures, {cost:.1f} ms each; {len(pairs)} pairs of one shape")
        for most in (0, 2, 4, 6, 8, 12, 16, 24, 32):
            print(f"  {most:3} bits: {(same <= most).mean():.3f} of the copies, {(apart <= most).sum()} different pairs")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
