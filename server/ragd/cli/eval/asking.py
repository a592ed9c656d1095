"""Asks the questions of an evaluation through the daemon, as its users do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ragd.client.blocking import Client
    from ragd.evaluation.datasets import Question
    from ragd.evaluation.runs.asking import Terms

EVALUATIONS: Final = "/api/evaluations"


@dataclass(frozen=True, slots=True)
class ClientAsker:
    """An `Asker` over the client."""

    client: Client

    def ask(self, question: Question, terms: Terms) -> Mapping[str, Any]:
        from ragd.cli.chat import whole_answer

        # The run's id is there so that nobody takes it for a question of people.
        body: dict[str, Any] = {"query": question.text, "evaluation": terms.evaluation}
        body |= {"strategy": terms.strategy} if terms.strategy else {}
        body |= {"history": list(question.history)} if question.history else {}
        if terms.mode == "generation_only":
            passages = [{"text": text, "source": source} for text, source in question.passages]
            found = self.client.post(f"{EVALUATIONS}/answer", {**body, "passages": passages})
            return {**found["retrieval"], "done": found["done"]}
        body |= {"top_k": terms.top_k, "collection": question.collection or terms.collection}
        body |= {"filters": dict(question.filters)} if question.filters else {}
        body |= {} if terms.rerank else {"rerank": False}
        answer: Mapping[str, Any]
        if terms.changes is not None:
            answer = self.client.post(f"{EVALUATIONS}/query", {**body, "settings": dict(terms.changes)})
        elif terms.mode == "end_to_end":
            done = whole_answer(self.client, {**body, "explain": True})
            answer = {**done["retrieval"], "done": done}
        else:
            answer = self.client.post("/api/query", {**body, "explain": True})
        return answer

    def strategy_config_id(self, trace_id: str, terms: Terms) -> str:  # noqa: ARG002
        return str(self.client.get(f"/api/traces/{trace_id}")["strategy_config_id"])
