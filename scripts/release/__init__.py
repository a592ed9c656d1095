"""Builds what is released, the wheel and the VSIX, and looks into it."""
