"""Pictures of documents, and what is said of them."""

from __future__ import annotations

from ragd.app.pictures.asking import PictureQuestions
from ragd.app.pictures.captioning import Captioning
from ragd.app.pictures.details import PictureDetails
from ragd.app.pictures.lent import LentModels
from ragd.app.pictures.service import Pictures

__all__ = ["Captioning", "LentModels", "PictureDetails", "PictureQuestions", "Pictures"]
