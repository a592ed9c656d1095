"""Makes Python environments: the checkout's `.venv/`, and the daemon's on a user's machine. The VSIX carries this whole folder.

It needs the standard library alone, and Python 3.9 can read every file of it, to be told that it is too old.
"""
