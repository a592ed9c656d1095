"""Language models that speak OpenAI's chat completions, through the official SDK: OpenAI, Azure, Ollama, DeepSeek and others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ragd.config.answering import LlmSettings
from ragd.providers.llms.calls import RemoteModel, in_base64
from ragd.providers.protocols import Completion, Message

if TYPE_CHECKING:
    import httpx2


class OpenAiCompatibleModel(RemoteModel):
    """Any service with `/chat/completions` under `llm.url`; a key is sent when there is one."""

    name = "openai_compatible"
    needs_key = False
    optional = ("temperature", "stream_options", "max_tokens")

    def _import_sdk(self) -> Any:
        import openai

        return openai

    def _client(self, http: httpx2.Client) -> Any:
        # The SDK wants some key, even for a service that asks for none.
        return self._sdk.OpenAI(api_key=self._key or "none", base_url=self.url, http_client=http, max_retries=0)

    def ask(self, http: httpx2.Client, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        options: dict[str, Any] = {"temperature": self._options.temperature, "stream_options": {"include_usage": True}}
        options = {name: value for name, value in options.items() if name not in self._left_out}
        # The newer name of the limit is the only one that newer models take, and unknown to older services.
        options["max_completion_tokens" if "max_tokens" in self._left_out else "max_tokens"] = max_tokens
        stream = self._client(http).chat.completions.create(
            model=self.model,
            messages=[{"role": message.role, "content": _content(message)} for message in messages],
            stream=True,
            **options,
        )
        finish: Literal["complete", "length", "cut_off"] | None = None
        usage: dict[str, int] = {}
        for chunk in stream:
            if chunk.usage is not None:
                usage = {"input_tokens": chunk.usage.prompt_tokens, "output_tokens": chunk.usage.completion_tokens}
            for choice in chunk.choices or ():
                if choice.delta is not None and (text := choice.delta.content):
                    yield str(text)
                if choice.finish_reason is not None:
                    finish = {"stop": "complete", "length": "length"}.get(choice.finish_reason, "cut_off")  # type: ignore[assignment]
        if finish is not None:
            yield Completion(finish, usage)


def _content(message: Message) -> str | list[dict[str, Any]]:
    if not message.picture:
        return message.text
    mime, encoded = in_base64(message.picture)
    picture = {"type": "image_url", "image_url": {"url": f"data:{mime};base64,{encoded}"}}
    return [picture, {"type": "text", "text": message.text}]


class OpenAiModel(OpenAiCompatibleModel):
    name = "openai"
    default_url = "https://api.openai.com/v1"
    needs_key = True

    def __init__(self, options: LlmSettings, *, api_key: str = "", group: str = "llm") -> None:
        super().__init__(options, api_key=api_key, group=group)
        self._left_out.add("max_tokens")


class AzureModel(OpenAiModel):
    """A deployment on Azure: `llm.model` names it, `llm.url` is the resource's, such as `https://NAME.openai.azure.com`."""

    name = "azure"
    default_url = ""

    def _client(self, http: httpx2.Client) -> Any:
        return self._sdk.AzureOpenAI(
            api_key=self._key, azure_endpoint=self.url, api_version=self._options.api_version, http_client=http, max_retries=0
        )


class OllamaModel(OpenAiCompatibleModel):
    """A model of Ollama, by the interface that it has in common with OpenAI."""

    name = "ollama"
    default_url = "http://127.0.0.1:11434/v1"

    def __init__(self, options: LlmSettings, *, api_key: str = "", group: str = "llm") -> None:
        super().__init__(options, api_key=api_key, group=group)
        if not self.url.endswith("/v1"):
            self.url += "/v1"


class DeepSeekModel(OpenAiCompatibleModel):
    name = "deepseek"
    default_url = "https://api.deepseek.com"
    needs_key = True
