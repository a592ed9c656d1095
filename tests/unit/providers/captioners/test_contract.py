"""Captioners that ask nobody, held to the suite of their kind."""

from __future__ import annotations

import pytest

from ragd.providers.registry import build
from ragd.testing import CaptionerContract


class TestRules(CaptionerContract):
    @pytest.fixture
    def captioner(self) -> object:
        return build("captioner", "rules")


class TestFake(CaptionerContract):
    @pytest.fixture
    def captioner(self) -> object:
        return build("captioner", "fake")
