"""pip's settings (mirror, proxy, certificates) in uv's words: uv does not read pip.conf or PIP_* variables.

`pip config list` prints what pip itself found in all its files and in the environment; here that text is parsed, and each
setting that decides where packages come from is turned into the environment variable that uv reads. A setting that uv
can't be told makes the caller use pip.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

# Later sections win, as they do in pip.
_SECTIONS = ("global", "install", ":env:")
_LINE = re.compile(r"^(?P<section>:env:|[\w-]+)\.(?P<name>[\w-]+)=(?P<value>.*)$")

# Settings without a say in where a pinned, hashed package comes from. `constraint` is one: every version is pinned already,
# and uv refuses a constraints file without hashes.
_WITHOUT_EFFECT = frozenset(
    {
        "break-system-packages",
        "cache-dir",
        "compile",
        "config-file",
        "constraint",
        "disable-pip-version-check",
        "exists-action",
        "log",
        "no-cache-dir",
        "no-clean",
        "no-color",
        "no-compile",
        "no-input",
        "no-python-version-warning",
        "no-warn-conflicts",
        "no-warn-script-location",
        "pre",
        "prefer-binary",
        "progress-bar",
        "quiet",
        "require-hashes",
        "require-virtualenv",
        "retries",
        "resume-retries",
        "root-user-action",
        "upgrade",
        "upgrade-strategy",
        "use-deprecated",
        "use-feature",
        "user",
        "verbose",
    }
)

_TRANSLATIONS: dict[str, tuple[str, Callable[[str], str]]] = {
    "index-url": ("UV_DEFAULT_INDEX", str),
    "extra-index-url": ("UV_INDEX", lambda value: " ".join(value.split())),
    "find-links": ("UV_FIND_LINKS", lambda value: ",".join(value.split())),
    "no-index": ("UV_NO_INDEX", str.lower),
    "trusted-host": ("UV_INSECURE_HOST", lambda value: " ".join(value.split())),
    "cert": ("SSL_CERT_FILE", str),
    "client-cert": ("SSL_CLIENT_CERT", str),
    "proxy": ("ALL_PROXY", lambda value: value if "://" in value else f"http://{value}"),
    "timeout": ("UV_HTTP_TIMEOUT", lambda value: str(max(1, round(float(value))))),
}

# A company's certificates are in the system's bundle more often than in pip's settings.
SYSTEM_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


@dataclass(frozen=True)
class Network:
    """An index and a proxy chosen for this installation; they win over what the machine is set up with."""

    index_url: str = ""
    proxy: str = ""

    def over(self, environ: Mapping[str, str]) -> dict[str, str]:
        env = dict(environ)
        if self.index_url:
            for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_NO_INDEX"):
                env.pop(name, None)
            env |= {"PIP_INDEX_URL": self.index_url, "PIP_NO_INDEX": "false"}
        if self.proxy:
            env.pop("PIP_PROXY", None)
            # Not pip's own option: with that one pip would no longer heed NO_PROXY.
            for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
                env |= {name: self.proxy, name.lower(): self.proxy}
        return env


@dataclass(frozen=True)
class UvSettings:
    environment: dict[str, str]
    """Variables to set for uv, those that the user has set for uv left out."""
    untranslated: tuple[str, ...]
    """pip settings that uv can't be told."""


def parse_config_list(text: str) -> dict[str, str]:
    """The settings of `pip install` by long option name, from the output of `pip config list`."""
    by_section: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None or match["section"] not in by_section:
            continue
        value = str(ast.literal_eval(match["value"])).strip()
        if value:
            by_section[match["section"]][_long_name(match["name"])] = value
    return {name: value for section in _SECTIONS for name, value in by_section[section].items()}


def from_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The same from PIP_* variables alone, for a machine that has no pip to ask."""
    return {
        _long_name(name[len("PIP_") :].lower()): value.strip()
        for name, value in environ.items()
        if name.startswith("PIP_") and value.strip()
    }


def for_uv(settings: Mapping[str, str], environ: Mapping[str, str], *, system_certificates: str | None) -> UvSettings:
    """uv's variables for these pip settings; what the user has set for uv in `environ` wins."""
    wanted: dict[str, str] = {
        # pip looks for a version in all indexes; uv stops at the first that has the name, as a guard against a stranger's
        # package of the same name. Here the hashes are that guard.
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }
    untranslated: list[str] = []
    for name, value in settings.items():
        if name in _WITHOUT_EFFECT:
            continue
        try:
            variable, translate = _TRANSLATIONS[name]
            wanted[variable] = translate(value)
        except (KeyError, ValueError):
            untranslated.append(name)
    bundle = environ.get("REQUESTS_CA_BUNDLE") or environ.get("CURL_CA_BUNDLE") or system_certificates
    if bundle:
        wanted.setdefault("SSL_CERT_FILE", bundle)
    elif not {"SSL_CERT_FILE", "SSL_CERT_DIR"} & {*wanted, *environ}:
        # Windows and macOS keep a company's certificates in a store; the second name is for older versions of uv.
        wanted |= {"UV_SYSTEM_CERTS": "true", "UV_NATIVE_TLS": "true"}
    older_names = {"UV_DEFAULT_INDEX": "UV_INDEX_URL", "UV_INDEX": "UV_EXTRA_INDEX_URL"}
    environment = {
        name: value for name, value in wanted.items() if name not in environ and older_names.get(name, name) not in environ
    }
    return UvSettings(environment, tuple(untranslated))


def _long_name(name: str) -> str:
    name = name.replace("_", "-")
    return "timeout" if name == "default-timeout" else name
