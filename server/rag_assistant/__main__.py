"""`python -m rag_assistant` is `rag`."""

from rag_assistant.cli import main

if __name__ == "__main__":
    main()
