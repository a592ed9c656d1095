"""Settings: `config/settings.yaml` < a named strategy < `RAG_*` environment < explicit values. Unknown keys fail."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import platformdirs
import yaml
from pydantic import ValidationError

from ragd.config.secrets import SECRET_PREFIX
from ragd.config.settings import Settings
from ragd.core.errors import FieldProblem, SettingsError, did_you_mean
from ragd.core.instance import INFO_FILE

PROCESSES: Final = "processes"
"""The folder of the data directory with a folder for each of several processes."""
_APP_NAME = "rag-assistant"

# Environment names that are not settings but say where things are, or carry the secret itself.
_PROCESS_VARIABLES = {
    "RAG_DATA_DIR",
    "RAG_MODELS_DIR",
    "RAG_CONFIG_DIR",
    "RAG_TOKEN",
    "RAG_STRATEGY",
    "RAG_SOURCE_TOKENS",
    "RAG_POLICY_FILE",
}

# Short names that the service contract fixes, each standing for one setting.
SHORT_NAMES = {
    "RAG_MAX_DOCUMENT_SIZE": "limits.max_document_size",
    "RAG_MAX_TOP_K": "limits.max_top_k",
    "RAG_MAX_RERANK_CANDIDATES": "limits.max_rerank_candidates",
    "RAG_HNSW_EF_SEARCH": "dense.ef_search",
}


def checkout_root() -> Path | None:
    """The checkout that this package runs from, or None when it is installed as a wheel."""
    root = Path(__file__).resolve().parents[3]
    return root if (root / "pyproject.toml").is_file() and (root / "server" / "ragd").is_dir() else None


@dataclass(frozen=True, slots=True)
class Directories:
    """Where things are."""

    data: Path
    models: Path
    config: Path
    process: str = ""
    """The name of this process, one of several that share the data directory; empty for the only one."""

    @staticmethod
    def default() -> Directories:
        """`RAG_DATA_DIR`, `RAG_MODELS_DIR`, `RAG_CONFIG_DIR`; else the checkout's `data/` and `config/`, or the user's folders.

        Models are in the user's cache, never tied to the data directory.
        """
        folders, root = platformdirs.PlatformDirs(_APP_NAME, appauthor=False), checkout_root()
        usual = {
            "DATA": root / "data" if root else folders.user_data_path,
            "MODELS": folders.user_cache_path / "models",
            "CONFIG": root / "config" if root else folders.user_config_path,
        }
        named = {name: os.environ.get(f"RAG_{name}_DIR") for name in usual}
        data, models, config = (Path(named[name] or folder).expanduser().absolute() for name, folder in usual.items())
        return Directories(data, models, config)

    @property
    def own(self) -> Path:
        """What belongs to this process alone: its lock, logs and notes, and indexes that are not kept in a server."""
        return self.data / PROCESSES / self.process if self.process else self.data

    @property
    def logs(self) -> Path:
        """The checkout's `logs/` for the checkout's own data, else a folder beside the data."""
        if self.process:
            return self.own / "logs"
        root = checkout_root()
        return root / "logs" if root and self.data == root / "data" else self.data / "logs"

    @property
    def written(self) -> list[Path]:
        """What the application writes, and no search for documents enters. In a checkout the samples lie beside it."""
        below = ("uploads", "assets", "index", "evaluation", PROCESSES, INFO_FILE)
        return [folder.resolve() for folder in (*(self.data / name for name in below), self.logs)]


def setting_names() -> dict[str, Any]:
    """Dotted name of every setting -> its default."""
    defaults = Settings()
    return {
        f"{group}.{key}": getattr(getattr(defaults, group), key)
        for group in Settings.model_fields
        for key in type(getattr(defaults, group)).model_fields
    }


def load_settings(
    config_dir: Path | None = None,
    *,
    strategy: str | None = None,
    environment: Mapping[str, str] | None = None,
    explicit: Mapping[str, Any] | None = None,
) -> Settings:
    """Read and check the settings. Raises `SettingsError` that names the key and the nearest known one.

    `strategy` names a file in `config/strategies/` (`RAG_STRATEGY` when not given); `explicit` maps dotted names to values.
    """
    config_dir = config_dir or Directories.default().config
    environment = os.environ if environment is None else environment
    values = _read_yaml(config_dir / "settings.yaml")
    name = strategy or environment.get("RAG_STRATEGY")
    if name:
        _merge(values, read_strategy(config_dir, name))
    _merge(values, _from_environment(environment))
    for dotted, value in (explicit or {}).items():
        _set(values, dotted, value)
    return _validate(values)


def setting_origins(config_dir: Path, strategy: str | None = None) -> dict[str, str]:
    """Dotted name of each setting that is set -> the file or the variable whose value counts. Raises `SettingsError`."""
    environment = os.environ
    origins: dict[str, str] = {}
    files = [config_dir / "settings.yaml"]
    if name := strategy or environment.get("RAG_STRATEGY"):
        files.append(config_dir / "strategies" / f"{name}.yaml")
    for path in files:
        for group, keys in _read_yaml(path).items():
            origins |= {f"{group}.{key}": str(path) for key in (keys if isinstance(keys, Mapping) else ())}
    for variable in environment:
        if variable.startswith("RAG_") and variable not in _PROCESS_VARIABLES:
            origins[_dotted(variable)] = variable
    return origins


def strategy_names(config_dir: Path) -> list[str]:
    """Names of the strategies that `config/strategies/` holds."""
    return sorted(path.stem for path in (config_dir / "strategies").glob("*.yaml"))


def read_strategy(config_dir: Path, name: str) -> dict[str, Any]:
    """The overlay of settings that a named strategy is. Raises `SettingsError` for an unknown name."""
    known = strategy_names(config_dir)
    if name not in known:
        raise SettingsError(f"There is no strategy '{name}'. Known: {', '.join(known) or 'none'}.")
    return _read_yaml(config_dir / "strategies" / f"{name}.yaml")


def with_strategy(settings: Settings, config_dir: Path, name: str) -> Settings:
    """The settings with a named strategy laid over them, for one request."""
    values = settings.model_dump()
    _merge(values, read_strategy(config_dir, name))
    return _validate(values)


def with_changes(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """The settings with these values by dotted name, for one request. Raises `SettingsError` as `load_settings` does."""
    values = settings.model_dump()
    for dotted, value in changes.items():
        _set(values, dotted, value)
    return _validate(values)


def _read_yaml(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise SettingsError(f"{path} can't be read: {_yaml_problem(error)}") from None
    except (UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"{path} can't be read: {error}") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise SettingsError(f"{path} must hold groups of settings, such as 'retrieval:', not a {type(values).__name__}.")
    return values


def _yaml_problem(error: yaml.YAMLError) -> str:
    """What is wrong and where, without the line itself, which may hold a key."""
    mark = getattr(error, "problem_mark", None)
    place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return f"{place}{getattr(error, 'problem', None) or 'it is no YAML'}"


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, text in environment.items():
        if not name.startswith("RAG_") or name in _PROCESS_VARIABLES or name.startswith(SECRET_PREFIX):
            continue
        dotted = _dotted(name)
        if dotted not in setting_names():
            raise SettingsError(f"{name} is no setting.{_nearest(dotted)}")
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise SettingsError(f"The value of {name} can't be read: {_yaml_problem(error)}") from None
        _set(values, dotted, "" if value is None else value)
    return values


def _dotted(variable: str) -> str:
    return SHORT_NAMES.get(variable) or variable.removeprefix("RAG_").lower().replace("__", ".", 1)


def _set(values: dict[str, Any], dotted: str, value: Any) -> None:
    group, _, key = dotted.partition(".")
    values.setdefault(group, {})[key] = value


def _merge(base: dict[str, Any], overlay: Mapping[str, Any]) -> None:
    for group, keys in overlay.items():
        if isinstance(keys, Mapping) and isinstance(base.get(group), dict):
            base[group].update(keys)
        else:
            base[group] = dict(keys) if isinstance(keys, Mapping) else keys


def _nearest(dotted: str) -> str:
    names = list(setting_names()) + list(Settings.model_fields)
    return did_you_mean(dotted, names, cutoff=0.5) or " docs/configuration.md lists them all."


def _validate(values: Mapping[str, Any]) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        problems = []
        for item in error.errors():
            dotted = ".".join(str(part) for part in item["loc"])
            unknown = item["type"] == "extra_forbidden"
            message = f"Unknown setting '{dotted}'.{_nearest(dotted)}" if unknown else f"Setting '{dotted}': {item['msg']}."
            problems.append(FieldProblem(dotted, "unknown" if unknown else "invalid", message))
        raise SettingsError(" ".join(problem.message for problem in problems), details=problems) from error
