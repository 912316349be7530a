# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Records NKI kernels: runs them as Python on shapes and writes a trace of hardware instructions.

    from trnsim_nki import record
    record(kernel, x, w, to="kernel.jsonl")
"""

from . import subscript, tensor, views

subscript.tensor = views.tensor = tensor

from . import destination, operators  # noqa: E402  (they need the three above put together)

tensor.destination, tensor.operators = destination, operators

from . import recording as _recording  # noqa: E402
from .errors import LimitError, RecordError, UnsupportedError  # noqa: E402
from .hosts import Spec  # noqa: E402
from .modules import install  # noqa: E402
from .policy import Policy  # noqa: E402
from .recording import Recording  # noqa: E402

__all__ = ["record", "install", "Spec", "Policy", "Recording", "RecordError", "LimitError", "UnsupportedError"]

install()


def record(kernel, *args, to=None, target="trn2", grid=None, policy=None, lines=None, name=None, **keywords):
    """Records one call of `kernel` into the file `to` (the kernel's name with .jsonl when left out).

    With no arguments for the kernel it returns a function that takes them: `record(kernel, to="k.jsonl")(x, w)`. With arguments it
    returns the recording; calling that as well, `record(kernel, x, w)(y, w)`, records a further call into `kernel.2.jsonl`, and without
    arguments gives what the kernel returned.
    Arguments are anything with a shape and a dtype, and whatever else the kernel takes.
    """
    def call(*call_args, **call_keywords):
        path = to if to is not None else f"{kernel.__name__}.jsonl"
        made = _recording.into(path, kernel, call_args, call_keywords, target, grid, policy, lines, name)
        made.again = call
        return made

    return call(*args, **keywords) if args or keywords else call
