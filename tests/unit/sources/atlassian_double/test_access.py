"""The double refuses whom the real ones refuse, and addresses that they do not have."""

from __future__ import annotations

import pytest

from ....atlassian_server import Served, World
from .conftest import Caller, get


@pytest.mark.parametrize("path", ["/wiki/api/v2/pages", "/wiki/rest/api/search?cql=type=page", "/rest/api/3/myself"])
def test_cloud_refuses_no_token_a_wrong_email_and_a_personal_access_token(served: Served, caller: Caller, path: str) -> None:
    url = served.base + path
    assert get(url).status_code == 401
    assert get(url, auth=("other@example.com", caller.token)).status_code == 401
    assert get(url, headers={"Authorization": f"Bearer {caller.pat}"}).status_code == 401
    assert get(url, headers={"Authorization": f"Bearer {caller.token}"}).status_code == 401


@pytest.mark.parametrize("path", ["/confluence/rest/api/content", "/jira/rest/api/2/myself"])
def test_data_center_takes_a_personal_access_token_only(served: Served, caller: Caller, path: str) -> None:
    url = served.base + path
    assert get(url, headers={"Authorization": f"Bearer {caller.pat}"}).status_code == 200
    assert get(url, auth=("reader@example.com", caller.token)).status_code == 401


def test_an_oauth_token_is_a_bearer_on_cloud(world: World, served: Served) -> None:
    token = world.token("app", kind="oauth", admin=True)
    answer = get(f"{served.confluence_cloud}/api/v2/spaces", headers={"Authorization": f"Bearer {token}"})
    assert len(answer.json()["results"]) == 2


@pytest.mark.slow
def test_a_revoked_token_is_none(world: World, caller: Caller) -> None:
    world.revoke(caller.token)
    assert caller.wiki("/api/v2/pages").status_code == 401


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/wiki/api/v2/nothing", "errors"),
        ("/wiki/rest/api/nothing", "message"),
        ("/confluence/rest/api/nothing", "message"),
        ("/rest/api/3/nothing", "message"),
        ("/jira/rest/api/2/nothing", "message"),
        ("/rest/api/user/current", "message"),
    ],
)
def test_an_unknown_address_of_an_api_is_404_in_json(served: Served, path: str, key: str) -> None:
    answer = get(served.base + path)
    assert answer.status_code == 404
    assert key in answer.json()


def test_an_address_outside_of_the_apis_is_a_web_page(served: Served) -> None:
    assert get(f"{served.base}/api/v2/pages").headers["content-type"].startswith("text/html")
    log_in = get(f"{served.confluence_dc}/api/v2/pages", follow_redirects=True)
    assert log_in.status_code == 200
    assert "os_username" in log_in.text
