# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Kernels after published descriptions: each records on its chips, and what it does is what its measurement describes."""
import os
import unittest

from recorded import HERE, RecorderTest
from trnsim_nki import arguments

KERNELS = os.path.join(HERE, "..", "..", "configs", "validation", "kernels")


class Measured(RecorderTest):
    def made(self, kernel, *args, target="trn2", check=True, **named):
        function, _ = arguments.kernel(os.path.join(KERNELS, kernel))
        return self.record(function.function if named == {} else lambda *a: function.function(*a, **named), *args, target=target,
                           check=check)

    def counts(self, kernel, *args, **options):
        ops = self.made(kernel, *args, **options).ops
        return {op: ops.count(op) for op in sorted(set(ops))}

    def test_a_ladder_of_products(self):
        sides = ("bf16[512,256]", "bf16[512,1024]")
        loads = [self.counts(f"matmul.py::{k}", *sides)["dma_copy"] - stores
                 for k, stores in (("tiled", 4), ("hoisted", 4), ("blocked", 4))]
        self.assertEqual(loads, [2 * 4 * 4, 2 * 4 + 4 * 4, 2 * 4 + 2 * 4])

    def test_a_block_of_tiles_shares_a_pass(self):
        sides = ("bf16[256,512]", "bf16[256,1024]")
        self.assertEqual(self.counts("matmul.py::tile_block", *sides, tiles_m=4, tiles_n=2)["dma_copy"], 2 * (4 + 2) + 8)
        self.assertEqual(self.counts("matmul.py::tile_block", *sides, tiles_m=4, tiles_n=2, wide_m=2)["dma_copy"], 2 * (2 + 2) + 8)
        self.assertEqual(self.counts("matmul.py::tile_block", *sides, tiles_m=4, tiles_n=2, wide_m=4, wide_n=2)["nc_matmul"], 16)

    def test_whole_rows_are_loaded_once_per_piece(self):
        self.assertEqual(self.counts("matmul.py::full_rows", "bf16[256,1024]", "bf16[256,1024]"),
                         {"dma_copy": 4 + 16, "nc_matmul": 32, "tensor_copy": 16})

    def test_sums_over_blocks_of_k_stay_in_sbuf(self):
        self.assertEqual(self.counts("matmul.py::accumulated", "bf16[2048,512]", "bf16[2048,512]"),
                         {"dma_copy": 16 + 16 + 4, "memset": 8, "nc_matmul": 64, "tensor_copy": 8, "tensor_tensor": 4})

    def test_resident_operands(self):
        self.assertEqual(self.counts("matmul.py::resident", "bf16[512,256]", "bf16[512,2048]")["dma_copy"], 4 + 4 + 2)

    def test_one_product_again_and_again(self):
        self.assertEqual(self.counts("matmul.py::peak", "bf16[128,128]", "bf16[128,512]", times=64)["nc_matmul"], 64)

    def test_rows_of_the_left_side_are_transposed(self):
        self.assertEqual(self.counts("matmul.py::transposing", "fp32[256,1024]", "fp32[1024,1024]", target="trn1"),
                         {"dma_copy": 8 + 2 + 2, "nc_matmul": 32, "nc_transpose": 16, "tensor_copy": 16 + 4})

    def test_attention_on_one_tile(self):
        plain = self.counts("attention.py::single_tile", *["fp32[128,64]"] * 3)
        fused = self.counts("attention.py::single_tile", *["fp32[128,64]"] * 3, fused=True)
        self.assertEqual((plain["tensor_reduce"], plain["activation"]), (2, 1))
        self.assertEqual((fused["tensor_reduce"], fused["activation"], fused["nc_matmul"]), (1, 2, 5))

    def test_layer_norms(self):
        sizes = ("fp32[256,1024]", "fp32[1024]", "fp32[1024]")
        self.assertEqual(self.counts("rows.py::layernorm", *sizes, target="trn1"),
                         {"activation": 2, "dma_copy": 6, "tensor_reduce": 4, "tensor_scalar": 8, "tensor_tensor": 6})
        self.assertEqual(self.counts("rows.py::layernorm_statistics", *sizes, target="trn1")["bn_stats"], 4)

    def test_rms_norm_to_fp8(self):
        trace = self.made("rows.py::rmsnorm_quantised", "bf16[256,2048]", "bf16[2048]")
        self.assertEqual([t["dtype"] for t in trace.header["tensors"] if t["use"] == "output"], ["fp8_e4m3", "fp32"])
        self.assertEqual(len(trace.of("scalar_tensor_tensor")), 2 * 4)

    def test_elementwise_kernels(self):
        self.assertEqual(self.counts("rows.py::silu", "fp32[128,1024]", target="trn1")["tensor_tensor"], 2)
        self.assertEqual(self.counts("rows.py::adamw", *["fp32[200,2048]"] * 4, target="trn1")["dma_copy"], 4 * 5)
        self.assertEqual(self.counts("rows.py::vector_add_columns", "fp32[25600]", "fp32[25600]")["dma_copy"], 600)

    def test_selective_scans(self):
        sizes = ("fp32[256,1024]", "fp32[256,1024]", "fp32[256,4]", "fp32[4,1024]", "fp32[4,1024]")
        whole = self.counts("scan.py::selective_scan", *(s.replace("1024]", "512]") for s in sizes), target="trn1")
        pieces = self.counts("scan.py::selective_scan_in_pieces", *sizes, target="trn1", check=False)
        self.assertEqual((whole["tensor_tensor_scan"], pieces["tensor_tensor_scan"]), (8, 16))


if __name__ == "__main__":
    unittest.main()
