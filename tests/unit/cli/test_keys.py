"""`rag keys`, and the daemon that is not started where it could be reached without any."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.core.errors import SettingsError
from ragd.daemon.process import require_callers, serve

from .conftest import Rag

pytestmark = pytest.mark.slow


def test_a_key_is_made_listed_rotated_and_revoked(rag: Rag) -> None:
    made = rag("keys", "create", "portal", "--role", "writer", "-c", "default", "--expires", "90d", "--rate", "600")
    (text,) = re.findall(r"^rag_[0-9a-f]{12}_[0-9a-f]{72}$", made.output, re.MULTILINE)
    listed = rag("keys", "list").output
    assert "portal" in listed
    assert "never used" in listed
    assert text not in listed
    (key,) = json.loads(rag("keys", "list", "--json").output)["items"]
    assert (key["role"], len(key["collections"]), key["rate_per_minute"]) == ("writer", 1, 600)
    again = json.loads(rag("keys", "rotate", "portal", "--grace", "24h", "--json").output)
    assert again["key"] != text
    assert again["previous_until"]
    rag("keys", "revoke", "portal")
    assert "revoked" in rag("keys", "list").output
    assert "no key 'portal'" in rag("keys", "revoke", "portal", code=1).output


def test_a_key_of_its_own_collections_has_none_at_first(rag: Rag) -> None:
    made = json.loads(rag("keys", "create", "a", "--role", "admin", "--own", "--quota-bytes", "10G", "--json").output)
    assert (made["collections"], made["quota_bytes"]) == ([], 10**10)
    assert json.loads(rag("keys", "create", "b", "--role", "admin", "--json").output)["collections"] is None


@pytest.mark.parametrize(
    "wrong",
    [
        ["--role", "owner"],
        ["--role", "reader", "--expires", "soon"],
        ["--role", "reader", "--quota-bytes", "much"],
    ],
    ids=" ".join,
)
def test_a_wrong_option_says_what_is_right(rag: Rag, wrong: list[str]) -> None:
    assert "Error" in rag("keys", "create", "x", *wrong, code=2).output


def test_a_collection_that_is_not_there_gets_no_key(rag: Rag) -> None:
    assert "no collection 'nowhere'" in rag("keys", "create", "x", "--role", "reader", "-c", "nowhere", code=1).output


def test_a_daemon_of_one_user_does_not_listen_where_others_could_ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = load_settings(tmp_path / "config", environment={}, explicit={"embedding.provider": "fake"})
    directories = Directories(tmp_path / "data", tmp_path / "models", tmp_path / "config")
    assert serve(settings, directories, port=0, host="0.0.0.0") == 2
    assert "security.mode: server" in capsys.readouterr().err


def test_a_service_that_nobody_could_ask_does_not_start(tmp_path: Path) -> None:
    quick = {"embedding.provider": "fake", "security.mode": "server"}
    settings = load_settings(tmp_path / "config", environment={}, explicit=quick)
    directories = Directories(tmp_path / "data", tmp_path / "models", tmp_path / "config")
    with pytest.raises(SettingsError, match="rag keys create"):
        require_callers(Application(settings, directories))
    app = Application(settings, directories)
    app.keys.create("ops", "admin", None)
    require_callers(app)
    app.close()
