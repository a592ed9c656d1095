"""Tokens of a sign-on, against an issuer on loopback with real keys."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from ragd.access.callers import Caller, Role
from ragd.access.oidc import OidcTokens
from ragd.config.service import GroupRole, OidcSettings
from ragd.core.errors import ServiceUnavailable, Unauthorized
from ragd.store.collections import Collections
from ragd.store.database.engine import open_engine

RSA = {name: rsa.generate_private_key(65537, 2048) for name in ("first", "second")}
EC = ec.generate_private_key(ec.SECP256R1())


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 600
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.005)


def public(kid: str, key: Any) -> dict[str, Any]:
    algorithm = jwt.algorithms.ECAlgorithm if key is EC else jwt.algorithms.RSAAlgorithm
    return {**json.loads(algorithm.to_jwk(key.public_key())), "kid": kid, "use": "sig"}


@dataclass
class Issuer:
    url: str
    keys: list[dict[str, Any]] = field(default_factory=lambda: [public("first", RSA["first"])])
    status: int = 200
    asked: int = 0
    now: float = 0.0
    answers: threading.Event = field(default_factory=threading.Event)
    """Cleared, whoever asks for the keys waits."""

    def token(self, kid: str = "first", key: Any = RSA["first"], algorithm: str = "RS256", **claims: Any) -> str:
        given = {"iss": self.url, "aud": "rag", "sub": "ann", "exp": time.time() + 600, "groups": ["staff"], **claims}
        given = {name: value for name, value in given.items() if value is not None}
        return jwt.encode(given, key, algorithm, headers={"kid": kid})


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = {
                "/.well-known/openid-configuration": {"issuer": made.url, "jwks_uri": f"{made.url}/keys"},
                "/keys": {"keys": made.keys},
            }
            made.asked += self.path == "/keys"
            made.answers.wait(60)
            self.send_response(made.status)
            self.end_headers()
            self.wfile.write(json.dumps(known[self.path]).encode())

        def log_message(self, *_: object) -> None:
            """Nothing on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Issuer(f"http://127.0.0.1:{server.server_port}")
    made.answers.set()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def collections(tmp_path: Path, migrated: Path) -> Iterator[Collections]:
    (tmp_path / "rag.db").write_bytes(migrated.read_bytes())
    engine = open_engine("", tmp_path)
    made = Collections(engine)
    made.create("handbook")
    yield made
    engine.dispose()


GROUPS = (
    GroupRole(group="staff", role="reader", collections=("handbook", "no such one")),
    GroupRole(group="editors", role="writer", collections=("handbook",)),
    GroupRole(group="ops", role="admin"),
)


@pytest.fixture
def tokens(issuer: Issuer, collections: Collections) -> OidcTokens:
    settings = OidcSettings(issuer=issuer.url, audience="rag", groups=GROUPS)
    return OidcTokens(settings, collections, lambda: issuer.now)


def test_groups_are_roles_in_collections_and_add_up(issuer: Issuer, tokens: OidcTokens, collections: Collections) -> None:
    kb_id = collections.get("handbook").kb_id
    assert tokens.caller(issuer.token()) == Caller("oidc", "ann", "ann", None, {kb_id: Role.READER})
    both = tokens.caller(issuer.token(groups=["editors", "staff"], preferred_username="Ann"))
    assert (both.name, both.roles) == ("Ann", {kb_id: Role.WRITER})
    assert tokens.caller(issuer.token(groups="ops")).everywhere is Role.ADMIN
    assert tokens.caller(issuer.token(groups=["others"])).readable == frozenset()
    assert tokens.caller(issuer.token(groups=7)).readable == frozenset()
    assert issuer.asked == 1


def test_a_key_of_an_elliptic_curve_counts_as_well(issuer: Issuer, tokens: OidcTokens) -> None:
    issuer.keys.append(public("curve", EC))
    assert tokens.caller(issuer.token("curve", EC, "ES256")).id == "ann"


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another"},
        {"aud": None},
        {"iss": "https://evil.example.com"},
        {"exp": 1.0},
        {"exp": None},
        {"sub": None},
        {"nbf": 99_999_999_999},
    ],
    ids=str,
)
def test_a_token_that_is_not_for_us_or_not_for_now_is_refused(issuer: Issuer, tokens: OidcTokens, claims: dict[str, Any]) -> None:
    with pytest.raises(Unauthorized):
        tokens.caller(issuer.token(**claims))


def test_clocks_may_differ_by_the_leeway(issuer: Issuer, tokens: OidcTokens) -> None:
    assert tokens.caller(issuer.token(exp=time.time() - 5)).id == "ann"
    with pytest.raises(Unauthorized, match="expired"):
        tokens.caller(issuer.token(exp=time.time() - 3600))


def unsigned(issuer: Issuer, **header: str) -> str:
    parts = ({"kid": "first", **header}, {"iss": issuer.url, "aud": "rag", "sub": "ann", "exp": time.time() + 600})
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + "."


def test_no_token_counts_without_a_signature_or_by_a_shared_secret(issuer: Issuer, tokens: OidcTokens) -> None:
    secret = base64.urlsafe_b64encode(b"a secret that whoever reads it can sign with").decode().rstrip("=")
    issuer.keys.append({"kty": "oct", "k": secret, "kid": "shared", "alg": "HS256"})
    signed = issuer.token("shared", b"a secret that whoever reads it can sign with", "HS256")
    # The public key as the secret of a symmetric signature: the classical confusion of algorithms.
    confused = issuer.token("first", b"n" * 32, "HS256")
    for token in (unsigned(issuer, alg="none"), signed, confused, issuer.token(algorithm="RS512"), "a.b.c"):
        with pytest.raises(Unauthorized):
            tokens.caller(token)


def test_a_signature_of_another_key_is_refused(issuer: Issuer, tokens: OidcTokens) -> None:
    with pytest.raises(Unauthorized, match="Signature"):
        tokens.caller(issuer.token("first", RSA["second"]))
    with pytest.raises(Unauthorized, match="names no key"):
        tokens.caller(issuer.token("second", RSA["second"]))


def test_a_rotated_key_is_found_but_the_issuer_is_not_asked_at_every_unknown_one(issuer: Issuer, tokens: OidcTokens) -> None:
    tokens.caller(issuer.token())
    issuer.keys[:] = [public("second", RSA["second"])]
    for _ in range(3):
        with pytest.raises(Unauthorized, match="names no key"):
            tokens.caller(issuer.token("second", RSA["second"]))
    assert issuer.asked == 1
    issuer.now += 61
    assert tokens.caller(issuer.token("second", RSA["second"])).id == "ann"
    assert issuer.asked == 2
    with pytest.raises(Unauthorized, match="names no key"):
        tokens.caller(issuer.token())


def test_while_the_issuer_is_away_known_keys_count_and_of_others_nobody_can_say(issuer: Issuer, tokens: OidcTokens) -> None:
    issuer.status = 500
    for _ in range(2):
        with pytest.raises(ServiceUnavailable):
            tokens.caller(issuer.token())
    assert issuer.asked == 0
    issuer.status = 200
    issuer.now += 61
    assert tokens.caller(issuer.token()).id == "ann"
    issuer.status = 500
    issuer.now += 7200
    assert tokens.caller(issuer.token()).id == "ann"
    with pytest.raises(ServiceUnavailable):
        tokens.caller(issuer.token("second", RSA["second"]))


@pytest.mark.parametrize("later_s", [61, 7200], ids=["an unknown key", "old keys"])
def test_while_the_issuer_takes_its_time_known_keys_count_and_nobody_waits_but_one(
    issuer: Issuer, tokens: OidcTokens, later_s: float
) -> None:
    tokens.caller(issuer.token())
    issuer.now += later_s
    issuer.answers.clear()
    try:
        unknown = issuer.token("second", RSA["second"])
        with ThreadPoolExecutor(3) as beside:
            asking = beside.submit(tokens.caller, unknown)
            until(tokens._keys._fetching.locked)
            assert beside.submit(tokens.caller, issuer.token()).result(30).id == "ann"
            with pytest.raises(ServiceUnavailable, match="being fetched"):
                beside.submit(tokens.caller, unknown).result(30)
            issuer.answers.set()
            with pytest.raises(Unauthorized, match="names no key"):
                asking.result(30)
    finally:
        issuer.answers.set()


def test_a_group_of_a_collection_that_is_not_there_is_said_once(
    issuer: Issuer, tokens: OidcTokens, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        tokens.caller(issuer.token())
    assert [record.message for record in caplog.records].count("oidc.groups names a collection that does not exist") == 1


def test_a_list_of_collections_that_was_left_empty_opens_nothing() -> None:
    with pytest.raises(ValueError, match="write \\[\\] for none"):
        GroupRole.model_validate({"group": "staff", "role": "admin", "collections": None})
    assert GroupRole.model_validate({"group": "staff", "role": "admin", "collections": []}).collections == ()


def test_an_issuer_that_names_itself_otherwise_is_not_believed(issuer: Issuer, collections: Collections) -> None:
    other = issuer.url.replace("127.0.0.1", "localhost")
    with pytest.raises(ServiceUnavailable, match="another issuer"):
        OidcTokens(OidcSettings(issuer=other, audience="rag"), collections).caller(issuer.token())


def test_an_issuer_without_an_audience_is_a_mistake_in_the_settings() -> None:
    with pytest.raises(ValueError, match="audience"):
        OidcSettings(issuer="https://login.example.com")
