"""Which pictures a job describes, and which of them it has described before it gave way, was stopped or was cut off.

A job that somebody asked for may concern pictures that are described already. Its mark is the time at which it was asked for:
what the captioner was asked about since then is done. So the mark is written with each description, in one transaction, and a job
that is killed asks nothing twice. Another job for the same pictures does its work, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragd.config.captions import CaptionSettings
from ragd.store.jobs import Job
from ragd.store.pictures.descriptions import MOST_ATTEMPTS, CaptionerKey, Descriptions, Lack


@dataclass(frozen=True, slots=True)
class Selected:
    """The pictures that are left, those that could not be described and are left alone by this job, and how many are done."""

    left: Sequence[Lack]
    failed: Sequence[Lack] = ()
    done: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """Selects the pictures of jobs by their payload: see `DescribePictures.queue`."""

    settings: CaptionSettings
    descriptions: Descriptions

    def of(self, job: Job, key: CaptionerKey, retried_before: str) -> Selected:
        """What is left for a job; a picture that failed is tried again if that was before this moment."""
        wanted = self.wanted(job.payload, key)
        if not job.payload:
            return Selected(wanted)
        tried = self.descriptions.tried_since(job.created_at, key)
        left, failed = [], []
        for lack in wanted:
            one = tried.get(lack.asset_id)
            if one is None:
                left.append(lack)
            elif one.error_code and (one.attempts >= MOST_ATTEMPTS or one.created_at > retried_before):
                failed.append(replace(lack, attempts=one.attempts, error=(one.error_code, one.error_message or "")))
            elif one.error_code:
                left.append(replace(lack, attempts=one.attempts))
        # Of those that were missing, or of which little was said, nothing tells any more that they were wanted.
        by_id = job.payload.get("asset_ids")
        named = {lack.asset_id for lack in wanted} if job.payload.keys() & {"anew", "redo"} else by_id
        done = tried.keys() if named is None else tried.keys() & set(named)
        return Selected(left, failed, len(done - {lack.asset_id for lack in left}))

    def wanted(self, payload: Mapping[str, Any], key: CaptionerKey) -> list[Lack]:
        """What a job of this payload describes: the missing, those of which little was said, or those of a model; each once."""
        if payload.get("anew"):
            lacks = self.descriptions.showing(payload["asset_ids"])
        elif model := payload.get("redo"):
            lacks = self.descriptions.described_by(model)
        else:
            again, low_quality = bool(payload.get("again")), bool(payload.get("low_quality"))
            lacks = self.descriptions.lacking(key, again=again, low_quality=low_quality)
        if wanted := payload.get("asset_ids"):
            lacks = [lack for lack in lacks if lack.asset_id in set(wanted)]
        # With the first document that shows it.
        unique = {lack.asset_id: lack for lack in reversed(lacks)}
        lacks = [lack for lack in lacks if unique[lack.asset_id] is lack]
        # Somebody wants those that are named, and those of a model had their place when they were described first.
        return lacks if wanted or payload.get("redo") else self._within_limit(lacks, payload, key)

    def _within_limit(self, lacks: Sequence[Lack], payload: Mapping[str, Any], key: CaptionerKey) -> list[Lack]:
        """The first of each document, as many as it has room for beside what earlier runs have described."""
        most = self.settings.max_per_document
        if not most:
            return list(lacks)
        counted = Counter(
            self.descriptions.described_in({lack.doc_id for lack in lacks}, key, good=bool(payload.get("low_quality")))
        )
        within = []
        for lack in lacks:
            counted[lack.doc_id] += 1
            if counted[lack.doc_id] <= most:
                within.append(lack)
        return within
