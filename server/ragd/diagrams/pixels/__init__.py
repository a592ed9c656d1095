"""Diagrams from pixels: boxes, lines and arrow heads by OpenCV, which comes with the extra `ocr`; labels by text recognition."""
