# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Selective scan in the style of the first generation: channels on the partitions, time along the columns.

The instructions of two states alternate, so that the Vector engine never waits for its own last result.
"""
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np

P = 128


class _Scan:
    """One tile of channels over one piece of time."""

    def __init__(self, step, value, total, ones):
        self.step, self.value, self.total, self.ones = step, value, total, ones
        self.scanned = self.weight = None

    def state(self, rate, gain, weight, initial):
        """Adds what the state before contributes, and scans this one. A row times ones is that row in all partitions of a PSUM bank."""
        decay = nisa.activation(op=nl.exp, data=self.step, scale=rate)
        drive = nisa.tensor_tensor(self.step, self.value, op=nl.multiply)
        before = self.weighted()
        drive = nisa.tensor_tensor(drive, nisa.nc_matmul(self.ones, gain), op=nl.multiply)
        self.add(before)
        self.scanned = nisa.tensor_tensor_scan(decay, drive, initial=initial, op0=np.multiply, op1=np.add)
        self.weight = weight
        return self.scanned

    def weighted(self):
        if self.scanned is None:
            return None
        return nisa.tensor_tensor(self.scanned, nisa.nc_matmul(self.ones, self.weight), op=nl.multiply)

    def add(self, part):
        if part is not None:
            self.total[...] += part

    def finish(self):
        self.add(self.weighted())


def _zeros(columns, dtype):
    return nl.zeros((nl.par_dim(P), columns), dtype=dtype)


@nki.jit
def selective_scan(delta, u, a, b, c):
    """delta, u [channels, time], a [channels, states], b, c [states, time]; the whole time in one tile."""
    out = nl.ndarray(delta.shape, dtype=delta.dtype, buffer=nl.shared_hbm)
    channels, time = delta.shape
    ones = nl.ones((1, P), dtype=nl.float32)
    for tile in range(channels // P):
        rows = nl.ds(tile * P, P)
        total = _zeros(time, delta.dtype)
        scan = _Scan(nl.load(delta[rows, 0:time]), nl.load(u[rows, 0:time]), total, ones)
        for state in range(a.shape[1]):
            gain, weight = (nl.load(t[nl.ds(state, 1), 0:time]) for t in (b, c))
            scan.state(nl.load(a[rows, state]), gain, weight, 0)
        scan.finish()
        nl.store(out[rows, 0:time], total)
    return out


@nki.jit
def selective_scan_in_pieces(delta, u, a, b, c, piece=512):
    """The same on pieces of time; the last column of a scan starts the next piece."""
    out = nl.ndarray(delta.shape, dtype=delta.dtype, buffer=nl.shared_hbm)
    channels, time = delta.shape
    states, ones = a.shape[1], nl.ones((1, P), dtype=nl.float32)
    for tile in range(channels // P):
        rows = nl.ds(tile * P, P)
        rates, last = [nl.load(a[rows, state]) for state in range(states)], [0] * states
        for start in range(0, time, piece):
            part = nl.ds(start, piece)
            total = _zeros(piece, delta.dtype)
            scan = _Scan(nl.load(delta[rows, part]), nl.load(u[rows, part]), total, ones)
            for state in range(states):
                gain, weight = (nl.load(t[nl.ds(state, 1), part]) for t in (b, c))
                scanned = scan.state(rates[state], gain, weight, last[state])
                last[state] = nl.copy(scanned[0:P, piece - 1])
            scan.finish()
            nl.store(out[rows, part], total)
    return out
