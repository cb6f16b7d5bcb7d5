"""``python -m demo_sites``: print the URLs of the feeds, one a line, and serve until Ctrl-C."""

from __future__ import annotations

import argparse
import sys
import threading

from demo_sites.build import feed_urls
from demo_sites.serve import PORT_BASE, serve


def main() -> None:
    """Serve the sites for a person at a terminal."""
    parser = argparse.ArgumentParser(prog="demo_sites", description=main.__doc__)
    parser.add_argument("--port-base", type=int, default=PORT_BASE, help="port of the first site; 0: any free ports")
    arguments = parser.parse_args()
    with serve(arguments.port_base) as base:
        for url in feed_urls(base):
            sys.stdout.write(f"{url}\n")
        sys.stdout.flush()  # a program that started us reads these lines from a pipe
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            sys.stderr.write("\n")


if __name__ == "__main__":
    main()
