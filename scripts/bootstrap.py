"""Makes the environment of the daemon from the wheel that the extension carries, and prints events as JSON lines.

    python bootstrap.py --environment FOLDER [--index-url URL] [--proxy URL] [--uv PROGRAM] [--python PROGRAM]

`scripts/package.py` puts this file, the modules it needs, the locks and the wheel into one folder of the VSIX. Any Python may
start it, so this file keeps to what the oldest ones understand; `_server_environment.py` does the work.
"""

import json
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
    from _server_environment import main

    sys.exit(main())
