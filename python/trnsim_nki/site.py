# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Where in the kernel a call was made: the innermost frame outside this package."""

import os
import sys

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_OURS = {}


def _is_ours(filename):
    ours = _OURS[filename] = os.path.abspath(filename).startswith(_PACKAGE) or filename.startswith("<frozen")
    return ours


def site():
    """(file, line) of the kernel's own frame."""
    frame = sys._getframe(1)
    while frame is not None:
        filename = frame.f_code.co_filename
        ours = _OURS.get(filename)
        if ours is None:
            ours = _is_ours(filename)
        if not ours:
            return filename, frame.f_lineno
        frame = frame.f_back
    return "", 0


def stack():
    """Lines of the kernel's frames, from the call outwards."""
    frame, lines = sys._getframe(1), []
    while frame is not None:
        if not _OURS.get(frame.f_code.co_filename, False):
            lines.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back
    return tuple(lines)
