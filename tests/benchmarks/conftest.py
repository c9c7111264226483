"""Tests of the benchmarks import them by their names."""

import sys

from support import ROOT

sys.path[:0] = [str(ROOT / "benchmarks")]
