"""Anthropic's models by the Messages interface, through the official SDK."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ragd.providers.llms.calls import RemoteModel, in_base64
from ragd.providers.protocols import Completion, Message

if TYPE_CHECKING:
    import httpx2

_FINISH: dict[str, Literal["complete", "length"]] = {
    "end_turn": "complete",
    "stop_sequence": "complete",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


class AnthropicModel(RemoteModel):
    name = "anthropic"
    default_url = "https://api.anthropic.com"

    def _import_sdk(self) -> Any:
        import anthropic

        return anthropic

    def ask(self, http: httpx2.Client, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        client = self._sdk.Anthropic(api_key=self._key, base_url=self.url, http_client=http, max_retries=0)
        options: dict[str, Any] = {}
        if "temperature" not in self._left_out:
            # The SDK no longer names it, since newer models refuse it; the service takes 0..1 for the others.
            options["extra_body"] = {"temperature": min(self._options.temperature, 1.0)}
        if rules := "\n\n".join(message.text for message in messages if message.role == "system"):
            options["system"] = rules
        stream = client.messages.create(
            model=self.model,
            messages=[{"role": message.role, "content": _content(message)} for message in messages if message.role != "system"],
            max_tokens=max_tokens,
            stream=True,
            **options,
        )
        usage: dict[str, int] = {}
        finish: Literal["complete", "length", "cut_off"] = "cut_off"
        for event in stream:
            if event.type == "message_start":
                usage["input_tokens"] = event.message.usage.input_tokens
            elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                yield str(event.delta.text)
            elif event.type == "message_delta":
                usage["output_tokens"] = event.usage.output_tokens
                finish = _FINISH.get(event.delta.stop_reason, "cut_off")
            elif event.type == "message_stop":
                yield Completion(finish, usage)


def _content(message: Message) -> str | list[dict[str, Any]]:
    if not message.picture:
        return message.text
    mime, encoded = in_base64(message.picture)
    source = {"type": "base64", "media_type": mime, "data": encoded}
    return [{"type": "image", "source": source}, {"type": "text", "text": message.text}]
