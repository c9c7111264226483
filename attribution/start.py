"""How `whowrote`, `attribute` and `collect` begin: a signal ends them with one line, also while
modules are imported.
"""

import signal
import sys
from importlib import import_module
from pathlib import Path

_MODULES = {"collect": "collector.cli"}
_NAMES = {"git-whowrote": "git whowrote", "attribute": "attribute", "collect": "collect"}
_INTERRUPTED = 130  # collector.errors has the codes; it is not imported yet


def main(name: str = "") -> None:
    """Runs the command under the name by which it was started."""
    program = Path(sys.argv[0]).stem
    for number in ("SIGTERM", "SIGHUP"):
        if signal.getsignal(caught := getattr(signal, number, signal.SIGINT)) is signal.SIG_DFL:
            signal.signal(caught, signal.default_int_handler)
    try:
        import_module(_MODULES.get(program, "attribution.cli")).cli(
            prog_name=name or _NAMES.get(program, "whowrote")
        )
    except KeyboardInterrupt:
        print("interrupted: nothing was begun", file=sys.stderr)
        sys.exit(_INTERRUPTED)
