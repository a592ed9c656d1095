"""The fake of the tests is held to what every source is held to."""

from __future__ import annotations

import pytest

from ragd.sources.base import CloudSource
from ragd.testing.sources import CloudSourceContract

from .fake_cloud import FakeCloud, FakeSite, filled, install


class TestFakeCloud(CloudSourceContract):
    @pytest.fixture
    def source_class(self) -> type[CloudSource]:
        return FakeCloud

    @pytest.fixture
    def remote(self, monkeypatch: pytest.MonkeyPatch) -> FakeSite:
        return install(monkeypatch, filled())
