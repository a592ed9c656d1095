"""Settings of what describes pictures."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ragd.config.fields import Group, SecretReference


class CaptionSettings(Group):
    provider: str = "rules"
    """What describes pictures, after their documents can be found: `rules` (no model), `openai`, `azure`, `openai_compatible`,
    `anthropic`, `ollama`, `editor` (the model that a window of VS Code lends) or `none`."""
    model: str = ""
    """Name of the model that sees pictures, as its service knows it (on Azure: of the deployment)."""
    url: str = ""
    """Base URL of the service, where it is not the provider's own."""
    api_key: SecretReference = ""
    """Where the key is: `env:NAME`, `file:PATH` or `keyring:NAME`; never the key itself."""
    api_version: str = "2024-10-21"
    """Version of Azure's interface."""
    timeout_s: Annotated[float, Field(gt=0)] = 120.0
    """Seconds without a sign of life after which the service is given up for a picture."""
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    """Further attempts after a time-out, a 429 or an error of the service."""
    retry_after_s: Annotated[float, Field(gt=0)] = 300.0
    """Seconds after which a service that failed is asked again."""
    max_output_tokens: Annotated[int, Field(ge=64)] = 2000
    """Tokens of one description at most."""
    max_side: Annotated[int, Field(ge=64, le=8192)] = 1568
    """Pixels of the longer side of a picture that a service gets; larger ones are made smaller."""
    max_bytes: Annotated[int, Field(ge=16_384)] = 3_750_000
    """Bytes of a picture that a service gets: 5 MB in base64, as the strictest take. Larger ones become JPEG, then smaller."""
    context_scope: Literal["local", "none"] = "local"
    """Whether the paragraphs, the heading and the line around a picture are told with it (`local`), or nothing (`none`)."""
    max_per_document: Annotated[int, Field(ge=0)] = 200
    """Pictures of one document that are described, in one run or several; 0: all. Those asked for by their ids are besides."""
    max_per_day: Annotated[int, Field(ge=0)] = 1000
    """Pictures that a service is asked about on one day (UTC); 0: no limit. `rules` ask nobody and have none."""
    max_cost_per_day: Annotated[float, Field(ge=0)] = 0.0
    """What a service may cost on one day (UTC), in the currency of the two prices; 0: no limit."""
    input_price: Annotated[float, Field(ge=0)] = 0.0
    """Price of a million tokens that a service reads."""
    output_price: Annotated[float, Field(ge=0)] = 0.0
    """Price of a million tokens that a service writes."""

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """What so many tokens cost."""
        return (input_tokens * self.input_price + output_tokens * self.output_price) / 1e6
