# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""A recorded kernel takes as long as the built-in kernel of the same schedule."""
import concurrent.futures
import json
import os
import re
import subprocess
import unittest

from recorded import HERE, TRNSIM, Policy, RecorderTest, recording, spec
from trnsim_nki import arguments

KERNELS = os.path.join(HERE, "..", "..", "configs", "validation", "kernels")
MOST = 0.02
ALL = ("trn1", "trn2", "trn3")


def shown(kernel, chip, params):
    return subprocess.run([TRNSIM, "kernels", "show", kernel, "--chip", chip, "--param", params], capture_output=True, text=True,
                          check=True).stdout


def blocks(chip, params):
    """Block sizes that the built-in schedule of a product chooses."""
    text = shown("matmul", chip, params)
    n, k, m = (int(re.search(p, text).group(1)) for p in (r"n block \(\d+ x (\d+)", r"k block \(\d+ x (\d+)", r"m block \(\d+ x (\d+)"))
    top = re.search(r"super-block \(\d+ x (\d+)", text)
    return {"tiles_n": n // 512, "tiles_k": k, "tiles_m": m // 128, "super_m": int(top.group(1)) // 128 if top else None}


@unittest.skipUnless(TRNSIM, "no built program")
class SameSchedule(RecorderTest):
    def time_of(self, *arguments_of_run):
        done = subprocess.run([TRNSIM, "run", "--quiet", "--json", "-", *arguments_of_run], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["time_ns"]

    def difference(self, chip, kernel, args, lag, built_in, params, **named):
        function, _ = arguments.kernel(os.path.join(KERNELS, kernel))
        path = self.path(f"{function.__name__}.{chip}.jsonl")
        recording.into(path, function, [spec(a) for a in args], named, chip, None, Policy(store_lag=lag, store_engine="sync", dma_queues="1", order="written"))
        with concurrent.futures.ThreadPoolExecutor() as two:
            ours = two.submit(self.time_of, "--chip", chip, "--trace", path)
            theirs = self.time_of("--chip", chip, "--kernel", built_in, "--param", params)
            return ours.result() / theirs - 1

    def same(self, kernel, args, lag, built_in, params, chips=ALL, named=lambda chip: {}, most=MOST):
        for chip in chips:
            with self.subTest(kernel=kernel, chip=chip):
                self.assertLess(abs(self.difference(chip, kernel, args, lag, built_in, params, **named(chip))), most)

    def test_a_product_that_loads_both_tiles_for_every_multiply(self):
        self.same("matmul.py::tiled", ["bf16[1024,512]", "bf16[1024,1024]"], 24, "matmul", "m=512,n=1024,k=1024,schedule=naive")

    def test_a_product_that_loads_the_left_side_once_per_row_of_tiles(self):
        self.same("matmul.py::hoisted", ["bf16[1024,512]", "bf16[1024,1024]"], 48, "matmul", "m=512,n=1024,k=1024,schedule=hoisted")

    def test_a_product_in_blocks_of_two_by_two(self):
        self.same("matmul.py::blocked", ["bf16[1024,512]", "bf16[1024,1024]"], 40, "matmul", "m=512,n=1024,k=1024,schedule=blocked")

    def test_a_product_in_blocks_of_all_three_dimensions(self):
        params = "m=1024,n=2048,k=4096"
        self.same("matmul.py::blocked_all", ["bf16[4096,1024]", "bf16[4096,2048]"], 16, "matmul", params,
                  named=lambda chip: blocks(chip, params))

    def test_an_fp32_product(self):
        params = "m=512,n=1024,k=1024,dtype=fp32"
        args = ["fp32[1024,512]", "fp32[1024,1024]"]
        self.same("matmul.py::blocked_all", args, 16, "matmul", params, ("trn2",), lambda chip: blocks(chip, params))
        # Blocks of one k tile, whose sums in SBUF the two order differently.
        self.same("matmul.py::blocked_all", args, 16, "matmul", params, ("trn1",), lambda chip: blocks(chip, params), 0.04)

    def test_copies_into_sbuf(self):
        self.same("rows.py::copy", ["u8[16777216]"], 0, "copy", "bytes=16777216,dma_queues=1")

    def test_an_addition(self):
        self.same("rows.py::vector_add", ["fp32[512,8192]", "fp32[512,8192]"], 6, "vector_add", "rows=512,cols=8192,dma_queues=1")

    def test_a_softmax(self):
        self.same("rows.py::softmax", ["bf16[1000,4096]"], 2, "softmax", "rows=1000,cols=4096,dma_queues=1")

    def test_an_rms_norm(self):
        self.same("rows.py::rmsnorm", ["bf16[1000,4096]", "bf16[4096]"], 2, "rmsnorm", "rows=1000,cols=4096,dma_queues=1")

    def test_flash_attention(self):
        params = "seq_q=2048,seq_k=4096"

        def eviction(chip):
            """Pieces that the Vector engine evicts, and what the Scalar engine does with the others."""
            found = re.search(r"tensor_copy of (\d+) of \d+ pieces, scalar: (\w+)", shown("attention", chip, params))
            return {"by_vector": int(found.group(1)), "scalar_copies": found.group(2) == "tensor_copy"}

        self.same("attention.py::flash", ["bf16[128,2048]", "bf16[128,4096]", "bf16[4096,128]"], 8, "attention", params, named=eviction)

    def test_a_product_of_mx_types(self):
        packed = ["float8_e4m3fn_x4[256,1024]", "u8[32,1024]", "float8_e4m3fn_x4[256,2048]", "u8[32,2048]"]
        self.same("matmul.py::scaled_blocks", packed, 16, "matmul", "m=1024,n=2048,k=1024,dtype=mxfp8", ("trn3",))

    def test_a_store_that_waits_holds_up_the_loads_behind_it(self):
        args = ("trn2", "matmul.py::tiled", ["bf16[1024,512]", "bf16[1024,1024]"])
        builtin = ("matmul", "m=512,n=1024,k=1024,schedule=naive")
        self.assertGreater(self.difference(*args, 0, *builtin), 5 * MOST)


if __name__ == "__main__":
    unittest.main()
