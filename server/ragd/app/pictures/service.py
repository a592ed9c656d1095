"""Pictures: those that documents show, and pages of PDFs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragd.access.context import AccessContext, LiveAccess
from ragd.core.lazy import Lazy
from ragd.ingest.discovery.originals import Originals
from ragd.ingest.workers.pool import WorkerPool
from ragd.store.assets import Assets, StoredFile, Variant, no_picture


@dataclass(frozen=True, slots=True)
class Pictures:
    assets: Assets
    access: LiveAccess
    originals: Originals
    parser: Lazy[WorkerPool]

    def find(self, asset_id: str, variant: Variant, access: AccessContext) -> StoredFile:
        """The file of a picture that a document shows which the user may see. Raises `AssetNotFound`."""
        showing = self.access.origins.showing(asset_id)
        for_all = bool(access.open_to_all(showing))
        if not for_all and not access.readable(showing):
            raise no_picture(asset_id)
        return replace(self.assets.find(asset_id, variant), for_all=for_all and access.reads_all)

    def page(self, doc_id: str, page: int, width: int, chunk_ids: Sequence[str] = ()) -> bytes:
        """A page of a PDF as PNG, `width` pixels wide, with the passages marked. Raises as `Originals.page` does."""
        data, source, highlights = self.originals.page(doc_id, chunk_ids, page)
        return self.parser().render_page(data, source, page, width, highlights)
