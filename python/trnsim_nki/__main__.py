# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""python3 -m trnsim_nki record KERNEL.py::function --arg x=bf16[128,512] -o kernel.jsonl"""

import argparse
import os
import sys
import traceback

from . import arguments, recording
from .errors import RecordError
from .policy import CHOICES, parse_policy


def _parser():
    parser = argparse.ArgumentParser(prog="trnsim_nki", description="Records NKI kernels as kernel traces.")
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="record one call of a kernel", epilog="Policies: " + "; ".join(
        f"{name} ({what}; default {default})" for name, (default, _, what) in CHOICES.items()))
    record.add_argument("kernel", nargs="?", help="FILE.py::function")
    record.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE",
                        help="an argument: bf16[128,512], a number, a text, or a Python expression over the names of the file")
    record.add_argument("--grid", help="launch grid: 2, or 4,4, or nc(2)")
    record.add_argument("--target", default="trn2", help="chip whose limits and instructions apply: trn1, trn2, trn3")
    record.add_argument("--policy", action="append", default=[], metavar="NAME=VALUE", help="a choice of the compiler")
    record.add_argument("--lines", action="store_true", help="write the kernel's file and line with each instruction")
    record.add_argument("--name", help="name of the kernel in the trace")
    record.add_argument("--census", metavar="FILE.py", help="list what a file uses of nki and what is missing; record nothing")
    record.add_argument("--traceback", action="store_true", help="show where in the recorder an error comes from")
    record.add_argument("-o", "--output", default="-", help="trace to write, - for standard output")
    return parser


def _own_output():
    """Standard output for the trace alone: what a kernel prints goes to standard error from now on."""
    sys.stdout.flush()
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    return stream


def _record(options):
    if options.census:
        from .census import census
        return census(options.census, sys.stdout)
    if not options.kernel:
        raise arguments.ArgumentError("a kernel is missing: FILE.py::function")
    stream = _own_output() if options.output == "-" else None
    function, module = arguments.kernel(options.kernel)
    positional, named = arguments.pairs(options.arg, module)
    made = recording.into(options.output, function, positional, named, options.target, arguments.grid(options.grid),
                          parse_policy(options.policy), options.lines or None, options.name, stream)
    note = sys.stderr if options.output == "-" else sys.stdout
    if options.output != "-":
        print(f"{options.output}: {made.instructions} instructions", file=note)
    for what, n in sorted(made.approximated.items()):
        print(f"assumed: {what} ({n})", file=note)
    for what, n in sorted(made.ignored.items()):
        print(f"ignored: {what} ({n})", file=note)
    if made.clipped:
        print(f"clipped: {made.clipped} accesses past the end of a tensor", file=note)
    return 0


def main(argv=None):
    options = _parser().parse_args(argv)
    try:
        return _record(options)
    except RecordError as error:
        if options.traceback:
            traceback.print_exc()
        print(f"trnsim_nki: {error}", file=sys.stderr)
        return 2
    except (arguments.ArgumentError, ValueError) as error:
        if options.traceback:
            traceback.print_exc()
        print(f"trnsim_nki: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"trnsim_nki: {error}", file=sys.stderr)
        return 4
    except Exception as error:  # an error of the kernel itself: say where
        if options.traceback:
            traceback.print_exc()
        place = traceback.extract_tb(error.__traceback__)
        ours = [f for f in place if "trnsim_nki" not in f.filename and not f.filename.startswith("<frozen")]
        at = f"{ours[-1].filename}:{ours[-1].lineno}: " if ours else ""
        print(f"trnsim_nki: {at}{type(error).__name__}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
