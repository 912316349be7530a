# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""One kernel call recorded into one trace."""

import os

from . import launch, recorder
from .errors import RecordError
from .policy import Policy, parse_policy
from .trace import Writer


class Recording:
    """What was written: the file, the number of instructions, what was assumed, shapes of the results."""

    def __init__(self, path, recorder, outputs):
        self.path = path
        self.instructions = recorder.count
        self.outputs = outputs
        self.ignored = dict(recorder.ignored)
        self.approximated = dict(recorder.approximated)
        self.clipped = recorder.clipped
        self.again = None  # records another call of the kernel, set by trnsim_nki.record

    def __call__(self, *args, **keywords):
        """With arguments: another call of the kernel, recorded into a file of its own. Without: what the kernel returned."""
        if args in ((), (...,)) and not keywords:
            return self.outputs
        return self.again(*args, **keywords)

    def __repr__(self):
        return f"Recording({self.path!r}, {self.instructions} instructions)"


_written = {}  # files of this process, so that a second call under the environment variable keeps the first


def _next_path(path):
    n = _written[path] = _written.get(path, 0) + 1
    if n == 1 or path == "-":
        return path
    stem, extension = os.path.splitext(path)
    return f"{stem}.{n}{extension}"


def into(path, kernel, args=(), keywords=None, target="trn2", grid=None, policy=None, lines=None, name=None, stream=None):
    """Runs `kernel` on shapes and writes its trace to `path`; "-" is `stream`, or standard output."""
    if recorder.now is not None:
        raise RecordError("a recording is already under way")
    kernel = kernel if isinstance(kernel, launch.Kernel) else launch.Kernel(kernel)
    if lines is None:
        lines = os.environ.get("TRNSIM_NKI_LINES", "") not in ("", "0")
    writer = Writer(_next_path(path), lines, stream)
    run = recorder.Recorder(writer, policy or Policy(), target)
    run.grid = launch.grid_of(grid) if grid is not None else kernel.grid
    recorder.now = run
    try:
        outputs = launch.call(run, kernel, args, keywords or {})
        facts = {**params(run, kernel), **launch.described(kernel, args, keywords or {})}
        writer.finish(name or kernel.__name__, facts, outputs)
    except Exception:
        _earlier_problem(run)
        raise
    finally:
        recorder.now = None
        writer.close()
    return Recording(writer.path, run, outputs)


def from_environment():
    """Settings of recordings that an environment variable starts."""
    settings = {}
    if os.environ.get("TRNSIM_NKI_TARGET"):
        settings["target"] = os.environ["TRNSIM_NKI_TARGET"]
    if os.environ.get("TRNSIM_NKI_POLICY"):
        settings["policy"] = parse_policy(os.environ["TRNSIM_NKI_POLICY"].split(","))
    return settings


def _earlier_problem(recorder):
    """An instruction before the failing call may have broken a limit: that is the cause to report."""
    recorder.flush()


def params(recorder, kernel):
    """Facts about a recording that its header keeps."""
    out = {"target": recorder.target}
    if recorder.grid:
        out["grid"] = ",".join(str(int(n)) for n in recorder.grid)
    for name, value in kernel.options.items():
        if isinstance(value, (str, int, float, bool)) and not name.startswith("_"):
            out["jit_" + name] = value
    for choice, value in recorder.policy.changed.items():
        out["policy_" + choice] = value
    if recorder.ignored:
        out["ignored_keywords"] = _listed(recorder.ignored)
    if recorder.approximated:
        out["approximations"] = _listed(recorder.approximated)
    if recorder.clipped:
        out["clipped_accesses"] = recorder.clipped
    return out


def _listed(counts):
    return "; ".join(f"{what}: {n}" for what, n in sorted(counts.items()))
