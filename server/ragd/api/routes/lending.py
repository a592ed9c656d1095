"""A model that an editor lends: its windows take what is to be asked, and bring the answers (`captions.provider: editor`)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path

from ragd.api.common import Access, App
from ragd.api.schemas.lending import LenderBody, LentAnswerBody, LentFailureBody, LentRequests

router = APIRouter(prefix="/api/captions", tags=["assets"])

Lease = Annotated[str, Path(max_length=64)]


@router.post("/requests", response_model=LentRequests)
def take_lent_request(body: LenderBody, app: App, access: Access) -> dict[str, Any]:
    """Lend a model: take what is to be asked of it, if anything is. Pictures that you may not see are not handed over."""
    return app.lent_models.take(body.lender, access)


@router.patch("/requests/{lease_id}", status_code=204)
def renew_lent_request(lease_id: Lease, app: App) -> None:
    """Say that the model is still being asked."""
    app.lent_models.renew(lease_id)


@router.post("/requests/{lease_id}/answer", status_code=204)
def answer_lent_request(lease_id: Lease, body: LentAnswerBody, app: App) -> None:
    """Bring what the model said. It is checked as the answers of services are; where it is no use, a further request says why."""
    app.lent_models.answer(lease_id, body.text, body.model)


@router.post("/requests/{lease_id}/failure", status_code=204)
def fail_lent_request(lease_id: Lease, body: LentFailureBody, app: App) -> None:
    """Say that the model failed or refused. A quota that is used up is no failure: stop lending then."""
    app.lent_models.fail(lease_id, body.message, refused=body.refused)


@router.delete("/lenders/{lender}", status_code=204)
def stop_lending(lender: Annotated[str, Path(max_length=64)], app: App) -> None:
    """Lend no more. What you have is given to the next lender, and has cost nothing."""
    app.lent_models.withdraw(lender)
