"""Descriptions by models that see: behind a service, or in Ollama. The connection is that of the language models."""

from __future__ import annotations

from collections.abc import Sequence

from ragd.config.answering import LlmSettings
from ragd.config.captions import CaptionSettings
from ragd.providers.caption_protocol import ModelAnswer
from ragd.providers.captioners.asking import AskingCaptioner
from ragd.providers.llms.anthropic import AnthropicModel
from ragd.providers.llms.calls import RemoteModel
from ragd.providers.llms.openai import AzureModel, OllamaModel, OpenAiCompatibleModel, OpenAiModel
from ragd.providers.protocols import Completion, Message
from ragd.vision.description import Usage


class RemoteCaptioner(AskingCaptioner):
    """Asks a service. A provider says which language model it is."""

    llm: type[RemoteModel]

    def __init__(self, options: CaptionSettings, *, api_key: str = "") -> None:
        """`api_key` is the key itself. Raises `SettingsError` for settings that can't work, or when the SDK is not installed."""
        shared = ("model", "url", "api_version", "timeout_s", "retries", "max_output_tokens")
        settings = LlmSettings(temperature=0.0, **{name: getattr(options, name) for name in shared})
        self._llm = self.llm(settings, api_key=api_key, group="captions")
        self.model = options.model
        self.max_side = options.max_side
        self._max_tokens = options.max_output_tokens

    def close(self) -> None:
        self._llm.close()

    def _ask(self, messages: Sequence[Message]) -> ModelAnswer:
        ends: list[Completion] = []
        text = "".join(self._llm.stream(messages, self._max_tokens, ends.append))
        counted = ends[0].usage if ends else {}
        return ModelAnswer(text, Usage(counted.get("input_tokens", 0), counted.get("output_tokens", 0)), self.model)


class OpenAiCaptioner(RemoteCaptioner):
    name = "openai"
    llm = OpenAiModel


class AzureCaptioner(RemoteCaptioner):
    name = "azure"
    llm = AzureModel


class OpenAiCompatibleCaptioner(RemoteCaptioner):
    name = "openai_compatible"
    llm = OpenAiCompatibleModel


class OllamaCaptioner(RemoteCaptioner):
    name = "ollama"
    llm = OllamaModel


class AnthropicCaptioner(RemoteCaptioner):
    name = "anthropic"
    llm = AnthropicModel
