"""RAG Assistant: search over private documents, with citations that open the source at the exact place."""

import os

__version__ = "0.1.0"

# Some libraries report to their makers unless they are told not to, and some decide it when they are loaded: ONNX Runtime
# and the client of the model hub. Processes that this one starts inherit it.
os.environ.update(ORT_DISABLE_TELEMETRY="1", HF_HUB_DISABLE_TELEMETRY="1", DO_NOT_TRACK="1")

# The products of numpy are small here. Threads that share one wait for each other: with every core busy, MaxSim of the candidates
# of a question took up to 250 ms in two threads and 4 in one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
