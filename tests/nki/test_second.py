# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Instructions of the second generation."""
import unittest

from recorded import RecorderTest  # first: it makes the kernels importable
import classes
import second


class SecondGeneration(RecorderTest):
    def test_vector_instructions_in_order(self):
        trace = self.record(second.vector_instructions, "fp32[128,64]")
        self.assertEqual(trace.ops, [
            "dma_copy", "memset", "memset", "tensor_copy", "tensor_tensor", "tensor_scalar", "scalar_tensor_tensor", "tensor_reduce",
            "tensor_scalar_reduce", "tensor_tensor_scan", "reciprocal", "tensor_copy_predicated", "range_select", "select_reduce",
            "dropout", "tensor_scalar_cumulative", "dma_copy"])
        self.assertEqual(trace.instructions[2]["engine"], "gpsimd")
        scalar = trace.of("tensor_scalar")[0]
        self.assertEqual((scalar["op0"], scalar["op1"], "operand0" in scalar, "operand1" in scalar), ("multiply", "add", True, False))

    def test_statistics_and_largest_eight(self):
        trace = self.record(second.statistics, "fp32[128,64]")
        self.assertEqual(trace.ops[1:-1], ["bn_stats", "bn_aggr", "max8", "nc_find_index8", "nc_match_replace8"])

    def test_activations_read_their_sum_out(self):
        trace = self.record(second.scalar_instructions, "fp32[128,64]", check=True)
        plain, summed, reduced = trace.instructions[2:5]
        self.assertIn("bias", plain)
        self.assertNotIn("reduce", plain)
        self.assertTrue(summed["reduce"] and reduced["reduce"])
        self.assertIn("scale", reduced)

    def test_products_accumulate_unless_told_otherwise(self):
        trace = self.record(second.tensor_instructions, "bf16[128,512]", "bf16[128,128]", check=True)
        self.assertEqual([i.get("accumulate", False) for i in trace.of("nc_matmul")], [False, True, False, False])
        self.assertEqual(trace.of("nc_matmul")[3]["tile_size"], [64, 64])
        self.assertEqual(trace.of("nc_transpose")[1]["engine"], "vector")

    def test_a_16_bit_tile_in_psum_is_fp32_where_the_array_writes_nothing_else(self):
        def types(target):
            trace = self.record(second.narrow_in_psum, "bf16[128,512]", "bf16[128,128]", target=target, check=True)
            banks = [t for t in trace.tiles.values() if t["buffer"] == "psum"]
            return [(t.get("dtype", "bf16"), t["bytes"]) for t in banks], trace.of("tensor_copy")[0]["data"]["off"]
        self.assertEqual(types("trn1"), ([("fp32", 2048), ("fp32", 512)], 1024))
        self.assertEqual(types("trn2"), ([("fp32", 2048), ("bf16", 256)], 1024))
        self.assertEqual(types("trn3"), ([("bf16", 1024), ("bf16", 256)], 512))

    def test_double_row_keeps_its_halves(self):
        product = self.record(second.double_row, "fp8_e4m3[128,2,512]", "fp8_e4m3[128,2,128]", check=True).of("nc_matmul")[0]
        self.assertEqual(product["stationary"]["ap"], [[128, 2], [1, 128]])

    def test_gpsimd_instructions_name_no_engine(self):
        trace = self.record(second.gpsimd_instructions, "fp32[128,64]")
        self.assertEqual(trace.ops[1:-1], ["iota", "affine_select", "nc_n_gather", "tensor_partition_reduce", "nc_stream_shuffle"])
        self.assertTrue(all("engine" not in i for i in trace.instructions[:-1]))

    def test_views_are_patterns(self):
        trace = self.record(second.views, "bf16[8192]", check=True)
        copies = trace.of("tensor_copy")
        self.assertEqual(copies[0]["data"]["ap"], [[1, 32], [32, 4]])
        self.assertEqual(copies[1]["data"]["dt"], "fp32")
        self.assertEqual((copies[2]["data"]["off"], copies[2]["data"]["ap"]), (64, [[0, 4], [1, 32]]))

    def test_addresses_known_at_run_time(self):
        trace = self.record(second.known_at_run_time, "fp32[1024,64]", "int32[1,1]", "int32[128,1]", trip_count=3)
        scalar, vector = trace.of("dma_copy")[2:4]
        self.assertTrue(scalar["dynamic_address"] and vector["dynamic_address"])
        self.assertEqual((scalar["dge"], vector["dge"]), ("hardware", "software"))
        self.assertEqual(trace.ops.count("tensor_copy"), 3)

    def test_a_grid_of_cores_records_the_first_core(self):
        trace = self.record(second.two_cores, "fp32[128,64]", grid=2)
        self.assertEqual(trace.ops, ["dma_copy", "sendrecv", "core_barrier", "dma_copy"])
        self.assertEqual((trace.of("sendrecv")[0]["send_to"], trace.of("core_barrier")[0]["cores"]), (1, [0, 1]))
        self.assertEqual(self.record(second.two_cores, "fp32[128,64]").ops, ["dma_copy", "dma_copy"])

    def test_settings_may_leave_fields_out(self):
        self.assertEqual(len(self.record(classes.with_settings, "fp32[128,64]", classes.Settings()).ops), 2)
        self.assertEqual(len(self.record(classes.with_settings, "fp32[128,64]", classes.Settings(scale=2.0)).ops), 3)

    def test_a_collective_is_one_line(self):
        trace = self.record(classes.gathered, "fp32[128,64]")
        self.assertEqual((trace.ops, trace.instructions[0]["groups"]), (["all_gather"], [[0, 1, 2, 3]]))


if __name__ == "__main__":
    unittest.main()
