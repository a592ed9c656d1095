from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragd.config.loading import SHORT_NAMES, load_settings, setting_names, strategy_names, with_strategy
from ragd.config.settings import Settings
from ragd.core.errors import SettingsError
from ragd.core.query import MODES


def write(config_dir: Path, text: str, name: str = "settings.yaml") -> Path:
    path = config_dir / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return config_dir


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path, environment={}) == Settings()


def test_later_sources_win(tmp_path: Path) -> None:
    write(tmp_path, "retrieval: {top_k: 6, rrf_k: 30, fusion: weighted_sum}")
    write(tmp_path, "retrieval: {rrf_k: 40}", "strategies/wide.yaml")
    settings = load_settings(
        tmp_path,
        strategy="wide",
        environment={"RAG_RETRIEVAL__DENSE_TOP_K": "55", "RAG_RETRIEVAL__TOP_K": "7"},
        explicit={"retrieval.top_k": 8},
    )
    assert (settings.retrieval.fusion, settings.retrieval.rrf_k) == ("weighted_sum", 40)
    assert (settings.retrieval.dense_top_k, settings.retrieval.top_k) == (55, 8)


def test_an_unknown_key_fails_with_the_nearest_known_one(tmp_path: Path) -> None:
    write(tmp_path, "retrieval: {topk: 6}")
    with pytest.raises(SettingsError, match=r"'retrieval\.topk'.*'retrieval\.top_k'"):
        load_settings(tmp_path, environment={})


def test_an_unknown_environment_name_fails_with_the_nearest_known_one(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"RAG_SPLITTER__CHUNKSIZE.*'splitter\.chunk_size'"):
        load_settings(tmp_path, environment={"RAG_SPLITTER__CHUNKSIZE": "100"})


def test_a_wrong_type_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"'server\.port'"):
        load_settings(tmp_path, environment={"RAG_SERVER__PORT": "a lot"})


def test_broken_yaml_names_the_file(tmp_path: Path) -> None:
    write(tmp_path, "retrieval: [")
    with pytest.raises(SettingsError, match=r"settings\.yaml can't be read"):
        load_settings(tmp_path, environment={})


@pytest.mark.parametrize(("name", "dotted"), SHORT_NAMES.items())
def test_short_names_of_the_service_contract_set_their_setting(tmp_path: Path, name: str, dotted: str) -> None:
    group, key = dotted.split(".")
    assert getattr(getattr(load_settings(tmp_path, environment={name: "42"}), group), key) == 42


def test_an_unknown_strategy_lists_the_known_ones(tmp_path: Path) -> None:
    write(tmp_path, "retrieval: {strategy: dense_only}", "strategies/semantic.yaml")
    with pytest.raises(SettingsError, match=r"'nope'.*semantic"):
        load_settings(tmp_path, strategy="nope", environment={})


def test_a_strategy_changes_the_id_that_traces_carry(tmp_path: Path) -> None:
    write(tmp_path, "retrieval: {strategy: dense_only}", "strategies/semantic.yaml")
    changed = with_strategy(Settings(), tmp_path, "semantic")
    assert changed.retrieval.strategy == "dense_only"
    assert changed.strategy_config_id() != Settings().strategy_config_id()


def test_what_a_request_asks_for_changes_the_id_too() -> None:
    settings = Settings()
    ids = [settings.strategy_config_id(mode, rerank) for mode in MODES for rerank in (True, False)]
    assert len({*ids}) == len(ids)
    assert settings.strategy_config_id("hybrid", True) == settings.strategy_config_id()


def test_kept_token_vectors_change_the_id(tmp_path: Path) -> None:
    kept = load_settings(tmp_path, environment={"RAG_TOKEN_INDEX__PROVIDER": "file"})
    assert kept.strategy_config_id() != Settings().strategy_config_id()


def test_settings_that_shape_no_answer_leave_the_id_alone(tmp_path: Path) -> None:
    assert load_settings(tmp_path, environment={"RAG_SERVER__PORT": "0"}).strategy_config_id() == Settings().strategy_config_id()


def test_every_strategy_in_the_repository_is_valid(project_root: Path) -> None:
    config_dir = project_root / "config"
    assert strategy_names(config_dir)
    for name in strategy_names(config_dir):
        with_strategy(load_settings(config_dir, environment={}), config_dir, name)


def test_the_settings_file_in_the_repository_holds_the_defaults(project_root: Path) -> None:
    assert load_settings(project_root / "config", environment={}) == Settings()


def test_every_setting_is_documented_with_its_default_and_nothing_else_is(project_root: Path) -> None:
    text = (project_root / "docs" / "configuration.md").read_text(encoding="utf-8")
    documented = dict(re.findall(r"^\| `([a-z_]+\.[a-z_0-9]+)` \| `([^`]*)` \|", text, flags=re.MULTILINE))
    assert documented == {name: _shown(value) for name, value in setting_names().items()}


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return "[]" if not value else str(list(value))
    if isinstance(value, bool):
        return str(value).lower()
    return '""' if value == "" else str(value)


def test_a_bare_off_of_yaml_is_the_word(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("sync:\n  schedule: off\nlive:\n  mode: off\n")
    settings = load_settings(tmp_path, environment={})
    assert (settings.sync.schedule, settings.live.mode) == ("off", "off")
    assert load_settings(tmp_path, environment={"RAG_SYNC__SCHEDULE": "off"}).sync.schedule == "off"


def test_what_a_trace_has_of_the_settings_is_what_shapes_answers_without_addresses_and_keys(tmp_path: Path) -> None:
    given = {
        "rerank.top_n": 7, "rerank.url": "http://127.0.0.1/", "rerank.api_key": "env:KEY", "ingest.cleaner": "none",
        "ingest.workers": 3, "server.port": 1234, "retrieval.top_k": Settings().retrieval.top_k,
    }  # fmt: skip
    shaping = load_settings(tmp_path, environment={}, explicit=given).shaping()
    assert shaping == {"rerank.top_n": 7, "ingest.cleaner": "none"}
