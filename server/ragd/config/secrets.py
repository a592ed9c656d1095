"""Where a key is, and the key itself. Settings hold the reference alone; a key never stands in a setting, a log or an error."""

from __future__ import annotations

import logging
import os
import re
import stat
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from ragd.core.errors import SettingsError, ValidationFailed

log = logging.getLogger(__name__)

HOW_TO = "write env:NAME, file:PATH or keyring:NAME, which says where the key is; a key itself never stands in the settings"

# Entries of the system's key store are kept under this service name.
KEYRING_SERVICE = "rag-assistant"

SECRET_PREFIX = "RAG_SECRET_"
"""Variables of the environment that hold secrets and no settings."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_READABLE_BY_OTHERS = stat.S_IRGRP | stat.S_IROTH
_MOST_BYTES = 64 * 1024


def is_reference(text: str) -> bool:
    """Whether `text` says where a key is. The empty text, which means that there is none, is a reference, too."""
    kind, _, place = text.partition(":")
    if kind == "env":
        return _VARIABLE.fullmatch(place) is not None
    return not text or (kind in {"file", "keyring"} and bool(place.strip()))


class AllowedSecrets:
    """Which secrets may be named by who asks by REST, the command line or MCP, and is not the administrator."""

    def __init__(self, names: Sequence[str], folders: Sequence[Path]) -> None:
        """`names` are references, in which `*` stands for any signs; files inside `folders` may be named besides."""
        self._names = tuple(names)
        self._folders = [folder.expanduser().resolve() for folder in folders]

    def check(self, reference: str, field: str) -> None:
        """Raises `ValidationFailed`, before anything is looked up, for a reference that may not be used."""
        kind, _, place = reference.partition(":")
        if kind == "file":
            path = Path(place).expanduser().resolve()
            if any(path.is_relative_to(folder) for folder in self._folders):
                return
            reference = f"file:{path}"
        if not reference or any(fnmatchcase(reference, name) for name in self._names):
            return
        message = (
            f"A source may not use this reference to a secret ({kind}:…). Name it env:{SECRET_PREFIX}… or keyring:…, put "
            "the file into the configuration's folder, or have the administrator add it to the setting security.secret_names."
        )
        raise ValidationFailed.of_field(field, "forbidden", message)


def resolve(reference: str, setting: str) -> str:
    """The key that a reference leads to; "" for an empty reference.

    `setting` is the dotted name that errors are about. Raises `SettingsError` for a literal key, whose value it does not repeat,
    and when there is no key at that place.
    """
    if not reference:
        return ""
    if not is_reference(reference):
        raise SettingsError(f"Setting '{setting}' is no reference: {HOW_TO}.")
    kind, _, place = reference.partition(":")
    if kind == "env":
        return _usable(os.environ.get(place, ""), setting, f"the environment variable {place}", "is not set or empty")
    if kind == "file":
        return _from_file(Path(place).expanduser(), setting)
    return _from_keyring(place, setting)


def _from_file(path: Path, setting: str) -> str:
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            data = file.read(_MOST_BYTES)
        key = data.decode("utf-8-sig")
    except OSError as error:
        raise SettingsError(f"Setting '{setting}': the file {path} can't be read ({error.strerror}).") from error
    except UnicodeDecodeError:
        # The error would carry the content along.
        raise SettingsError(f"Setting '{setting}': the file {path} is no UTF-8 text.") from None
    if os.name == "posix" and mode & _READABLE_BY_OTHERS:
        log.warning("a key file can be read by others; chmod 600 mends that", extra={"setting": setting, "file": str(path)})
    return _usable(key.removesuffix("\n").removesuffix("\r"), setting, f"the file {path}", "is empty")


def _from_keyring(name: str, setting: str) -> str:
    # It asks the system which key store it has: only for who keeps a key there.
    import keyring
    from keyring.errors import KeyringError, NoKeyringError

    try:
        key = keyring.get_password(KEYRING_SERVICE, name)
    except NoKeyringError as error:
        raise SettingsError(
            f"Setting '{setting}': this session has no key store (on Linux: GNOME Keyring or KWallet, of a desktop session). "
            "Keep the key in a file that only you can read, file:PATH, or in a variable, env:NAME."
        ) from error
    except KeyringError as error:
        reason = type(error).__name__
        raise SettingsError(f"Setting '{setting}': the system's key store could not be read ({reason}).") from error
    place = f"the entry '{name}' of the system's key store (put there by `keyring set {KEYRING_SERVICE} {name}`)"
    return _usable(key or "", setting, place, "does not exist or is empty")


def _usable(key: str, setting: str, place: str, when_empty: str) -> str:
    if not key.strip():
        raise SettingsError(f"Setting '{setting}': {place} {when_empty}.")
    # A key goes into a header: one visible line of ASCII.
    if not key.isascii() or not key.isprintable() or key != key.strip():
        raise SettingsError(
            f"Setting '{setting}': {place} holds no key of one line of plain characters without blanks around it."
        )
    return key
