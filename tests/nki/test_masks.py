# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""What masks leave of an instruction."""
import unittest

from recorded import RecorderTest  # first: it makes the kernels importable
import masks


class Masks(RecorderTest):
    def test_bounds_clip_rows_of_load_operation_and_store(self):
        trace = self.record(masks.rows_in_bounds, "fp32[200,64]", check=True)
        self.assertEqual(trace.ops, ["dma_copy", "tensor_tensor", "dma_copy"] * 2)
        load, add, store = trace.instructions[3:]
        self.assertEqual(load["src"]["p"], [0, 72])
        self.assertEqual(add["dst"]["p"], [0, 72])
        self.assertEqual(add["data2"]["p"], [0, 72])
        self.assertEqual(store["dst"]["p"], [0, 72])

    def test_a_suffix_moves_the_offset(self):
        exp = self.record(masks.columns_from, "fp32[128,512]", check=True).of("activation")[0]
        for role in ("dst", "data"):
            self.assertEqual((exp[role]["off"], exp[role].get("ap", [[1, 412]])), (400, [[1, 412]]))

    def test_the_rest_of_a_masked_write_keeps_its_value(self):
        trace = self.record(masks.columns_from, "fp32[128,512]")
        memset, exp = trace.of("memset")[0], trace.of("activation")[0]
        self.assertEqual(memset["dst"], exp["dst"]["t"])

    def test_equality_leaves_one_column(self):
        store = self.record(masks.one_column, "fp32[128,512]", check=True).instructions[-1]
        self.assertEqual((store["dst"]["off"], store["dst"]["ap"]), (28, [[1, 1]]))

    def test_a_triangle_keeps_its_bounding_box(self):
        store = self.record(masks.triangle, "fp32[128,128]", check=True).instructions[-1]
        self.assertEqual((store["dst"]["p"], store["dst"]["ap"]), ([0, 32], [[1, 32]]))

    def test_a_condition_that_never_holds_drops_the_instruction(self):
        self.assertEqual(len(self.record(masks.only_even_blocks, "fp32[512,64]").ops), 6)

    def test_a_mask_of_a_product_is_found_by_its_ranges(self):
        product = self.record(masks.product_in_bounds, "fp32[128,128]", "fp32[128,512]", check=True).of("nc_matmul")[0]
        self.assertEqual((product["stationary"]["p"], product["stationary"]["ap"]), ([0, 60], [[1, 100]]))
        self.assertEqual((product["moving"]["p"], product["moving"]["ap"]), ([0, 60], [[1, 300]]))
        self.assertEqual((product["dst"]["p"], product["dst"]["ap"]), ([0, 100], [[1, 300]]))

    def test_masks_of_operands_clip_them(self):
        product = self.record(masks.masked_operands, "bf16[128,128]", "bf16[128,512]", check=True).of("nc_matmul")[0]
        self.assertEqual(product["stationary"]["ap"], [[1, 96]])
        self.assertEqual(product["moving"]["ap"], [[1, 200]])

    def test_a_predicate_is_no_mask(self):
        select = self.record(masks.selected, "fp32[128,128]", check=True).of("affine_select")[0]
        self.assertIsInstance(select["data"], str)


if __name__ == "__main__":
    unittest.main()
