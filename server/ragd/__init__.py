"""RAG Assistant: search over private documents, with citations that open the source at the exact place."""

import os

__version__ = "0.1.0"

# Some libraries report to their makers unless they are told not to, and some decide it when they are loaded: ONNX Runtime
# and the client of the model hub. Processes that this one starts inherit it.
os.environ.update(ORT_DISABLE_TELEMETRY="1", HF_HUB_DISABLE_TELEMETRY="1", DO_NOT_TRACK="1")
