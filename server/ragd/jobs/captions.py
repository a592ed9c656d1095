"""The second pass over pictures: described once their documents can be found, behind every other job, and put into the views.

Each description is kept as soon as it is made. A job that was cut off, or gave way, goes on with what is left, see
`caption_selection`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from ragd.config.captions import CaptionSettings
from ragd.core.errors import RagError, RemoteUnavailable, ServiceUnavailable
from ragd.core.jobs import Failure, IngestResult, Postponed
from ragd.core.storage import Asset, PictureLink, VersionContent
from ragd.ingest.pictures.contexts import context_of, without_context
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.prefetch import side_by_side
from ragd.ingest.reading import Report
from ragd.ingest.workers.looks import Look, LookTask
from ragd.ingest.workers.pool import WorkerPool
from ragd.jobs.caption_selection import Selection
from ragd.jobs.counts import Counts
from ragd.providers.caption_checks import checked
from ragd.providers.caption_protocol import Captioner, LentCaptioner
from ragd.store.assets import Assets
from ragd.store.documents import DocumentWriter
from ragd.store.jobs import Job, Jobs
from ragd.store.pictures.descriptions import TAKEN_OVER, CaptionerKey, Descriptions, Lack
from ragd.vision.description import Description, PictureContext, Usage
from ragd.vision.lending import NobodyLends

log = logging.getLogger(__name__)

KIND: Final = "captions"

# Pictures after which their documents' views are made, and other jobs get their turn: or after so long, since one picture may
# take many seconds.
_SLICE: Final = 20
_TURN_S: Final = 2.0
_PATIENCE_S: Final = 2.0
"""Seconds of a look at one picture after which a job that waits has it broken off; it is not broken off twice."""
_AGAIN_S: Final = 1.0
_UNTIL_LENT_S: Final = 3600.0
_GIVEN_UP: Final = 3
"""Pictures in a row for which a service did not answer, after which it is left alone for a while."""
_STAGE: Final = "describing pictures"


@dataclass(frozen=True, slots=True)
class DescribePictures:
    """Describes what is missing. `captioner` gives None where the settings want none."""

    settings: CaptionSettings
    captioner: Callable[[], Captioner | None]
    ingestion: Callable[[], IngestPipeline]
    parser: Callable[[], WorkerPool]
    descriptions: Descriptions
    assets: Assets
    writer: DocumentWriter
    jobs: Jobs
    broken_off: set[str] = field(default_factory=set)
    """Pictures, the look at which was broken off for another job."""

    def request(self) -> None:
        """Queue the job, where there is something to do."""
        self.queue({})

    def queue(self, payload: dict[str, Any], request_id: str | None = None) -> Job | None:
        """Queue the job, or give one that waits and does the same; None where it has nothing to do, or can't be queued.

        The `payload` names what else than missing pictures is described: `again` those that failed too often, `low_quality` those
        of which little was said, `redo` those that a model described, `asset_ids` only these, and with `anew`
        these whatever is said of them.
        """
        captioner = None
        if self.settings.provider != "none":
            try:
                captioner = self.captioner()
            except RagError as error:
                log.warning("pictures are not described", extra={"reason": error.message})
                return None
        # One that waits for somebody to lend a model does not wait for a time: it goes on when somebody does.
        is_for_lender = isinstance(captioner, LentCaptioner) and not captioner.lending.is_lent
        same = [job for job in self.jobs.waiting(KIND) if job.payload == payload]
        waiting = next((job for job in same if is_for_lender or job.not_before is None or _has_given_way(job)), None)
        if waiting:
            return waiting
        if not self._pending(payload):
            return None
        try:
            return self.jobs.add(KIND, collection="", kb_id="", payload=payload, request_id=request_id)
        except ServiceUnavailable as error:
            log.warning("pictures are not described before the next ingestion or start", extra={"reason": error.message})
            return None

    def resume(self) -> None:
        """Somebody lends a model: what waited for that begins, and what is missing is queued."""
        for job in self.jobs.waiting(KIND):
            if job.not_before is not None:
                self.jobs.restart(job.job_id, "queued")
        self.request()

    @property
    def is_running(self) -> bool:
        """Whether a job of this kind has begun, and not ended nor been put off."""
        return bool(self.jobs.waiting(KIND, statuses=("running",)))

    @property
    def is_due(self) -> bool:
        """Whether pictures are being described, or are about to be."""
        found = self.jobs.waiting(KIND, statuses=("queued", "running"))
        return any(job.status == "running" or job.not_before is None for job in found)

    def _pending(self, payload: Mapping[str, Any]) -> bool:
        captioner = self.captioner()
        key = CaptionerKey.of(captioner) if captioner else None
        return bool((key and self.selection.wanted(payload, key)) or self.descriptions.unapplied(key))

    @property
    def selection(self) -> Selection:
        return Selection(self.settings, self.descriptions)

    def __call__(self, job: Job, report: Report) -> IngestResult:
        captioner = self.captioner()
        if captioner is None:
            return self._apply(job, report, None, Counts())
        run = _Run(self, captioner, job, report)
        try:
            return run.all()
        except NobodyLends as error:
            # It has cost nothing, and nobody is to wait for a time that means nothing: `resume` has it go on.
            self._apply(job, report, CaptionerKey.of(captioner), run.counts)
            raise Postponed(_UNTIL_LENT_S, error.message) from error

    def _apply(self, job: Job, report: Report, key: CaptionerKey | None, counts: Counts) -> IngestResult:
        """Make the views of the documents whose pictures have another description now than the views hold."""
        doc_ids = self.descriptions.unapplied(key)
        if doc_ids:
            made = self.ingestion().rebuild(doc_ids, report=_quiet(report, counts), links=job.links)
            counts.add(made)
        return counts.result()


def _quiet(report: Report, counts: Counts) -> Report:
    """Reports of the views' making as the job's own: pictures are counted, and a job can still be stopped."""
    return lambda _stage, _done, _total: report(_STAGE, counts.done, counts.total)


class _BrokenOff(Exception):
    """Another job gets its turn before the picture is described."""


class _Run:
    """One run of the job."""

    def __init__(self, work: DescribePictures, captioner: Captioner, job: Job, report: Report) -> None:
        self._work = work
        self._captioner = captioner
        self._key = CaptionerKey.of(captioner)
        self._job = job
        self._report = report
        self._silent = 0
        self.counts = Counts()
        # Whoever lends a model may take long over each picture.
        self._slice = 1 if isinstance(captioner, LentCaptioner) else _SLICE

    def all(self) -> IngestResult:
        work = self._work
        selected = work.selection.of(self._job, self._key, work.jobs.clock(-work.settings.retry_after_s))
        self.counts = counts = Counts(selected.done + len(selected.left), selected.done)
        for doc_id, content, failed in self._documents(selected.failed):
            counts.failed += [_failure(content.source if content else doc_id, lack) for lack in failed]
        since_views, begun = 0, time.monotonic()
        for doc_id, content, group in self._documents(selected.left):
            for lack in group:
                self._report(_STAGE, counts.done, counts.total)
                try:
                    if content is not None:
                        self._one(content, lack)
                except _BrokenOff:
                    work._apply(self._job, self._report, self._key, counts)
                    raise Postponed(_AGAIN_S) from None
                counts.done += 1
                since_views += 1
                if (since_views >= self._slice or time.monotonic() - begun >= _TURN_S) and self._gives_way():
                    work._apply(self._job, self._report, self._key, counts)
                    raise Postponed(_AGAIN_S)
            log.debug("pictures of a document described", extra={"doc_id": doc_id})
            if since_views >= _SLICE:
                work._apply(self._job, self._report, self._key, counts)
                since_views = 0
        result = work._apply(self._job, self._report, self._key, counts)
        if not self._job.payload and any(lack.attempts for lack in work.selection.wanted({}, self._key)):
            raise Postponed(work.settings.retry_after_s, "Some pictures could not be described; they are tried again.")
        return result

    def _gives_way(self) -> bool:
        """Whether another job gets its turn now. One that was asked for does not give way to others that describe pictures."""
        left = self.counts.done < self.counts.total
        return left and self._work.jobs.others_due(self._job.job_id, KIND if self._job.payload else None)

    def _documents(self, lacks: Sequence[Lack]) -> Iterator[tuple[str, VersionContent | None, list[Lack]]]:
        """The lacks by their documents, with what each document holds; None for one that is gone by now."""
        for doc_id, group in groupby(lacks, key=lambda lack: lack.doc_id):
            found = self._work.writer.contents([doc_id])
            yield doc_id, found[0] if found else None, list(group)

    def _require_budget(self) -> None:
        """Raises `Postponed` until tomorrow once the day's budget of a service is used up."""
        settings = self._work.settings
        if self._captioner.asks_nobody or not (settings.max_per_day or settings.max_cost_per_day):
            return
        now = self._work.jobs.now()
        spent = self._work.descriptions.spent(now[:10], self._key)
        cost = settings.cost(spent.input_tokens, spent.output_tokens)
        too_many = settings.max_per_day and spent.pictures >= settings.max_per_day
        too_dear = settings.max_cost_per_day and cost >= settings.max_cost_per_day
        if too_many or too_dear:
            self._work._apply(self._job, self._report, self._key, self.counts)
            setting = "max_per_day" if too_many else "max_cost_per_day"
            raise Postponed(
                _until_tomorrow(now), f"The day's budget for descriptions of pictures (captions.{setting}) is used up."
            )

    def _one(self, content: VersionContent, lack: Lack) -> None:
        asset = next((asset for asset in content.assets if asset.asset_id == lack.asset_id), None)
        link = next((link for link in content.picture_links if link.asset_id == lack.asset_id), None)
        if asset is None or link is None:
            return
        try:
            if not self._described_already(asset, lack):
                self._require_budget()
                if isinstance(self._captioner, LentCaptioner):
                    self._captioner.lending.require_lender()
                self._describe(content, asset, link, lack)
        except RemoteUnavailable as error:
            self._fail(content, lack, error)
            self._silent += error.retryable
            if self._silent >= _GIVEN_UP:
                self._work._apply(self._job, self._report, self._key, self.counts)
                raise Postponed(self._work.settings.retry_after_s, error.message) from error
        except ServiceUnavailable:  # the daemon is stopping
            raise
        except RagError as error:
            self._fail(content, lack, error)

    def _described_already(self, asset: Asset, lack: Lack) -> bool:
        """Whether another picture shows the same, and is described well: then that is said of this one, too, and costs nothing.

        Who wants pictures described anew, or by their ids, wants a look at each.
        """
        if self._job.payload.keys() & {"redo", "low_quality", "asset_ids"}:
            return False
        work = self._work
        same = work.assets.likenesses.same_as(asset, asset.words or ())
        said = work.descriptions.current(same, self._key)
        for stored in (said[asset_id] for asset_id in same if asset_id in said):
            one = stored.description
            # Whoever lends a model names it: the captioner knows none beforehand.
            model = self._key.model if isinstance(self._captioner, LentCaptioner) else one.model
            if CaptionerKey(one.provider, model, one.prompt_id) == self._key and not one.low_quality:
                copied = replace(one, same_as=one.same_as or stored.asset_id, usage=Usage())
                work.descriptions.put(lack.asset_id, copied, TAKEN_OVER, attempts=lack.attempts + 1, key=self._key)
                return True
        return False

    def _describe(self, content: VersionContent, asset: Asset, link: PictureLink, lack: Lack) -> None:
        work, captioner = self._work, self._captioner
        context = context_of(content, link)
        if work.settings.context_scope == "none":
            context = without_context(context)
        own = captioner.name if captioner.asks_nobody else None
        max_side = min(captioner.max_side, work.settings.max_side) if own is None else captioner.max_side
        name = f"{content.source}#{asset.asset_id[:8]}"
        task = LookTask(name, self._bytes(asset), context, asset.words, own, max_side, work.settings.max_bytes)
        look = self._look(task, asset.asset_id)
        if asset.phash is None:
            work.assets.likenesses.set(asset.asset_id, look.phash)
        said: Description = look.description or self._asked(asset.asset_id, look, context)
        self._silent = 0
        # Who describes it may see something else in it than it was taken for.
        certainty = round(look.certainty, 3) if said.image_type == look.image_type else 0.0
        said = replace(checked(said, look.words), certainty=certainty)
        work.descriptions.put(asset.asset_id, said, context.hash, attempts=lack.attempts + 1, key=self._key)

    def _asked(self, asset_id: str, look: Look, context: PictureContext) -> Description:
        """What a model says. A job that is to stop does not wait for one that is lent, which may never answer."""
        captioner = self._captioner
        call = partial(captioner.describe, look.picture, context, look.image_type, look.words)
        if not isinstance(captioner, LentCaptioner):
            return call()
        captioner.lending.subject = asset_id

        def tick() -> None:
            self._report(_STAGE, self.counts.done, self.counts.total)

        (said,) = side_by_side([call], 1, tick=tick, abandon=captioner.lending.abandon)
        return said

    def _look(self, task: LookTask, asset_id: str) -> Look:
        """A look at a large picture takes many seconds: neither a job that is to stop waits for it, nor one that is due."""
        parser, broken_off, begun = self._work.parser(), self._work.broken_off, time.monotonic()

        def tick() -> None:
            self._report(_STAGE, self.counts.done, self.counts.total)
            is_long = time.monotonic() - begun >= _PATIENCE_S
            if is_long and asset_id not in broken_off and self._gives_way():
                broken_off.add(asset_id)
                raise _BrokenOff

        (look,) = side_by_side([partial(parser.look, task)], 1, tick=tick, abandon=partial(parser.end_busy, task.name))
        return look

    def _bytes(self, asset: Asset) -> bytes:
        return Path(self._work.assets.find(asset.asset_id, "raw").path).read_bytes()

    def _fail(self, content: VersionContent, lack: Lack, error: RagError) -> None:
        failed = replace(lack, attempts=lack.attempts + 1, error=(error.code, error.message))
        self._work.descriptions.fail(lack.asset_id, self._key, (error.code, error.message), failed.attempts)
        self.counts.failed.append(_failure(content.source, failed))
        log.warning("picture not described", extra={"asset_id": lack.asset_id, "code": error.code, "reason": error.message})


def _has_given_way(job: Job) -> bool:
    """Whether a job for whatever is missing waits for no more than its turn: then it describes what has come meanwhile, too."""
    return not job.payload and job.error is None


def _failure(source: str, lack: Lack) -> Failure:
    code, message = lack.error or ("INTERNAL_ERROR", "")
    return Failure(f"{source} (picture {lack.asset_id[:8]})", code, message)


def _until_tomorrow(now: str) -> float:
    """Seconds until the next day begins, in UTC."""
    hours, minutes, seconds = int(now[11:13]), int(now[14:16]), int(now[17:19])
    return 24 * 3600.0 - (hours * 3600 + minutes * 60 + seconds)
