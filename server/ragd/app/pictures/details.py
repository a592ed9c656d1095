"""All that is known of a picture: what was read in it, what is said of it and by whom, where it is shown, what that cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ragd.access.context import AccessContext
from ragd.app.pictures.captioning import Captioning
from ragd.app.pictures.service import Pictures
from ragd.core.errors import ValidationFailed
from ragd.jobs.captions import DescribePictures
from ragd.store.document_reader import DocumentReader
from ragd.store.jobs import Job
from ragd.store.pictures.descriptions import Shown, StoredDescription
from ragd.store.pictures.standing import PicturePlaces

_MOST_DOCUMENTS: Final = 50


@dataclass(frozen=True, slots=True)
class PictureDetails:
    """What `GET /api/assets` and `rag assets` show, and what has pictures described."""

    pictures: Pictures
    captioning: Captioning
    documents: DocumentReader
    job: DescribePictures
    standing: PicturePlaces

    def of(self, asset_id: str, access: AccessContext) -> dict[str, Any]:
        """All of one picture. Raises `AssetNotFound`."""
        self.pictures.find(asset_id, "thumb", access)
        asset = self.pictures.assets.known([asset_id])[asset_id]
        current = self.captioning.described([asset_id]).get(asset_id)
        readable = sorted(access.readable(self.pictures.access.origins.showing(asset_id)))[:_MOST_DOCUMENTS]
        shown = [self.documents.get(doc_id) for doc_id in readable]
        return {
            "asset_id": asset_id,
            "mime": asset.mime,
            "width": asset.width,
            "height": asset.height,
            # Of a picture that is a document of its own, the words are the document's and stand there.
            "text": asset.text or "\n".join(line.text for line in asset.words or ()),
            "lines": [{"text": line.text, "bbox": line.box, "score": line.score} for line in asset.words or ()],
            "not_read": asset.ocr_skipped,
            "description": self._told(current) if current else None,
            "descriptions": [self._told(one) for one in self.captioning.descriptions.of(asset_id)],
            "documents": [{name: document[name] for name in ("id", "source", "title")} for document in shown],
            "passages": self.standing.passages(asset_id, readable),
        }

    def csv(self, asset_id: str, access: AccessContext) -> str:
        """The table or the series of a picture, "" where there is neither. Raises `AssetNotFound`."""
        self.pictures.find(asset_id, "thumb", access)
        current = self.captioning.described([asset_id]).get(asset_id)
        return current.description.csv() if current else ""

    def page(
        self, access: AccessContext, state: str | None = None, same_as: str | None = None, *, fold: bool = False
    ) -> list[dict[str, Any]]:
        """The pictures of documents that the user may see, in this state or in any, with `same_as` those that show the same.

        `fold` makes one item of all that show the same.
        """
        shown = self.captioning.descriptions.shown(self.captioning.key())
        readable = access.readable({one.doc_id for one in shown})
        items = [_item(one) for one in shown if one.doc_id in readable]
        if same_as is not None:
            original = next((_original(item) for item in items if item["asset_id"] == same_as), same_as)
            items = [item for item in items if _original(item) == original]
        items = [item for item in items if state is None or item["state"] == state]
        return _folded(items) if fold else items

    def caption(self, payload: dict[str, Any], request_id: str | None) -> Job | None:
        """Have pictures described. Raises `ValidationFailed` where the settings want none."""
        if self.captioning.captioner() is None:
            raise ValidationFailed("Nothing describes pictures: captions.provider is none. Set it, and start again.")
        return self.job.queue(payload, request_id)

    def _told(self, stored: StoredDescription) -> dict[str, Any]:
        said = stored.description
        usage = said.usage
        told = said.as_dict()
        del told["usage"]
        return told | {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cost": self.captioning.settings.cost(usage.input_tokens, usage.output_tokens),
            "created_at": stored.created_at,
            "error": stored.error_message,
        }


def _original(item: Mapping[str, Any]) -> str:
    """The picture of which what is said of this one was said; for most of them the picture itself."""
    return str(item["same_as"] or item["asset_id"])


def _folded(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first of those that show the same, with how many more there are: copies, and other documents that show it."""
    first: dict[str, dict[str, Any]] = {}
    for item in items:
        kept = first.setdefault(_original(item), item)
        if kept is not item:
            kept["more"] += 1
    return list(first.values())


def _item(one: Shown) -> dict[str, Any]:
    said = one.said.description if one.said else None
    state = "missing" if said is None else "low_quality" if said.low_quality else "described"
    if said is None and one.error_code:
        state = "failed"
    return {
        "asset_id": one.asset_id,
        "doc_id": one.doc_id,
        "source": one.source,
        "caption": one.alt,
        "state": state,
        "image_type": said.image_type if said else None,
        "summary": said.summary if said else "",
        "described_by": " ".join(filter(None, (said.provider, said.model))) if said else "",
        "same_as": said.same_as if said else "",
        "more": 0,
    }
