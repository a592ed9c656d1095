from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyStore
from keyring.errors import KeyringLocked

from ragd.config.loading import load_settings
from ragd.config.secrets import KEYRING_SERVICE, AllowedSecrets, resolve
from ragd.config.settings import Settings
from ragd.core.errors import SettingsError, ValidationFailed

KEY = "sk-very-secret-0123456789"
SETTING = "embedding.api_key"


class MemoryKeyring(KeyringBackend):
    priority = 1  # type: ignore[assignment]

    def __init__(self, *, locked: bool = False) -> None:
        super().__init__()
        self.locked = locked
        self.entries = {(KEYRING_SERVICE, "models"): KEY}

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked(KEY)
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password


@pytest.fixture
def key_store() -> Iterator[MemoryKeyring]:
    before, store = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(store)
    yield store
    keyring.set_keyring(before)


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n", encoding="utf-8")
    path.chmod(0o600)
    return path


def test_no_reference_is_no_key() -> None:
    assert resolve("", SETTING) == ""


def test_a_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODELS_KEY", KEY)
    assert resolve("env:MODELS_KEY", SETTING) == KEY


def test_a_key_comes_from_a_file_without_its_line_end(key_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert resolve(f"file:{key_file}", SETTING) == KEY
    key_file.write_bytes(KEY.encode() + b"\r\n")
    assert resolve(f"file:{key_file}", SETTING) == KEY
    assert not caplog.records


def test_a_key_file_that_others_can_read_is_warned_of_without_its_content(
    key_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    key_file.chmod(0o644)
    with caplog.at_level(logging.WARNING):
        assert resolve(f"file:{key_file}", SETTING) == KEY
    assert "chmod 600" in caplog.text
    assert all(KEY not in str(vars(record)) for record in caplog.records)


def test_a_key_comes_from_the_key_store_of_the_system(key_store: MemoryKeyring) -> None:
    assert resolve("keyring:models", SETTING) == KEY


def test_what_is_missing_is_named(tmp_path: Path, key_store: MemoryKeyring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    (tmp_path / "empty").touch(0o600)
    for reference, named in (
        ("env:NO_SUCH_KEY", "variable NO_SUCH_KEY"),
        (f"file:{tmp_path / 'nowhere'}", "nowhere"),
        (f"file:{tmp_path}", str(tmp_path)),
        (f"file:{tmp_path / 'empty'}", "is empty"),
        ("keyring:others", "'others'"),
    ):
        with pytest.raises(SettingsError, match=SETTING) as caught:
            resolve(reference, SETTING)
        assert named in caught.value.message


def test_a_locked_key_store_is_told(key_store: MemoryKeyring) -> None:
    key_store.locked = True
    with pytest.raises(SettingsError, match="KeyringLocked") as caught:
        resolve("keyring:models", SETTING)
    assert KEY not in caught.value.message


@pytest.mark.parametrize("content", [f"{KEY}\n{KEY}", f" {KEY}", f"{KEY}é", f"{KEY}\x00"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_repeated(key_file: Path, content: str) -> None:
    key_file.write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        resolve(f"file:{key_file}", SETTING)
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_session_without_a_key_store_says_what_to_use_instead() -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyStore())
    try:
        with pytest.raises(SettingsError, match=r"no key store .* file:PATH, or in a variable, env:NAME"):
            resolve("keyring:models", SETTING)
    finally:
        keyring.set_keyring(before)


LITERALS = [KEY, f"env:{KEY}", f"Bearer {KEY}", f"ENV:{KEY}", "file:", "keyring: ", "env:", "https://user:secret@example.com"]


@pytest.mark.parametrize("literal", LITERALS)
def test_a_literal_key_is_refused_and_not_repeated(literal: str) -> None:
    with pytest.raises(SettingsError, match=r"embedding\.api_key.*env:NAME.*file:PATH.*keyring:NAME") as caught:
        resolve(literal, SETTING)
    assert KEY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("group", ["embedding", "rerank", "llm"])
@pytest.mark.parametrize("literal", [KEY, f"env:{KEY}"])
def test_settings_with_a_literal_key_do_not_load_and_do_not_repeat_it(tmp_path: Path, group: str, literal: str) -> None:
    with pytest.raises(SettingsError, match=rf"'{group}\.api_key'.*env:NAME") as caught:
        load_settings(tmp_path, environment={f"RAG_{group.upper()}__API_KEY": literal})
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert KEY not in str(caught.value.details)


@pytest.mark.parametrize(
    "text",
    [
        f"embedding: {{api_key: [{KEY}]}}",
        f"embedding: {KEY}",
        f"embedding: {{apikey: {KEY}}}",
        f"embedding: {{api_key: '{KEY}",
        f"embedding: {{api_key: {KEY}: {KEY}: x}}",
        f"embedding: {{api_key: @{KEY}}}",
        f"{KEY}",
        f"rerank: {{top_n: {KEY}, api_key: {KEY}}}",
    ],
)
def test_no_mistake_in_the_settings_file_lets_a_key_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings(tmp_path, environment={})
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_references_load_as_they_are(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, environment={"RAG_LLM__API_KEY": "keyring:models"}, explicit={"rerank.api_key": "env:K"})
    assert (settings.llm.api_key, settings.rerank.api_key, settings.embedding.api_key) == ("keyring:models", "env:K", "")


@pytest.mark.parametrize("reference", ["env:RAG_SECRET_WIKI", "keyring:wiki", "file:{config}/wiki", "file:{root}/a/token", ""])
def test_secrets_that_a_source_may_name(tmp_path: Path, reference: str) -> None:
    AllowedSecrets(("env:RAG_SECRET_*", "keyring:*"), [tmp_path / "config", tmp_path / "root"]).check(
        reference.format(config=tmp_path / "config", root=tmp_path / "root"), "config.auth.token"
    )


@pytest.mark.parametrize(
    "reference",
    ["env:PATH", "env:XRAG_SECRET_A", "file:{out}/key", "file:{config}/../out/key", "file:{config}/link", "file:key"],
)
def test_secrets_that_a_source_may_not_name(tmp_path: Path, reference: str) -> None:
    for name in ("config", "out"):
        (tmp_path / name).mkdir()
    (tmp_path / "config" / "link").symlink_to(tmp_path / "out" / "key")
    allowed = AllowedSecrets(("env:RAG_SECRET_*", "keyring:*"), [tmp_path / "config"])
    with pytest.raises(ValidationFailed, match=r"security\.secret_names") as refused:
        allowed.check(reference.format(config=tmp_path / "config", out=tmp_path / "out"), "config.auth.token")
    assert refused.value.details[0].field == "config.auth.token"


def test_a_variable_that_holds_a_secret_is_no_setting(tmp_path: Path) -> None:
    assert load_settings(tmp_path, environment={"RAG_SECRET_WIKI": "value"}) == Settings()


@pytest.mark.parametrize(
    "url", [f"postgresql://rag:{KEY}@db/rag", f"postgresql://rag@db/rag?password={KEY}", f"mysql://rag:{KEY}@db/rag"]
)
def test_a_store_with_its_password_in_the_url_does_not_load_and_is_not_repeated(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError, match=r"'store\.url'.*(store\.password|postgresql://USER@HOST/DATABASE)") as caught:
        load_settings(tmp_path, environment={"RAG_STORE__URL": url})
    assert KEY not in str(caught.value)
