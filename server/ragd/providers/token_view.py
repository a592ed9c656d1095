"""A token index with the basis that its codes are of: what ingestion and questions use of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragd.core.errors import SettingsError
from ragd.core.ids import hash32
from ragd.models.rows import weights_of
from ragd.providers.calibration.measure import language_row
from ragd.providers.protocols import Embedder, Vectors
from ragd.providers.token_index.basis import BASES, TokenBasis, read_basis
from ragd.providers.token_index.codec import METHOD, encode
from ragd.providers.token_protocols import JointEmbedder, TokenCodes, TokenIndex


@dataclass(frozen=True, slots=True)
class TokenView:
    """`index` holds codes by `dense_id`."""

    index: TokenIndex
    basis: TokenBasis

    def encode(self, text: str, tokens: Vectors) -> TokenCodes:
        """The codes of a passage's token vectors `[n, dimension]`."""
        return encode(self.basis, tokens, language_row(text))

    def question(self, text: str, tokens: Vectors) -> Vectors:
        """A question's token vectors `[n, dimension]` as the index takes them, `[n, 256]`."""
        return self.basis.query(tokens, language_row(text))


def has_basis(embedder: Embedder, path: str) -> bool:
    """Whether the model gives token vectors, and a basis is named for them or ships for it."""
    return _gives_tokens(embedder) and (bool(path) or _file_of(embedder, path).is_file())


def basis_of(embedder: Embedder, path: str) -> TokenBasis:
    """The basis at `path`, or the one that ships for the model. Raises `SettingsError` when there is none, `ModelDamaged`."""
    if not _gives_tokens(embedder):
        raise SettingsError(f"{embedder.model_id} gives no token vectors: set token_index.provider to 'none'.")
    file = _file_of(embedder, path)
    if not file.is_file():
        raise SettingsError(
            f"There is no basis of token vectors for {embedder.model_id} at {file}. Make one with "
            "scripts/train_token_basis.py and name it by token_index.basis, or set token_index.provider to 'none'."
        )
    return read_basis(file, embedder.dimension)


def _gives_tokens(embedder: Embedder) -> bool:
    return isinstance(embedder, JointEmbedder) and embedder.gives_tokens


def _file_of(embedder: Embedder, path: str) -> Path:
    return Path(path).expanduser() if path else BASES / f"{weights_of(embedder.model_id).replace('/', '_')}.npz"


def identity_of(embedder: Embedder, basis: TokenBasis) -> str:
    """Names what shapes codes: the model, the basis and the method."""
    return hash32(METHOD, embedder.model_id, embedder.revision, basis.identity)[:12]
