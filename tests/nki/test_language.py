# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Functions of nki.language and the instructions they become."""
import unittest

from recorded import RecorderTest  # first: it makes the kernels importable
import language


class Language(RecorderTest):
    def test_numbers_and_rows_are_tensor_scalar_tiles_tensor_tensor(self):
        trace = self.record(language.number_row_and_tile, "fp32[128,64]", check=True)
        self.assertEqual(trace.ops, ["dma_copy", "tensor_reduce", "tensor_scalar", "tensor_scalar", "tensor_scalar",
                                     "tensor_tensor", "dma_copy"])
        self.assertIn("operand0", trace.instructions[4])
        self.assertNotIn("operand0", trace.instructions[2])

    def test_static_descriptors_are_spread_over_rings_and_stores_leave_the_loads_queue(self):
        trace = self.record(language.number_row_and_tile, "fp32[128,64]", target="trn1", check=True)
        load, store = trace.of("dma_copy")
        self.assertEqual((load.get("engine"), store["engine"]), (None, "gpsimd"))
        loads = self.record(language.normalised, "fp32[128,512]", "fp32[512]", target="trn1").of("dma_copy")
        self.assertEqual([i["queue"] for i in loads[:2]], [0, 1])

    def test_hardware_descriptors_come_from_one_ring_unless_asked(self):
        self.assertNotIn("queue", self.record(language.normalised, "fp32[128,512]", "fp32[512]").of("dma_copy")[1])
        spread = self.record(language.normalised, "fp32[128,512]", "fp32[512]", dma_queues="2", store_engine="scalar")
        self.assertEqual([i["queue"] for i in spread.of("dma_copy")], [0, 1, 0])
        self.assertEqual(spread.of("dma_copy")[-1]["engine"], "scalar")

    def test_where_fills_and_copies(self):
        trace = self.record(language.comparisons, "fp32[128,64]")
        self.assertEqual(trace.ops[2:6], ["memset", "tensor_copy_predicated", "tensor_copy", "tensor_copy_predicated"])

    def test_softmax_is_four_instructions(self):
        trace = self.record(language.reductions, "fp32[128,600]", check=True)
        self.assertEqual(trace.ops[-5:-1], ["tensor_reduce", "activation", "reciprocal", "tensor_scalar"])
        self.assertTrue(trace.instructions[-4]["reduce"])

    def test_var_takes_pieces_of_512(self):
        trace = self.record(language.reductions, "fp32[128,600]")
        self.assertEqual(trace.ops.count("bn_stats"), 2)
        self.assertEqual(trace.ops.count("bn_aggr"), 1)

    def test_a_partition_is_spread_by_a_product_with_ones(self):
        trace = self.record(language.normalised, "fp32[128,512]", "fp32[512]", check=True)
        self.assertEqual(trace.ops[:5], ["dma_copy", "dma_copy", "memset", "nc_matmul", "tensor_copy"])
        self.assertEqual(trace.recording.approximated["partition_broadcast"], 1)

    def test_the_way_to_spread_a_partition_is_a_choice(self):
        trace = self.record(language.normalised, "fp32[128,512]", "fp32[512]", partition_broadcast="shuffle")
        self.assertEqual(trace.ops.count("nc_stream_shuffle"), 4)

    def test_a_product_transposes_its_left_side(self):
        trace = self.record(language.products, "bf16[128,128]", "bf16[128,512]", check=True)
        self.assertEqual(trace.ops[2:6], ["nc_transpose", "tensor_copy", "nc_matmul", "nc_matmul"])

    def test_a_product_added_to_sbuf_is_an_addition(self):
        trace = self.record(language.products, "bf16[128,128]", "bf16[128,512]")
        self.assertEqual(trace.ops[6:8], ["tensor_copy", "tensor_tensor"])

    def test_transposes_land_where_their_engine_can_write(self):
        trace = self.record(language.transposes, "bf16[128,128]", check=True)
        engines = [i.get("engine", "tensor") for i in trace.of("nc_transpose")]
        self.assertEqual(engines, ["tensor", "tensor", "vector"])
        self.assertEqual(trace.ops[1:5], ["nc_transpose", "tensor_copy", "nc_transpose", "tensor_copy"])

    def test_a_reduction_over_loops_starts_with_a_copy(self):
        trace = self.record(language.accumulated_over_loops, "fp32[4,128,64]", check=True)
        self.assertEqual([op for op in trace.ops if not op.startswith("dma")], ["tensor_copy"] + ["tensor_tensor"] * 3)

    def test_zero_in_psum_is_written_only_when_it_is_read(self):
        trace = self.record(language.lazily_zero, "fp32[128,64]", check=True)
        self.assertEqual(trace.ops, ["dma_copy", "memset", "activation", "memset", "tensor_copy", "tensor_tensor", "dma_copy"])

    def test_tiles_made_of_nothing(self):
        trace = self.record(language.made_of_nothing)
        self.assertEqual(trace.ops[:6], ["memset", "memset", "memset", "set_rng_seed", "rng", "dropout"])

    def test_each_function_is_one_instruction(self):
        trace = self.record(language.functions, "fp32[128,64]")
        self.assertEqual(trace.ops, ["dma_copy"] + ["activation"] * 13 + ["tensor_scalar"] * 3 + ["reciprocal", "tensor_copy", "dma_copy"])

    def test_numbers_and_indices_are_stored_through_tiles(self):
        self.assertEqual(self.record(language.stored_values, check=True).ops, ["memset", "dma_copy", "iota", "dma_copy"])


if __name__ == "__main__":
    unittest.main()
