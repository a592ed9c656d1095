"""What a person's own token may read at this moment, by requests that the site itself decides: never by its search index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

from ragd.core.errors import DocumentVanished, ItemForbidden
from ragd.sources.atlassian.client import AtlassianClient
from ragd.sources.atlassian.values import text_of
from ragd.sources.base import Current, Fetched, Listed
from ragd.sources.confluence.cloud import CloudSite
from ragd.sources.confluence.dc import DataCenterSite
from ragd.sources.confluence.envelope import Content
from ragd.sources.confluence.fetching import fetched_page, id_of, references_of
from ragd.sources.confluence.items import Attachment, number_of, utc_text

_AT_ONCE: Final = 8


def current(
    client: AtlassianClient,
    site: CloudSite | DataCenterSite,
    items: Sequence[Listed],
    *,
    content: bool,
    deployment: str,
    names: Mapping[str, str],
) -> dict[str, Current]:
    """By item id. `client` asks with the person's token; a page's content is its body and title, without comments."""
    pages = [item for item in items if item.kind != "attachment"]
    raw_pages = site.readable(client, [(item.kind, id_of(item)) for item in pages], content=content)
    found: dict[str, Current] = {}
    for item in pages:
        raw = raw_pages.get(id_of(item))
        if raw is not None:
            fetched = _page(client, site, item, raw, deployment, names) if content else None
            found[item.id] = _current(item, raw, fetched)
    files = [item for item in items if item.kind == "attachment"]
    if files:
        with ThreadPoolExecutor(min(_AT_ONCE, len(files))) as threads:
            answers = threads.map(partial(_readable_file, client, site), files)
            for item, raw in zip(files, answers, strict=True):
                if raw is not None:
                    fetched = fetched_file(client, site, Attachment.of(item)) if content and item.hint else None
                    found[item.id] = _current(item, raw, fetched)
    return found


def fetched_file(client: AtlassianClient, site: CloudSite | DataCenterSite, file: Attachment) -> Fetched:
    """An attachment, to be downloaded by `client` when it is loaded."""
    return Fetched(
        id=file.item_id,
        fingerprint=file.fingerprint,
        version=str(file.version),
        title=file.name,
        source=file.source,
        uri=file.url(client.base_url),
        name=file.name,
        load=partial(client.download, site.file_address(file)),
        updated_at=file.updated or None,
    )


def _page(
    client: AtlassianClient,
    site: CloudSite | DataCenterSite,
    item: Listed,
    raw: Mapping[str, Any],
    deployment: str,
    names: Mapping[str, str],
) -> Fetched:
    page = site.page_for(client, item, raw)
    content = Content(deployment=deployment, page=page, references=references_of(page), names=names, base_url=client.base_url)
    return fetched_page(content, page.base, lambda file, limit: client.download(site.file_address(file), limit))


def _readable_file(client: AtlassianClient, site: CloudSite | DataCenterSite, item: Listed) -> Mapping[str, Any] | None:
    try:
        raw = site.readable_file(client, id_of(item))
    except (ItemForbidden, DocumentVanished):
        return None
    return raw if text_of(raw, "status") in {"", "current"} else None


def _current(item: Listed, raw: Mapping[str, Any], fetched: Fetched | None) -> Current:
    moment = text_of(raw, "version", "createdAt") or text_of(raw, "version", "when")
    return Current(item.id, str(number_of(raw, "version", "number")), utc_text(moment) or None, fetched)
