# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""100,000 instructions take less than ten seconds of processor time."""
import time
import unittest

from recorded import RecorderTest  # first: it makes the kernels importable
import large


class Speed(RecorderTest):
    def test_a_hundred_thousand_instructions_in_ten_seconds(self):
        start = time.process_time()
        made = self.record(large.tiled_product, "bf16[4096,4096]", "bf16[4096,8192]").recording
        seconds = time.process_time() - start
        self.assertEqual(made.instructions, 32 * 16 * (32 * 3 + 2))
        self.assertLess(seconds * 100000 / made.instructions, 10)


if __name__ == "__main__":
    unittest.main()
