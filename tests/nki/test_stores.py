# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Stores held back behind the next loads, and what stops them from being."""
import unittest

from recorded import RecorderTest  # first: it makes the kernels importable
import stores


def kinds(trace):
    """l: load, s: store, x: anything else."""
    def kind(i):
        if i["op"] != "dma_copy":
            return "x"
        return "l" if isinstance(i["src"], dict) and i["src"]["t"] in ("x", "t") else "s"
    return "".join(kind(i) for i in trace.instructions)


class Stores(RecorderTest):
    def test_they_stay_where_they_are_written_unless_asked(self):
        self.assertEqual(kinds(self.record(stores.one_by_one, "fp32[4,128,64]")), "lxslxslxslxs")

    def test_they_let_copies_go_first(self):
        trace = self.record(stores.one_by_one, "fp32[4,128,64]", store_lag=2, check=True)
        self.assertEqual(kinds(trace), "lxlxlxssslxs")
        self.assertEqual(trace.recording.instructions, 12)

    def test_a_tile_written_again_lets_its_store_go(self):
        self.assertEqual(kinds(self.record(stores.one_tile, "fp32[4,128,64]", store_lag=8)), "lslslsls")

    def test_a_tensor_read_again_lets_its_stores_go(self):
        self.assertEqual(kinds(self.record(stores.read_back, "fp32[1,128,64]", store_lag=8)), "lsl")

    def test_a_negative_lag_is_refused(self):
        with self.assertRaisesRegex(ValueError, "store_lag.*allowed: from 0"):
            self.record(stores.one_tile, "fp32[4,128,64]", store_lag=-1)


class WideTransposes(RecorderTest):
    def test_the_vector_engine_takes_blocks_of_32(self):
        trace = self.record(stores.wide_transpose, "fp32[128,64]", check=True)
        blocks = trace.of("nc_transpose")
        self.assertEqual(len(blocks), 8)
        self.assertTrue(all(b["engine"] == "vector" for b in blocks))
        self.assertEqual((blocks[3]["data"]["p"], blocks[3]["data"]["off"], blocks[3]["dst"]["p"], blocks[3]["dst"]["off"]),
                         ([32, 32], 128, [32, 32], 128))


if __name__ == "__main__":
    unittest.main()
