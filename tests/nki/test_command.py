# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""The command line, the environment variable, and use from a script."""
import os
import subprocess
import sys
import unittest

from recorded import HERE, RecorderTest, Trace, spec  # first: it makes the kernels importable
import worked_first
from trnsim_nki import arguments
import trnsim_nki

PACKAGE = os.path.join(HERE, "..", "..", "python")
KERNEL = os.path.join(HERE, "kernels", "worked_first.py")


def run(*args, **environment):
    return subprocess.run([sys.executable, "-m", "trnsim_nki", "record", *args], capture_output=True, text=True, check=False,
                          cwd=HERE, env=dict(os.environ, PYTHONPATH=PACKAGE, **environment))


class Command(RecorderTest):
    def test_records_a_function_of_a_file(self):
        done = run(KERNEL + "::double_exp_of_product", "--arg", "x=bf16[256,128]", "--arg", "w=bf16[256,512]", "-o", self.path())
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.path()}: 9 instructions\n"), done.stderr)
        self.assertEqual(len(Trace(self.path()).ops), 9)

    def test_types_are_named_as_in_python(self):
        self.assertEqual(arguments.value("bool[4, 128]").dtype.name, "bool")

    def test_standard_output_holds_nothing_but_the_trace(self):
        done = run(KERNEL + "::double_exp_of_product", "--arg", "bf16[256,128]", "--arg", "bf16[256,512]")
        self.assertTrue(done.stdout.startswith('{"trnsim_trace"') and done.stdout.endswith("}\n"))

    def test_lines_of_the_kernel_are_written_on_demand(self):
        run(KERNEL + "::double_exp_of_product", "--arg", "bf16[256,128]", "--arg", "bf16[256,512]", "--lines", "-o", self.path())
        trace = Trace(self.path())
        file, line = trace.instructions[-1]["at"]
        self.assertEqual(os.path.basename(trace.header["files"][file]), "worked_first.py")
        with open(KERNEL, encoding="utf-8") as source:
            self.assertIn("nl.store(out", source.read().splitlines()[line - 1])

    def test_the_same_call_gives_the_same_bytes(self):
        texts = []
        for _ in range(2):
            run(KERNEL + "::double_exp_of_product", "--arg", "bf16[256,128]", "--arg", "bf16[256,512]", "-o", self.path())
            with open(self.path(), "rb") as file:
                texts.append(file.read())
        self.assertEqual(*texts)

    def test_a_missing_function_is_named_with_those_there(self):
        done = run(KERNEL + "::nothing")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no function 'nothing'; it has: double_exp_of_product", done.stderr)

    def test_an_error_of_the_kernel_names_its_line(self):
        done = run(KERNEL + "::double_exp_of_product", "--arg", "bf16[256,128]", "--arg", "7", "-o", self.path())
        self.assertEqual(done.returncode, 2)
        self.assertIn("worked_first.py:", done.stderr)
        self.assertFalse(os.path.exists(self.path()))

    def test_a_file_that_cannot_be_written_is_exit_4(self):
        done = run(KERNEL + "::double_exp_of_product", "--arg", "bf16[256,128]", "--arg", "bf16[256,512]", "-o", "/nowhere/k.jsonl")
        self.assertEqual(done.returncode, 4, done.stderr)

    def test_a_wrong_policy_is_refused_with_what_is_allowed(self):
        self.assertIn("allowed: matmul, shuffle", run(KERNEL + "::double_exp_of_product", "--policy", "partition_broadcast=x").stderr)

    def test_the_census_lists_names_and_what_is_missing(self):
        done = run("--census", KERNEL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("neuronxcc.nki.language.matmul", done.stdout)
        missing = run("--census", os.path.join(HERE, "kernels", "wrong.py"))
        self.assertEqual(missing.returncode, 1)
        self.assertIn("MISSING  nki.isa.nc_frobnicate", missing.stdout)


class Script(RecorderTest):
    def test_record_takes_kernel_and_arguments(self):
        made = trnsim_nki.record(worked_first.double_exp_of_product, spec("bf16[256,128]"), spec("bf16[256,512]"), to=self.path())
        self.assertEqual((made.instructions, made.outputs.shape), (9, (128, 512)))

    def test_record_without_arguments_takes_them_later(self):
        made = trnsim_nki.record(worked_first.double_exp_of_product, to=self.path())(spec("bf16[256,128]"), spec("bf16[256,512]"))
        self.assertEqual(made.instructions, 9)

    def test_a_recording_is_called_for_its_results_or_for_another_recording(self):
        made = trnsim_nki.record(worked_first.double_exp_of_product, spec("bf16[256,128]"), spec("bf16[256,512]"), to=self.path())
        self.assertEqual((made().shape, made(...).shape), ((128, 512), (128, 512)))
        again = made(spec("fp32[256,128]"), spec("fp32[256,512]"))
        self.assertEqual(again.path, self.path("k.2.jsonl"))
        self.assertEqual(Trace(again.path).header["params"]["arg_x"], "fp32[256,128]")

    def test_the_header_names_kernel_and_arguments(self):
        trnsim_nki.record(worked_first.double_exp_of_product, spec("bf16[256,128]"), w=spec("bf16[256,512]"), to=self.path())
        params = Trace(self.path()).header["params"]
        self.assertEqual(params["kernel"], "worked_first.py::double_exp_of_product")
        self.assertEqual((params["arg_x"], params["arg_w"]), ("bf16[256,128]", "bf16[256,512]"))

    def test_a_decorated_kernel_records_under_the_environment_variable(self):
        os.environ["TRNSIM_NKI_RECORD"] = self.path()
        try:
            result = worked_first.double_exp_of_product(spec("bf16[256,128]"), spec("bf16[256,512]"))
        finally:
            del os.environ["TRNSIM_NKI_RECORD"]
        self.assertEqual((len(Trace(self.path()).ops), result.shape), (9, (128, 512)))

    def test_a_kernel_called_without_either_says_how(self):
        with self.assertRaises(trnsim_nki.RecordError) as caught:
            worked_first.double_exp_of_product(spec("bf16[256,128]"), spec("bf16[256,512]"))
        self.assertIn("TRNSIM_NKI_RECORD", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
