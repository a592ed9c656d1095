"""Which addresses are asked, and that what was judged is what is connected to."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from contextlib import closing
from typing import Any

import httpx2
import pytest

from ragd.core.errors import SourceRefused
from ragd.core.reach import AllowedHosts, reach_of


@pytest.mark.parametrize(
    ("address", "reach"),
    [
        ("93.184.216.34", "everywhere"),
        ("2606:4700::1111", "everywhere"),
        ("10.1.2.3", "private"),
        ("172.16.0.1", "private"),
        ("192.168.1.1", "private"),
        ("100.64.0.1", "private"),
        ("fd12::1", "private"),
        ("240.0.0.1", "private"),
        ("127.0.0.1", "loopback"),
        ("127.8.8.8", "loopback"),
        ("0.0.0.0", "loopback"),
        ("::1", "loopback"),
        ("::", "loopback"),
        ("169.254.169.254", "never"),
        ("fe80::1", "never"),
        ("224.0.0.1", "never"),
        ("fd00:ec2::254", "never"),
        ("100.100.100.200", "never"),
        ("::ffff:169.254.169.254", "never"),
        ("::ffff:10.0.0.1", "private"),
        ("64:ff9b::a9fe:a9fe", "never"),
        ("2002:7f00:1::", "loopback"),
    ],
)
def test_where_an_address_is(address: str, reach: str) -> None:
    assert reach_of(ipaddress.ip_address(address)) == reach


@pytest.mark.parametrize(
    ("allowed", "host", "address", "passes"),
    [
        ([], "wiki.example.com", "93.184.216.34", True),
        ([], "wiki.corp.example.com", "10.1.2.3", False),
        (["wiki.corp.example.com"], "Wiki.Corp.example.com.", "10.1.2.3", True),
        (["*.corp.example.com"], "wiki.corp.example.com", "10.1.2.3", True),
        (["*.corp.example.com"], "corp.example.com.evil.example", "10.1.2.3", False),
        (["10.0.0.0/8"], "anything.example", "10.1.2.3", True),
        (["10.0.0.0/8"], "anything.example", "127.0.0.1", False),
        (["127.0.0.1"], "127.0.0.1", "127.0.0.1", True),
        (["[::1]"], "::1", "::1", True),
        (["*"], "metadata.example", "169.254.169.254", False),
        (["169.254.0.0/16"], "169.254.169.254", "169.254.169.254", False),
    ],
)
def test_private_addresses_are_asked_when_they_are_allowed(allowed: list[str], host: str, address: str, passes: bool) -> None:
    def check() -> None:
        AllowedHosts(allowed).check(host, [ipaddress.ip_address(address)])

    if passes:
        check()
        return
    with pytest.raises(SourceRefused) as refused:
        check()
    assert refused.value.details[0].field == "config.base_url"
    if address.startswith("169."):
        assert "never" in refused.value.message
    else:
        assert f'security: {{allowed_hosts: ["{host}"]}}' in refused.value.message


def test_one_forbidden_address_of_a_name_is_enough() -> None:
    found = [ipaddress.ip_address(address) for address in ("93.184.216.34", "10.0.0.1")]
    with pytest.raises(SourceRefused):
        AllowedHosts([]).check("both.example.com", found)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Has names stand for one address after the other; gives the names as they are looked up."""

    def answer(*addresses: str) -> list[str]:
        rest, asked = list(addresses), []

        def look_up(host: str, *_args: Any, **_options: Any) -> Any:
            if host in addresses:
                # What connects has the address already, and looks it up as such.
                return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, _args[0]))]
            asked.append(host)
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (rest.pop(0), 0))]

        monkeypatch.setattr("ragd.core.reach.socket.getaddrinfo", look_up)
        return asked

    return answer


def test_what_was_judged_is_what_is_connected_to(names: Callable[..., list[str]]) -> None:
    """A name that means another address at the second look-up: there is none."""
    asked = names("127.0.0.1", "169.254.169.254")
    with socket.create_server(("127.0.0.1", 0)) as server, closing(httpx2.Client(trust_env=False, timeout=0.1)) as client:
        AllowedHosts(["rebinding.example"]).guard(client)
        with pytest.raises(httpx2.ReadTimeout):
            client.get(f"http://rebinding.example:{server.getsockname()[1]}/")
        with server.accept()[0] as connection:
            assert b"Host: rebinding.example" in connection.recv(1000)
    assert asked == ["rebinding.example"]


def test_a_name_that_means_a_private_address_now_is_not_connected_to(names: Callable[..., list[str]]) -> None:
    names("169.254.169.254")
    with closing(httpx2.Client(trust_env=False, timeout=60)) as client:
        AllowedHosts(["*"]).guard(client)
        with pytest.raises(SourceRefused, match="never"):
            client.get("http://rebinding.example/")


def test_through_a_proxy_addresses_are_judged_and_names_left_to_it(names: Callable[..., list[str]]) -> None:
    asked = names()
    AllowedHosts([]).check_proxied("wiki.example.com")
    assert asked == []
    with pytest.raises(SourceRefused):
        AllowedHosts([]).check_proxied("10.0.0.1")
