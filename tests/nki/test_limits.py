# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Limits of the hardware, with the line of the kernel that breaks them."""
import inspect
import unittest

from recorded import RecorderTest  # first: it makes the kernels importable
import wrong

SOURCE = inspect.getsource(wrong).splitlines()


def line_of(comment):
    return next(n for n, text in enumerate(SOURCE, 1) if f"# {comment}" in text)


class Limits(RecorderTest):
    def broken(self, kernel, comment, *words, **options):
        message = self.refuses(kernel, "bf16[128,64]", **options)
        self.assertIn(f"wrong.py:{line_of(comment)}: ", message)
        for word in words:
            self.assertIn(word, message)

    def test_partitions(self):
        self.assertIn("129 partitions; allowed: 1 to 128", self.refuses(wrong.too_many_partitions, "bf16[128,64]"))

    def test_columns_of_the_moving_operand(self):
        self.broken(wrong.too_many_columns, "columns", "moving has 513 columns; allowed: at most 512")

    def test_a_product_stays_in_its_bank(self):
        self.broken(wrong.leaves_its_bank, "bank", "leave their PSUM bank")

    def test_a_product_goes_to_psum(self):
        self.broken(wrong.product_in_sbuf, "buffer", "dst is in sbuf; allowed: psum")

    def test_start_partitions(self):
        self.broken(wrong.starts_at_five, "start", "starts at partition 5; allowed for 32 partitions: 0, 32, 64, 96")

    def test_gpsimd_does_not_reach_psum(self):
        self.broken(wrong.gpsimd_in_psum, "psum", "which GpSimd cannot reach")

    def test_a_copy_has_equal_sides(self):
        self.broken(wrong.unequal_copy, "elements", "allowed: as many as src")

    def test_instructions_of_later_generations(self):
        self.broken(wrong.only_on_trn3, "generation", "exponential needs NeuronCore-v4")
        self.assertEqual(self.record(wrong.only_on_trn3, "bf16[128,64]", target="trn3").ops, ["exponential"])

    def test_values_are_never_there(self):
        self.broken(wrong.needs_a_value, "value", "a recording has no values")

    def test_limits_can_be_notes(self):
        trace = self.record(wrong.starts_at_five, "bf16[128,64]", limits="note")
        self.assertIn("starts at partition 5", trace.header["params"]["approximations"])

    def test_an_unknown_call_stops_with_its_name_and_line(self):
        with self.assertRaises(AttributeError) as caught:
            self.record(wrong.no_such_instruction, "bf16[128,64]")
        self.assertIn(f"wrong.py:{line_of('unknown')}: nki.isa.nc_frobnicate is not supported", str(caught.exception))

    def test_unknown_keywords_are_noted(self):
        trace = self.record(wrong.unknown_keyword, "bf16[128,64]")
        self.assertEqual(trace.header["params"]["ignored_keywords"], "dma_copy(mode=): 1; tensor_copy(colour=): 1")


if __name__ == "__main__":
    unittest.main()
