# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""One computation in both styles: nine instructions, the same ones."""
import unittest

from recorded import RecorderTest  # first: it makes the kernels importable
import worked_first
import worked_second

NINE = ["dma_copy", "dma_copy", "nc_matmul", "dma_copy", "dma_copy", "nc_matmul", "activation", "tensor_scalar", "dma_copy"]


class WorkedExample(RecorderTest):
    def setUp(self):
        super().setUp()
        self.first = self.record(worked_first.double_exp_of_product, "bf16[256,128]", "bf16[256,512]", check=True)
        self.second = self.record(worked_second.double_exp_of_product, "bf16[256,128]", "bf16[256,512]", check=True)

    def test_both_styles_give_the_same_nine_instructions(self):
        self.assertEqual(self.first.ops, NINE)
        self.assertEqual(self.second.ops, NINE)

    def test_only_the_second_product_accumulates(self):
        for trace in (self.first, self.second):
            self.assertEqual([i.get("accumulate", False) for i in trace.of("nc_matmul")], [False, True])

    def test_operands_are_the_same_up_to_names_of_tiles(self):
        def shape(trace):
            out = []
            for i in trace.instructions:
                line = {}
                for key, value in i.items():
                    if isinstance(value, str) and value in trace.tiles:
                        value = {k: v for k, v in trace.tiles[value].items() if k != "tile"}
                    line[key] = value
                out.append(line)
            return out
        self.assertEqual(shape(self.first), shape(self.second))

    def test_the_assigned_tile_decides_the_type_of_exp(self):
        exp = self.first.of("activation")[0]
        self.assertNotIn("dtype", self.first.tiles[exp["dst"]])  # bf16, the default of a trace
        self.assertEqual(exp["function"], "exp")

    def test_each_load_has_a_tile_of_its_own(self):
        self.assertEqual(len({i["dst"] for i in self.first.of("dma_copy")[:4]}), 4)

    def test_header_names_arguments_and_results_with_their_use(self):
        use = {t["name"]: (t["shape"], t["use"]) for t in self.first.header["tensors"]}
        self.assertEqual(use["x"], ([256, 128], "input"))
        self.assertEqual(use["t"], ([128, 512], "output"))
        self.assertEqual(self.first.header["instructions"], 9)


if __name__ == "__main__":
    unittest.main()
