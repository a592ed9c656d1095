"""Makes the environment of the daemon from the wheel that the extension carries, and prints events as JSON lines.

    python bootstrap.py --environment FOLDER [--index-url URL] [--proxy URL] [--uv PROGRAM] [--python PROGRAM]

The VSIX carries this folder, with the locks and the wheel beside it. Any Python may start this file, so it keeps to what the
oldest ones understand; `server_environment.py` does the work.
"""

import json
import os
import sys

OLDEST_PYTHON = (3, 11)

if __name__ == "__main__":
    if tuple(sys.version_info[:2]) < OLDEST_PYTHON:
        found = ".".join(str(number) for number in sys.version_info[:3])
        event = {
            "event": "failed",
            "code": "PYTHON_TOO_OLD",
            "message": "Python 3.11 or newer is needed; this is " + found + " (" + sys.executable + ").",
            "advice": "Install a newer Python, or choose one that is there in the setting `ragAssistant.python.path`.",
            "log": [],
        }
        print(json.dumps(event))
        sys.exit(2)
    sys.dont_write_bytecode = True  # the folder is the extension's, which an editor may keep read-only
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # where the package `setup` is
    from setup.server_environment import main

    sys.exit(main())
