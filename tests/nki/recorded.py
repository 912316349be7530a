# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Support of the recorder's tests: records a kernel and reads what was written."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "python"), os.path.join(HERE, "kernels")]

import trnsim_nki  # noqa: E402
from trnsim_nki import Policy, Spec, recording  # noqa: E402

TRNSIM = os.environ.get("TRNSIM")


def spec(text):
    """`bf16[128,512]` as an argument."""
    dtype, _, shape = text.rstrip("]").partition("[")
    return Spec([int(n) for n in shape.split(",")], dtype)


class Trace:
    """Header, tiles and instructions of a trace."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.header = lines[0]
        self.tiles = {line["tile"]: line for line in lines if "tile" in line}
        self.instructions = [line for line in lines if "op" in line]

    @property
    def ops(self):
        return [i["op"] for i in self.instructions]

    def of(self, op):
        return [i for i in self.instructions if i["op"] == op]


class RecorderTest(unittest.TestCase):
    """`record` runs a kernel on arguments given as texts or values."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name="k.jsonl"):
        return os.path.join(self.folder.name, name)

    def record(self, kernel, *args, target="trn2", grid=None, lines=False, check=False, **policy):
        values = [spec(a) if isinstance(a, str) and "[" in a else a for a in args]
        made = recording.into(self.path(), kernel, values, {}, target, grid, Policy(**policy), lines)
        if check:
            self.check(made.path, target)
        trace = Trace(made.path)
        trace.recording = made
        return trace

    def check(self, path, target="trn2"):
        """The built program finds nothing wrong with a trace."""
        if not TRNSIM:
            return
        done = subprocess.run([TRNSIM, "trace", "check", path, "--chip", target], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def refuses(self, kernel, *args, **options):
        """The message of the error that stops a kernel."""
        with self.assertRaises(trnsim_nki.RecordError) as caught:
            self.record(kernel, *args, **options)
        return str(caught.exception)
