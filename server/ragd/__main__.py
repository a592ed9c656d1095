"""`python -m ragd` is `rag`."""

from ragd.cli import main

if __name__ == "__main__":
    main()
