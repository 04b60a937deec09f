"""The command line, as a module: `python -m satisfice`."""

import io
import sys


def main() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character must not stop the answer.
            stream.reconfigure(errors="replace")
    from satisfice.cli.app import app

    app()


if __name__ == "__main__":
    main()
