# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Selective scan in the style of the first generation: channels on the partitions, time along the columns."""
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np

P = 128


@nki.jit
def selective_scan(delta, u, a, b, c):
    """delta, u [channels, time], a [channels, states], b, c [states, time]; the whole time in one tile."""
    out = nl.ndarray(delta.shape, dtype=delta.dtype, buffer=nl.shared_hbm)
    channels, time = delta.shape
    for tile in nl.affine_range(channels // P):
        rows = nl.ds(tile * P, P)
        step, value = nl.load(delta[rows, 0:time]), nl.load(u[rows, 0:time])
        total = nl.zeros((nl.par_dim(P), time), dtype=delta.dtype)
        for state in nl.affine_range(a.shape[1]):
            rate = nl.load(a[rows, state])
            decay = nisa.activation(op=nl.exp, data=step, scale=rate)
            gain = nl.load(b[nl.ds(state, 1), 0:time])
            drive = nisa.tensor_tensor(nisa.tensor_tensor(step, value, op=nl.multiply), gain.broadcast_to((P, time)), op=nl.multiply)
            scanned = nisa.tensor_tensor_scan(decay, drive, initial=0, op0=np.multiply, op1=np.add)
            weight = nl.load(c[nl.ds(state, 1), 0:time])
            total[...] += nisa.tensor_tensor(scanned, weight.broadcast_to((P, time)), op=nl.multiply)
        nl.store(out[rows, 0:time], total)
    return out


@nki.jit
def selective_scan_in_pieces(delta, u, a, b, c, piece=512):
    """The same on pieces of time; the last column of a scan starts the next."""
    out = nl.ndarray(delta.shape, dtype=delta.dtype, buffer=nl.shared_hbm)
    channels, time = delta.shape
    for tile in nl.affine_range(channels // P):
        rows = nl.ds(tile * P, P)
        step, value = nl.load(delta[rows, 0:time]), nl.load(u[rows, 0:time])
        total = nl.zeros((nl.par_dim(P), time), dtype=delta.dtype)
        for state in nl.affine_range(a.shape[1]):
            rate = nl.load(a[rows, state])
            last = nl.zeros((nl.par_dim(P), 1), dtype=delta.dtype)
            for number in nl.sequential_range(time // piece):
                part = nl.ds(number * piece, piece)
                decay = nisa.activation(op=nl.exp, data=step[0:P, part], scale=rate)
                gain, weight = nl.load(b[nl.ds(state, 1), part]), nl.load(c[nl.ds(state, 1), part])
                drive = nisa.tensor_tensor(step[0:P, part], value[0:P, part], op=nl.multiply)
                drive = nisa.tensor_tensor(drive, gain.broadcast_to((P, piece)), op=nl.multiply)
                scanned = nisa.tensor_tensor_scan(decay, drive, initial=last, op0=np.multiply, op1=np.add)
                last[...] = scanned[0:P, piece - 1]
                total[0:P, part] += nisa.tensor_tensor(scanned, weight.broadcast_to((P, piece)), op=nl.multiply)
        nl.store(out[rows, 0:time], total)
    return out
