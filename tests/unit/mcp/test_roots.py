"""Which paths agents may name, and that nothing outside of the allowed roots is read, whichever way leads there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ragd.api.application import create_api
from ragd.client.asgi import AsgiConnection
from ragd.core.errors import ForbiddenPath, ValidationFailed
from ragd.ingest.discovery.files import narrowed
from ragd.mcp.library import Library
from ragd.mcp.roots import confined
from ragd.mcp.server import LibraryServer

from .conftest import TOKEN, Agent


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file beside the folder that agents may use."""
    path = tmp_path / "outside" / "secret.md"
    path.parent.mkdir()
    path.write_text("# Secret\n\nThe word is quetzalcoatl.\n", encoding="utf-8")
    return path


def codes(error: ValidationFailed) -> list[str]:
    return [problem.code for problem in error.details]


def refused(paths: Sequence[str | Path], root: Path) -> list[str]:
    with pytest.raises(ValidationFailed) as caught:
        confined([str(path) for path in paths], [str(root)])
    return codes(caught.value)


def test_files_and_folders_inside_a_root_may_be_named(guide: Path) -> None:
    inside = [guide, guide / "install.md", guide / ".." / "guide" / "backup.md", Path(f"{guide}/")]
    assert confined([str(path) for path in inside], [str(guide)]) == [str(guide.resolve())]


@pytest.mark.parametrize("way", ["plain", "dots", "link", "folder link", "deep dots", "beside", "proc", "upper case"])
def test_no_way_leads_out_of_the_roots(guide: Path, secret: Path, way: str) -> None:
    (guide / "link.md").symlink_to(secret)
    (guide / "linked").symlink_to(secret.parent)
    beside = guide.parent / f"{guide.name}-2"
    beside.mkdir()
    ways = {
        "plain": secret,
        "dots": f"{guide}/../outside/secret.md",
        "deep dots": f"{guide}/no/such/../../../outside/secret.md",
        "link": guide / "link.md",
        "folder link": guide / "linked" / "secret.md",
        "beside": beside,
        "proc": "/proc/self/environ",
        "upper case": str(guide).upper(),
    }
    with pytest.raises(ForbiddenPath):
        confined([str(guide), str(ways[way])], [str(guide)])


def test_what_exists_outside_of_the_roots_is_not_told(guide: Path, secret: Path) -> None:
    for path in (secret, secret.parent / "no-such-file.md"):
        with pytest.raises(ForbiddenPath, match="outside the folders"):
            confined([str(path)], [str(guide)])


@pytest.mark.parametrize(
    "path", ["//server/share/x.md", r"\\server\share\x.md", r"\\?\C:\x.md", r"\\.\PhysicalDrive0", "//etc/passwd"]
)
def test_network_paths_and_devices_are_refused_by_their_words(guide: Path, path: str) -> None:
    with pytest.raises((ForbiddenPath, ValidationFailed)):
        confined([path], [str(guide)])


@pytest.mark.parametrize("path", ["install.md", "~/docs", "~root/x.md", "./install.md", "", "C:x.md"])
def test_paths_that_are_not_absolute_are_refused(guide: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(guide)
    assert refused([path], guide) == ["relative"]


def test_addresses_are_no_paths(agent: Agent, guide: Path) -> None:
    for path in ("https://example.com/x", "http://127.0.0.1:1/x", "file:///etc/passwd", "ftp:x", "data:text/plain,x"):
        assert refused([path], guide) == ["address"]
        assert agent.failure("ingest", paths=[path])["code"] == "VALIDATION_ERROR", path


def test_what_is_no_path_at_all_is_refused(agent: Agent, guide: Path) -> None:
    (guide / "circle").symlink_to(guide / "circle")
    bad = ["/a\0b", f"{guide}/none.md", f"{guide}/{'x' * 300}", str(guide / "circle"), f"{guide}/\ud800", f"{guide}/install.md/x"]
    assert refused([bad[0]], guide) == ["invalid"]
    assert refused([bad[1]], guide) == ["not_found"]
    for path in bad[2:]:
        assert set(refused([path], guide)) <= {"unreadable", "not_found"}
    for path in bad:
        assert agent.failure("ingest", paths=[path])["code"] == "VALIDATION_ERROR", path


@pytest.mark.parametrize("name", [".env", ".ssh/config.json", "node_modules/x.js", ".git/config.ini"])
def test_hidden_places_inside_a_root_may_not_be_named(guide: Path, name: str) -> None:
    path = guide / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("token=1")
    with pytest.raises(ForbiddenPath, match="hidden"):
        confined([str(path)], [str(guide)])
    # A root that is hidden itself was named by the user.
    assert confined([str(path)], [str(path)]) == [str(path)]


def test_a_root_that_is_a_link_holds_what_it_leads_to(guide: Path, secret: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.symlink_to(guide)
    assert confined([str(root / "install.md"), str(guide / "install.md")], [str(root)]) == [str(guide.resolve())]
    with pytest.raises(ForbiddenPath):
        confined([str(root / ".." / "outside" / "secret.md")], [str(root)])


@pytest.mark.parametrize("roots", [[], [""], ["docs"]])
def test_without_a_root_nothing_is_taken_in_and_it_says_how_to_change_that(guide: Path, roots: list[str]) -> None:
    with pytest.raises(ForbiddenPath, match=r"security\.allowed_roots.*RAG_SECURITY__ALLOWED_ROOTS"):
        confined([str(guide)], roots)


def test_thousands_of_wrong_paths_make_a_short_answer(agent: Agent) -> None:
    result = agent.call("ingest", paths=[f"wrong-{number}.md" for number in range(10_000)])
    assert "And 9980 more." in result.content[0].text  # type: ignore[union-attr]
    assert len(result.model_dump_json()) < 20_000
    assert agent.failure("ingest", paths=["/x"] * 10_001)["code"] == "VALIDATION_ERROR"
    assert agent.failure("ingest", paths=[])["code"] == "VALIDATION_ERROR"
    assert agent.failure("ingest", paths="/x")["code"] == "VALIDATION_ERROR"


class TestNoList:
    @pytest.fixture
    def changes(self) -> dict[str, Any]:
        return {"security.allowed_roots": []}

    def test_ingest_is_forbidden(self, agent: Agent, guide: Path) -> None:
        error = agent.failure("ingest", paths=[str(guide)])
        assert error["code"] == "FORBIDDEN_PATH"
        assert "security.allowed_roots" in error["message"]
        assert agent.rest.get("/api/jobs").json()["total"] == 0

    @pytest.mark.slow
    def test_an_agent_is_confined_even_where_the_daemon_is_not(self, agent: Agent, guide: Path, secret: Path) -> None:
        # As when `rag mcp` and the daemon were started with different settings.
        library = Library(AsgiConnection(create_api(agent.app, token=TOKEN), TOKEN), agent.app.settings.mcp, (str(guide),))
        agent.server = LibraryServer(library)
        (guide / "link.md").symlink_to(secret)
        (guide / "linked").symlink_to(secret.parent)
        result = agent.fields("ingest", paths=[str(guide)])["job"]["result"]
        assert result["added"] == 3
        assert {(item["source"], item["code"]) for item in result["failed"]} == {
            ("link.md", "FORBIDDEN_PATH"), ("linked", "FORBIDDEN_PATH")
        }  # fmt: skip
        assert agent.fields("search_by_keyword", query="quetzalcoatl")["results"] == []


class TestWithin:
    """The field of `POST /api/ingest` that narrows what the daemon allows."""

    def test_it_takes_away_and_never_adds(self, tmp_path: Path) -> None:
        outer, inner, other = tmp_path / "a", tmp_path / "a" / "b", tmp_path / "c"
        for folder in (inner, other):
            folder.mkdir(parents=True)
        a, b, c = str(outer), str(inner), str(other)
        assert narrowed([a], None) == (a,)
        assert narrowed([], [b]) == (b,)
        assert narrowed([a], [b]) == (b,)
        assert narrowed([b], [a]) == (b,)
        assert narrowed([b, c], [a, c]) == (b, c)
        for allowed, within in (([a], [c]), ([b], [c]), ([], []), ([a], [])):
            with pytest.raises(ForbiddenPath):
                narrowed(allowed, within)
        with pytest.raises(ValidationFailed):
            narrowed([], ["a"])

    def test_a_path_outside_of_it_is_forbidden(self, agent: Agent, guide: Path, secret: Path) -> None:
        for body in ({"paths": [str(secret)], "within": [str(guide)]}, {"paths": [str(guide)], "within": ["/elsewhere"]}):
            answer = agent.rest.post("/api/ingest", json=body)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN_PATH")
        for within in ([], ["relative"], "x", ["a\0"]):
            assert agent.rest.post("/api/ingest", json={"paths": [str(guide)], "within": within}).status_code == 400


def test_the_token_of_the_daemon_is_never_taken_in(agent: Agent, tmp_path: Path) -> None:
    info = tmp_path / "data" / "daemon.json"
    info.write_text('{"token": "quetzalcoatl"}')
    (failure,) = agent.fields("ingest", paths=[str(info)])["job"]["result"]["failed"]
    assert failure["code"] == "FORBIDDEN_PATH"
    assert agent.fields("ingest", paths=[str(tmp_path)])["job"]["status"] == "completed"
    assert agent.fields("search_by_keyword", query="quetzalcoatl")["results"] == []
