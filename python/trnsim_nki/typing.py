# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""`nki.typing`: annotations, and arguments described by shape and type."""

from .dtypes import dtype_or_none
from .hosts import Spec


class _Tensor:
    """`nt.tensor[[128, 512], dtype]` is an argument, `nt.tensor[128, 512]` and `nt.tensor` are annotations."""

    def __getitem__(self, key):
        if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], (list, tuple)):
            kind = dtype_or_none(key[1])
            if kind is not None:
                return Spec(key[0], kind)
        return self

    def __call__(self, *_, **__):
        return self

    def __or__(self, _):
        return self

    __ror__ = __or__


tensor = _Tensor()
scalar = _Tensor()
