"""The container's Unigram tokenizer as a `tokenizer.json` of the `tokenizers` library.

The container maps single characters. Nmt and NFKC together give the same map, but for U+FF5E, which the model keeps: it is
carried past NFKC as U+0001, a character that Nmt has removed before.
"""

from __future__ import annotations

import json
from typing import Any

from ragd.models.e5_weights import Container

_SPACE = "\u2581"
_WAVE = "\uff5e"
_CARRIER = "\u0001"


def tokenizer_json(container: Container) -> str:
    """The text of a `tokenizer.json`; the same text for the same container."""
    special_ids = {container.begin_id, container.pad_id, container.end_id, container.unknown_id, container.pieces.index("<mask>")}
    begin, end = container.pieces[container.begin_id], container.pieces[container.end_id]
    metaspace = {"type": "Metaspace", "replacement": _SPACE, "prepend_scheme": "always", "split": True}
    values: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_special(index, container.pieces[index]) for index in sorted(special_ids)],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Nmt"},
                _replace({"String": _WAVE}, _CARRIER),
                {"type": "NFKC"},
                _replace({"String": _CARRIER}, _WAVE),
                _replace({"Regex": " {2,}"}, " "),
                {"type": "Strip", "strip_left": True, "strip_right": True},
            ],
        },
        "pre_tokenizer": metaspace,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [_place(begin), {"Sequence": {"id": "A", "type_id": 0}}, _place(end)],
            "pair": [
                _place(begin),
                {"Sequence": {"id": "A", "type_id": 0}},
                _place(end),
                _place(end),
                {"Sequence": {"id": "B", "type_id": 0}},
                _place(end),
            ],
            "special_tokens": {
                begin: {"id": begin, "ids": [container.begin_id], "tokens": [begin]},
                end: {"id": end, "ids": [container.end_id], "tokens": [end]},
            },
        },
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": container.unknown_id,
            "vocab": [[piece, float(score)] for piece, score in zip(container.pieces, container.scores, strict=True)],
            "byte_fallback": False,
        },
    }
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _special(index: int, content: str) -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": index, "content": content, **flags}


def _replace(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


def _place(token: str) -> dict[str, Any]:
    return {"SpecialToken": {"id": token, "type_id": 0}}
