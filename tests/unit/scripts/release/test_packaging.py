"""What scripts/package.py asks of the machine, and what it lets out. The whole run is in tests/e2e/test_packaging.py."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from ..loading import ROOT, load

console = load("setup.console")
npm = load("nodejs.npm")
wheels = load("release.wheel")
vsix = load("release.vsix")
package = load("package", "scripts_package")


class TestVersions:
    def test_the_daemon_and_the_extension_have_the_same_one(self) -> None:
        assert package.same_version(ROOT) == wheels.version(ROOT)

    def test_different_ones_are_named_with_their_files(self, tmp_path: Path) -> None:
        (tmp_path / "server" / "ragd").mkdir(parents=True)
        (tmp_path / "server" / "ragd" / "__init__.py").write_text('__version__ = "1.2.0"\n', "utf-8")
        (tmp_path / "extension").mkdir()
        (tmp_path / "extension" / "package.json").write_text('{"version": "1.1.0"}', "utf-8")
        with pytest.raises(console.StopError, match=r"extension/package.json has version 1.1.0, server.* 1.2.0"):
            package.same_version(tmp_path)


class TestTheReadme:
    def test_its_pictures_come_along_and_a_missing_one_is_told(self, tmp_path: Path) -> None:
        extension, output = tmp_path / "extension", io.StringIO()
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "panel.png").write_bytes(b"picture")
        extension.mkdir()
        text = "![a](../docs/panel.png) ![b](media/none.png) ![c](https://pictures.example/c.png)"
        (extension / "README.md").write_text(text, "utf-8")
        path = extension / package.put_readme(extension, console.Console(1, output))
        assert path.read_text("utf-8") == text.replace("../docs/panel.png", "dist/readme/panel.png")
        assert (path.parent / "panel.png").read_bytes() == b"picture"
        assert "media/none.png, which is not there" in output.getvalue()


def test_the_extension_carries_the_projects_licence() -> None:
    assert (ROOT / "extension" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


class TestNode:
    def test_a_new_enough_one_is_no_problem(self) -> None:
        assert npm.node_problem(lambda name: f"/bin/{name}", lambda _: "v20.0.0") is None
        assert npm.node_problem(lambda name: f"/bin/{name}", lambda _: "v101.2.3") is None

    @pytest.mark.parametrize("version", ["v18.20.0", "v9.1.0", "", "nonsense"])
    def test_an_old_one_is_told_with_its_version(self, version: str) -> None:
        problem = npm.node_problem(lambda name: f"/bin/{name}", lambda _: version)
        assert "Node.js 20 or newer is needed" in problem
        assert version in problem

    def test_a_missing_one_is_told(self) -> None:
        assert npm.node_problem(lambda _: None, lambda _: "").startswith("node and npm can't be found")
        assert npm.node_problem({"node": "/bin/node"}.get, lambda _: "v20.1.0").startswith("npm can't be found")


class TestNodeModules:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        wanted = {
            "": {"name": "rag-assistant"},
            "node_modules/a": {"version": "1.0.0", "integrity": "sha512-a"},
            "node_modules/for-windows": {"version": "1.0.0", "integrity": "sha512-w", "optional": True},
        }
        self.write(tmp_path / "package-lock.json", wanted)
        (tmp_path / "node_modules").mkdir()
        self.write(tmp_path / "node_modules" / ".package-lock.json", {"node_modules/a": wanted["node_modules/a"]})
        return tmp_path

    @staticmethod
    def write(path: Path, packages: dict[str, dict[str, object]]) -> None:
        path.write_text(json.dumps({"packages": packages}), "utf-8")

    def test_what_npm_installed_from_this_lock_is_current_also_without_other_platforms_packages(self, folder: Path) -> None:
        assert npm.is_current(folder)

    @pytest.mark.parametrize(
        "installed",
        [
            {},
            {"node_modules/a": {"version": "1.0.1", "integrity": "sha512-a"}},
            {"node_modules/a": {"version": "1.0.0", "integrity": "sha512-b"}},
            {
                "node_modules/a": {"version": "1.0.0", "integrity": "sha512-a"},
                "node_modules/b": {"version": "1.0.0", "integrity": "sha512-b"},
            },
        ],
        ids=["missing", "another version", "another content", "one too many"],
    )
    def test_anything_else_is_installed_again(self, folder: Path, installed: dict[str, dict[str, object]]) -> None:
        self.write(folder / "node_modules" / ".package-lock.json", installed)
        assert not npm.is_current(folder)

    def test_nothing_or_a_damaged_note_is_installed_again(self, folder: Path) -> None:
        note = folder / "node_modules" / ".package-lock.json"
        note.write_text("{", "utf-8")
        assert not npm.is_current(folder)
        note.unlink()
        assert not npm.is_current(folder)

    @pytest.mark.slow
    def test_a_failed_npm_shows_its_last_lines(self, tmp_path: Path) -> None:
        with pytest.raises(console.StopError, match=r"(?s)`npm run nothing` failed in .*\n  \| "):
            npm.npm(["run", "nothing"], tmp_path, console.Console(1, io.StringIO()))


MANIFEST = {"main": "./dist/extension.cjs", "icon": "media/icon.png", "contributes": {"views": [{"icon": "media/view.svg"}]}}


class TestTheVsix:
    @pytest.fixture
    def wheel(self, tmp_path: Path) -> Path:
        path = tmp_path / "ragd-1.0-py3-none-any.whl"
        path.write_bytes(b"the wheel")
        return path

    def make(self, wheel: Path, *, without: str = "", **more: bytes) -> Path:
        files = dict.fromkeys(vsix._REQUIRED, b"text")
        files |= {f"dist/server/{name}": b"" for name in (*wheels.SETUP_FILES, "requirements.lock", "requirements-tools.lock")}
        files |= {"package.json": json.dumps(MANIFEST).encode(), f"dist/server/{wheel.name}": wheel.read_bytes()}
        files |= dict.fromkeys(("dist/extension.cjs", "media/icon.png", "media/view.svg"), b"")
        files.pop(without, None)
        path = wheel.with_name("made.vsix")
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in {**files, **more}.items():
                archive.writestr(f"extension/{name}", data)
        return path

    def test_a_whole_one_has_no_problem(self, wheel: Path) -> None:
        assert vsix.problems(self.make(wheel), wheel) == []

    @pytest.mark.parametrize(
        "missing", ["media/view.svg", "dist/extension.cjs", "dist/server/setup/events.py", "dist/THIRD-PARTY-NOTICES.txt"]
    )
    def test_a_file_that_is_missing_is_named(self, wheel: Path, missing: str) -> None:
        assert vsix.problems(self.make(wheel, without=missing), wheel) == [f"it lacks {missing}"]

    def test_a_picture_that_a_walkthrough_shows_and_that_is_missing_is_named(self, wheel: Path) -> None:
        text = b"![ask](ask.png) ![icon](../icon.png) ![elsewhere](https://pictures.example/a.png)"
        assert vsix.problems(self.make(wheel, **{"media/walkthrough/ask.md": text}), wheel) == [
            "it lacks media/walkthrough/ask.png"
        ]

    @pytest.mark.parametrize(
        "extra",
        [
            "dist/extension.cjs.map",
            "src/extension.ts",
            "tests/unit/a.test.js",
            "node_modules/x/index.js",
            "package-lock.json",
            ".env",
        ],
    )
    def test_what_users_do_not_need_is_named(self, wheel: Path, extra: str) -> None:
        assert vsix.problems(self.make(wheel, **{extra: b""}), wheel) == [f"it carries {extra}, which users don't need"]

    def test_another_wheel_is_noticed_by_its_name_and_by_its_content(self, wheel: Path) -> None:
        older = {"dist/server/ragd-0.9-py3-none-any.whl": b"old"}
        assert "other wheels" in vsix.problems(self.make(wheel, **older), wheel)[0]
        changed = {f"dist/server/{wheel.name}": b"changed"}
        assert "is not the wheel that was built" in vsix.problems(self.make(wheel, **changed), wheel)[0]

    def test_one_that_is_too_large_is_noticed(self, wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(vsix, "MOST_BYTES", 2000)
        assert vsix.problems(self.make(wheel, **{"media/film.bin": b"x" * 3000}), wheel)[0].startswith("it has 0.0 MB")

    def test_the_biggest_files_come_first(self, wheel: Path) -> None:
        path = self.make(wheel, **{"media/film.bin": b"x" * 3000})
        assert vsix.biggest(path)[0] == ("extension/media/film.bin", 3000, 3000)
