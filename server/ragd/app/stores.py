"""What is kept: the database's repositories, and the folders beside it. The application builds everything else on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from ragd.access.rate import RateLimits, Rates
from ragd.access.shared_rates import SharedRates
from ragd.app.backup import Backup
from ragd.app.clean_stop import CleanStop
from ragd.app.evaluations.datasets import EvaluationDatasets
from ragd.app.gauges import gauges
from ragd.app.ingestion import loader_for
from ragd.app.keys import Keys
from ragd.app.metrics import Metrics
from ragd.app.otlp import otlp_sinks
from ragd.config.loading import Directories
from ragd.config.secrets import resolve
from ragd.config.settings import Settings
from ragd.core.logs import AUDIT_LOG, private_file
from ragd.core.tracing import JsonlSink, Tracer
from ragd.formats.registry import require_loaders
from ragd.ingest.discovery.uploads import Uploads
from ragd.jobs.deliveries import Deliveries, deliver
from ragd.store.api_keys import ApiKeys
from ragd.store.assets import Assets
from ragd.store.blobs.opening import open_blobs
from ragd.store.collections import Collections
from ragd.store.contract.cleanup_tasks import CleanupTasks
from ragd.store.database.change_feed import ChangeFeed
from ragd.store.database.engine import open_engine
from ragd.store.database.queue_schema import prepare_queue
from ragd.store.database.sizes import DatabaseSizes
from ragd.store.document_reader import DocumentReader
from ragd.store.documents import DocumentWriter
from ragd.store.evaluation.datasets import Datasets
from ragd.store.evaluation.evaluations import Evaluations
from ragd.store.evaluation.feedback import Feedback
from ragd.store.file_documents import FileDocuments
from ragd.store.jobs import Deliver, Jobs
from ragd.store.labels.labels import Labels
from ragd.store.ledger import Ledger
from ragd.store.overview import Overviews
from ragd.store.passages import Passages
from ragd.store.pictures.descriptions import Descriptions
from ragd.store.pictures.standing import PicturePlaces
from ragd.store.sources import Sources
from ragd.store.traces import Traces

# Of 10 MB each; the oldest goes.
_AUDIT_FILES = 50


class Stores:
    """Every repository of one data directory, opened at once."""

    def __init__(self, settings: Settings, directories: Directories, clock: Callable[[float], str]) -> None:
        """Jobs are put off by the `clock`. Raises `ServiceUnavailable` when the database can't be opened."""
        self.settings = settings
        self.directories = directories
        data = directories.data
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._clean_stop = CleanStop(directories.own, settings)
        self._engine = engine = open_engine(settings.store.url, data, resolve(settings.store.password, "store.password"))
        self._changes = ChangeFeed(engine, alone=settings.jobs.queue == "process")
        self.rates: Rates = RateLimits() if engine.dialect.name == "sqlite" else SharedRates(engine)
        self.collections = Collections(engine)
        self.collections.ensure_default()
        self.keys = Keys(ApiKeys(engine), self.collections)
        self.document_reader = DocumentReader(engine)
        self.writer = DocumentWriter(engine, settings.ingest.keep_versions)
        self._background = ThreadPoolExecutor(1, "rag-background")
        self.passages = Passages(engine, self._background)
        blobs = open_blobs(settings.blobs, data)
        self.assets = Assets(engine, blobs)
        self.descriptions = Descriptions(engine)
        self.standing = PicturePlaces(engine)
        self.jobs = Jobs(engine, settings.limits.max_queued_jobs, settings.jobs.keep, clock, *self._delivered())
        self.deliveries = Deliveries(engine, self.jobs)
        self._sources = Sources(engine)
        self._cleanup_tasks = CleanupTasks(engine, self.collections, self._sources, self.jobs)
        self.overviews = Overviews(engine, self.passages, self.jobs, self._background)
        self.evaluations = Evaluations(engine, settings.evaluation.keep)
        self.feedback = Feedback(engine)
        self.datasets = EvaluationDatasets(Datasets(engine), self.feedback, self.collections)
        self.labels = Labels(engine)
        self.traces = Traces(engine, settings.observability.keep_traces)
        self.audit = private_file(directories.logs / AUDIT_LOG, kept=_AUDIT_FILES)
        log_file = JsonlSink(directories.logs / "traces.jsonl")
        self._ledger, sizes = Ledger(engine), DatabaseSizes(engine)
        self.metrics = Metrics(gauges(self.collections, self.overviews, self._sources, self._ledger, data, sizes))
        options = settings.observability
        self.tracer = Tracer([log_file, self.traces, self.metrics], options.detail_level, otlp_sinks(options))
        self.uploads = Uploads(blobs, self._loader_for)
        self.backup = Backup(engine, data, blobs.elsewhere)
        self._files = FileDocuments(engine)

    def _delivered(self) -> Iterator[Deliver]:
        """How jobs come to other processes, if they do. Raises `SettingsError` without the packages that this needs."""
        if self.settings.jobs.queue == "procrastinate":
            prepare_queue(self._engine)
            yield deliver

    @property
    def _loader_for(self) -> partial[str | None]:
        """Raises `SettingsError` when the settings name a loader that is not there: an ingestion would fail at each such file."""
        require_loaders(self.settings.ingest.loaders)
        return partial(loader_for, self.settings.ingest.loaders)
