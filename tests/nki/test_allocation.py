# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Addresses given by hand."""
import unittest

from recorded import RecorderTest  # first: it makes the kernels importable
import allocation


class Allocation(RecorderTest):
    def test_blocks_take_turns(self):
        trace = self.record(allocation.two_copies, "bf16[4,128,512]", "bf16[128,128]", check=True)
        moving = [trace.tiles[i["moving"]]["address"] for i in trace.of("nc_matmul")]
        self.assertEqual(moving, [256, 1280, 256, 1280])

    def test_an_address_computed_in_a_loop_is_that_of_the_first_iteration(self):
        trace = self.record(allocation.two_copies, "bf16[4,128,512]", "bf16[128,128]")
        self.assertEqual({trace.tiles[i["dst"]]["address"] for i in trace.of("tensor_copy")}, {2304})

    def test_banks_count_from_the_start_of_psum(self):
        trace = self.record(allocation.two_copies, "bf16[4,128,512]", "bf16[128,128]")
        self.assertEqual({trace.tiles[i["dst"]]["address"] for i in trace.of("nc_matmul")}, {3 * 2048})

    def test_a_function_places_each_block(self):
        trace = self.record(allocation.by_function, "fp32[4,128,256]", check=True)
        self.assertEqual([t["address"] for t in trace.tiles.values()], [1024, 2048, 3072, 1024])

    def test_partition_and_bytes_of_an_address(self):
        tile = list(self.record(allocation.by_address, "fp32[64,256]", check=True).tiles.values())[0]
        self.assertEqual((tile["partition"], tile["address"], tile["name"]), (64, 4096, "fixed"))


if __name__ == "__main__":
    unittest.main()
