# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""What stops a recording. Every message starts with the file and line of the kernel."""

from .site import site


class RecordError(Exception):
    """A kernel that cannot be recorded, with its place."""

    def __init__(self, message, at=None):
        at = at or site()
        self.file, self.line = at
        self.message = message
        super().__init__(f"{at[0]}:{at[1]}: {message}" if at[0] else message)


class UnsupportedError(RecordError):
    """A call or construct the recorder does not know."""


class LimitError(RecordError):
    """A call the hardware or the language does not allow."""
