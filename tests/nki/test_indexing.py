# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Regions named by slices, index tensors and views."""
import unittest

from recorded import RecorderTest  # first: it makes the kernels importable
import indexing


class Indexing(RecorderTest):
    def test_index_tensors_become_strides(self):
        copy = self.record(indexing.transposed_by_index, "fp32[2,12]", check=True).of("tensor_copy")[0]
        self.assertEqual(copy["dst"]["ap"], [[1, 3], [3, 4]])
        self.assertEqual(copy["data"], self.record(indexing.transposed_by_index, "fp32[2,12]").of("dma_copy")[0]["dst"])

    def test_each_block_is_a_tile(self):
        trace = self.record(indexing.blocks, "bf16[4,128,64]", check=True)
        self.assertEqual(len(trace.tiles), 4)
        self.assertEqual(trace.ops, ["dma_copy"] * 8)

    def test_reduced_dimensions_are_innermost(self):
        reduce = self.record(indexing.windows, "fp32[64,8,8]", check=True).of("tensor_reduce")[0]
        self.assertEqual(reduce["data"]["ap"], [[16, 4], [2, 4], [8, 2], [1, 2]])

    def test_slices_integers_steps_and_ellipsis(self):
        trace = self.record(indexing.every_form, "fp32[256,128]", check=False)
        self.assertEqual(trace.ops.count("tensor_copy"), 4)
        stepped = trace.of("tensor_copy")[0]
        self.assertEqual((stepped["dst"]["ap"], stepped["data"]["ap"], stepped["data"]["off"]), ([[2, 32]], [[2, 32]], 4))

    def test_what_is_past_the_end_is_clipped_and_counted(self):
        trace = self.record(indexing.past_the_end, "fp32[100,64]", check=True)
        self.assertEqual(trace.instructions[2]["src"]["p"], [0, 36])
        self.assertGreater(trace.header["params"]["clipped_accesses"], 0)

    def test_a_list_is_a_tuple_of_indices(self):
        self.assertEqual(len(self.record(indexing.list_of_indices, "fp32[128,64]", check=True).ops), 2)

    def test_rows_named_by_a_tile_are_gathered(self):
        trace = self.record(indexing.gathered, "fp32[4096,64]", "int32[128]", lines=True)
        gather = trace.instructions[1]
        self.assertTrue(gather["dynamic_address"])
        self.assertEqual(gather["dge"], "software")
        self.assertEqual(gather["src_index"], trace.instructions[0]["dst"])


if __name__ == "__main__":
    unittest.main()
