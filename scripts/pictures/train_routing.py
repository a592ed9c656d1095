"""Learns to tell types of pictures: `python -m pictures.train_routing OURS OTHERS/train` in scripts/.

Both are folders as `route` takes them. Logistic regression over what `ragd.vision.features` sees, by gradient descent with L2.
OURS were drawn by `draw.py`; OTHERS are by nobody of the project: `others.py` fetches them, and its `held-out` take no part.
Scores are of pictures that took no part in the training (ten folds, in each of which all pictures of a package are together);
the weights are made of all of both.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pictures.others import rows as rows_of_others
from pictures.route import pixels_of, words_of
from ragd.vision.features import features_of

TYPES = ("table", "chart", "flowchart", "diagram", "screenshot", "photo")
TARGET = Path(__file__).resolve().parents[2] / "server" / "ragd" / "vision" / "routing_weights.json"
FOLDS = 10
L2 = 0.01

Numbers = NDArray[np.float64]


def seen(folder: Path) -> tuple[Numbers, NDArray[np.int64], list[str]]:
    """What is seen in each picture, its type, and its name."""
    paths = sorted(path for kind in TYPES for path in (folder / kind).glob("*") if path.suffix != ".json")
    words = words_of(folder, paths)
    rows = [features_of(pixels_of(path), words[path.relative_to(folder).as_posix()]).values() for path in paths]
    return np.array(rows), np.array([TYPES.index(path.parent.name) for path in paths]), [path.name for path in paths]


def folds_of(own: int, names: list[str]) -> NDArray[np.int64]:
    """A fold for each picture: ours by chance, others by their packages."""
    random = np.random.default_rng(20)
    package = {Path(row.place).name: row.package for row in rows_of_others()}
    packages = sorted({package[name] for name in names})
    fold = dict(zip(packages, random.permutation(len(packages)) % FOLDS, strict=True))
    return np.concatenate([random.permutation(own) % FOLDS, [fold[package[name]] for name in names]])


def fitted(rows: Numbers, labels: NDArray[np.int64], weight: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Mean, deviation, and weights with the bias as the last row."""
    mean, deviation = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    inputs = np.hstack([(rows - mean) / deviation, np.ones((len(rows), 1))])
    wanted = np.eye(len(TYPES))[labels]
    weights = np.zeros((inputs.shape[1], len(TYPES)))
    for _ in range(3000):
        told = np.exp(inputs @ weights - (inputs @ weights).max(axis=1, keepdims=True))
        told /= told.sum(axis=1, keepdims=True)
        slope = inputs.T @ ((told - wanted) * weight[:, None]) / weight.sum() + L2 * weights
        weights -= 0.5 * slope
    return mean, deviation, weights


def told(model: tuple[Numbers, Numbers, Numbers], rows: Numbers) -> NDArray[np.int64]:
    mean, deviation, weights = model
    return np.asarray((np.hstack([np.clip((rows - mean) / deviation, -4, 4), np.ones((len(rows), 1))]) @ weights).argmax(axis=1))


def main(ours: Path, others: Path) -> None:
    (own, own_labels, _), (strange, strange_labels, names) = seen(ours), seen(others)
    rows, labels = np.vstack([own, strange]), np.concatenate([own_labels, strange_labels])
    is_own = np.arange(len(rows)) < len(own)
    # What others made counts as much as what we drew: it is what people have. There each type counts as much as another.
    counts = np.bincount(strange_labels, minlength=len(TYPES))
    share = 1 / counts[strange_labels] / (counts > 0).sum()
    weight = np.concatenate([np.ones(len(own)), len(own) * share])
    fold = folds_of(len(own), names)
    found = np.zeros(len(rows), np.int64)
    for number in range(FOLDS):
        out = fold == number
        found[out] = told(fitted(rows[~out], labels[~out], weight[~out]), rows[out])
    for name, part in (("ours", is_own), ("others", ~is_own)):
        table = Counter(zip(labels[part].tolist(), found[part].tolist(), strict=True))
        print(f"\n{name}: {(labels[part] == found[part]).mean():.3f} of {part.sum()}")
        print("| shown \\ taken for | " + " | ".join(TYPES) + " |\n|---|" + "---:|" * len(TYPES))
        for row, kind in enumerate(TYPES):
            if any(table[row, column] for column in range(len(TYPES))):
                print(f"| {kind} | " + " | ".join(str(table[row, column] or "") for column in range(len(TYPES))) + " |")
    only_ours = told(fitted(own, own_labels, np.ones(len(own))), strange)
    print(f"\nothers, when trained on ours alone: {(only_ours == strange_labels).mean():.3f}")
    mean, deviation, weights = fitted(rows, labels, weight)
    parts = {"types": TYPES, "mean": mean, "deviation": deviation, "weights": weights}
    ready = {name: np.round(value, 4).tolist() if isinstance(value, np.ndarray) else value for name, value in parts.items()}
    TARGET.write_text(json.dumps(ready) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
