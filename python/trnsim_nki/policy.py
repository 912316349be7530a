# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Choices that the compiler makes and nobody can know, each with its default.

`Policy(name=value)` or `--policy name=value` changes one.
"""

CHOICES = {
    # name: (default, allowed, meaning)
    "partition_broadcast": (
        "matmul", ("matmul", "shuffle", "pseudo"),
        "how one partition is spread over many: a product with a row of ones and a copy out of PSUM, one "
        "stream shuffle per 32 partitions, or one line `partition_broadcast` that no reader knows"),
    "copy_engine": ("vector", ("vector", "scalar", "gpsimd", "rotate"), "engine of a tensor_copy that names none"),
    "memset_engine": ("vector", ("vector", "gpsimd"), "engine of a memset that names none"),
    "dma_engine": ("sync", ("sync", "scalar", "gpsimd", "rotate"), "engine that triggers a load which names none"),
    "store_engine": (
        "gpsimd", ("sync", "scalar", "gpsimd"),
        "engine that triggers a copy to HBM which names none: one that has little else to do, so that loads do not wait "
        "behind results"),
    "dma_queues": (
        "auto", ("auto", "1", "2", "4", "8", "16"),
        "rings over which the copies of an engine are spread, each to the ring that has had the fewest bytes; auto: 2 on v2, "
        "where a ring reaches half of the DMA engines, and 1 on others"),
    "order": (
        "list", ("list", "written"),
        "order of the instructions of an engine: that of a compiler's list scheduler, which the simulation plays, or as "
        "the kernel makes them"),
    "rsqrt_engine": ("scalar", ("scalar", "gpsimd"), "engine of nl.rsqrt: an activation, or a power on GpSimd"),
    "limits": ("error", ("error", "note"), "what a call does that breaks a limit of the hardware"),
    "programs": (
        "auto", ("auto", "all", "first"),
        "instances of a launch grid that are recorded, one after the other; auto: all, but of a grid of cores the first"),
    "store_lag": (
        0, int, "copies that a store from SBUF lets go first, so that the loads behind it do not wait for its data"),
    "trip_count": (1, int, "iterations recorded of a loop whose bounds are registers"),
}


class Policy:
    """The choices of one recording."""

    def __init__(self, **choices):
        for name, (default, _, _) in CHOICES.items():
            setattr(self, name, default)
        self.changed = {}
        for name, value in choices.items():
            self.set(name, value)

    def set(self, name, value):
        if name not in CHOICES:
            raise ValueError(f"policy '{name}'; allowed: {', '.join(CHOICES)}")
        _, allowed, _ = CHOICES[name]
        if allowed is int:
            value = int(value)
            least = 1 if name == "trip_count" else 0
            if value < least:
                raise ValueError(f"policy '{name}': value {value}; allowed: from {least}")
        elif value not in allowed:
            raise ValueError(f"policy '{name}': value '{value}'; allowed: {', '.join(allowed)}")
        setattr(self, name, value)
        self.changed[name] = value


def parse_policy(texts):
    """A policy from texts of the form `name=value`."""
    policy = Policy()
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--policy {text}: allowed: NAME=VALUE")
        policy.set(name, value)
    return policy
