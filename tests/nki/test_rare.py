# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Calls that few kernels make; and that every name real kernels use has a kernel here."""
import glob
import os
import re
import unittest

import numpy

from recorded import HERE, RecorderTest, trnsim_nki  # first: it makes the kernels importable
import neuronxcc.nki as nki
import rare_first as first
import rare_second as second

# Names that public kernels use of the two generations, by where they stand.
CENSUS = {
    "nki.isa, data": """dma_copy dma_transpose dma_compute tensor_copy tensor_copy_predicated tensor_copy_dynamic_src
        tensor_copy_dynamic_dst memset nc_stream_shuffle local_gather nc_n_gather sendrecv core_barrier _tiled_offloaded_memcpy
        _tiled_offloaded_fma""",
    "nki.isa, engines": """nc_matmul nc_matmul_mx nc_transpose activation activation_reduce activate2 tensor_tensor tensor_scalar
        scalar_tensor_tensor tensor_reduce tensor_scalar_reduce tensor_scalar_cumulative tensor_tensor_scan select_reduce range_select
        reciprocal bn_stats bn_aggr max8 nc_find_index8 nc_match_replace8 dropout quantize_mx exponential iota affine_select
        tensor_partition_reduce sequence_bounds nonzero_with_count topk rng rand2 rand_set_state rand_get_state builtin_custom_op""",
    "nki.isa, values": """register_alloc register_load register_move register_store vector_engine scalar_engine tensor_engine
        gpsimd_engine get_nc_version nc_version oob_mode dge_mode reduce_cmd matmul_perf_mode dma_engine depends_on""",
    "nki.language, memory": """ndarray zeros ones full zeros_like empty_like load store load_transpose2d atomic_rmw gather_flattened
        shared_constant shared_identity_matrix sbuf psum hbm shared_hbm private_hbm is_sbuf is_psum is_hbm is_on_chip""",
    "nki.language, indices": "arange mgrid par_dim ds expand_dims broadcast_to static_cast device_print",
    "nki.language, functions": """add subtract multiply divide maximum minimum exp log sqrt rsqrt square sigmoid gelu gelu_apprx_tanh
        gelu_apprx_sigmoid gelu_apprx_sigmoid_dx silu silu_dx sin abs floor negative reciprocal mod equal greater greater_equal less
        less_equal logical_and copy where sum max min mean rms_norm softmax matmul transpose loop_reduce all_reduce rand random_seed
        dropout""",
    "nki.language, loops and grids": """affine_range sequential_range static_range dynamic_range fori_loop no_reorder program_id
        num_programs program_ndim NKIObject""",
    "types and sizes": """float32 bfloat16 float16 tfloat32 int8 uint8 int16 uint16 int32 uint32 float8_e4m3 float8_e4m3fn float8_e5m2
        float8_e5m2_x4 float8_e4m3fn_x4 float4_e2m1fn_x4 bool_ pmax psum_fmax gemm_moving_fmax gemm_stationary_fmax bn_stats_fmax
        total_available_sbuf_size fp32 bfp16 finfo sizeinbytes""",
    "decorators, compiler, types of arguments": """jit benchmark baremetal profile trace simulate_kernel tensor mutable_tensor mod_alloc
        alloc auto_alloc skip_middle_end_transformations enable_stack_allocator force_auto_alloc allocation_scope multi_buffer
        TileIndex cc_div""",
    "collectives": """ReplicaGroup all_reduce all_gather all_gather_v reduce_scatter all_to_all all_to_all_v collective_permute
        collective_permute_implicit collective_permute_implicit_reduce collective_permute_implicit_current_processing_rank_id rank_id""",
    "views": """reshape ap view bitcast astype permute slice select rearrange expand_dim squeeze_dim reshape_dim flatten_dims
        get_pattern is_contiguous broadcast_to""",
}
KEYWORDS = """mask dtype name address engine oob_mode dge_mode tile_position tile_size perf_mode accumulate is_transpose
    is_stationary_onezero is_moving_onezero dst_rmw_op negate keepdims reverse0 reverse1 reduce_cmd reduce_res lazy_initialization
    directives scalar_offset vector_offset dma_engine pipe_id replica_group""".split()


class Census(unittest.TestCase):
    def test_every_name_stands_in_a_kernel_of_ours(self):
        folders = os.path.join(HERE, "kernels"), os.path.join(HERE, "..", "..", "configs", "validation", "kernels")
        text = HERE_TEXT
        for folder in folders:
            for path in glob.glob(os.path.join(folder, "*.py")):
                with open(path, encoding="utf-8") as file:
                    text += file.read()
        names = [n for group in CENSUS.values() for n in group.split()]
        self.assertEqual([n for n in names if not re.search(rf"\b{n}\b", text)], [])
        self.assertEqual([n for n in KEYWORDS if not re.search(rf"\b{n}\s*=", text)], [])


# Used by tests rather than by a kernel.
HERE_TEXT = "simulate_kernel"
for _name in ("test_command.py", "test_schedules.py"):
    with open(os.path.join(HERE, _name), encoding="utf-8") as _file:
        HERE_TEXT += _file.read()


class Second(RecorderTest):
    def ops(self, kernel, *args, **options):
        return self.record(kernel, *args, **options).ops

    def test_micro_scaled_types(self):
        trace = self.record(second.micro_scaled, "bf16[128,512]", target="trn3")
        self.assertEqual(trace.ops[1:-1], ["quantize_mx", "quantize_mx", "nc_matmul_mx", "activate2", "exponential"])
        self.assertIn("dst_scale", trace.instructions[1])

    def test_sums_by_dma_read_what_they_add_to(self):
        sums = self.record(second.sums_by_dma, "fp32[128,64]", "fp32[128,64]").of("dma_compute")
        self.assertEqual([s["op0"] for s in sums], ["add", "add"])
        self.assertEqual(sums[1]["src"], sums[1]["dst"])

    def test_gathers_and_custom_code(self):
        self.assertEqual(self.ops(second.gathers, "fp32[128,64]", "int32[128,1]")[2:-1],
                         ["local_gather", "nonzero_with_count", "sequence_bounds", "topk", "builtin_custom_op"])

    def test_random_numbers_keep_their_state_in_order(self):
        self.assertEqual(self.ops(second.random_numbers), ["rand_get_state", "rand_set_state", "rng", "rand2", "dma_copy"])

    def test_registers_become_addresses(self):
        trace = self.record(second.registers, "fp32[4,128,64]", "int32[1,1]")
        self.assertEqual(trace.ops[1:4], ["register_load", "register_move", "register_store"])
        self.assertEqual([i.get("dynamic_address", False) for i in trace.of("dma_copy")], [False, True, False])

    def test_a_kernel_sees_its_target_and_sizes(self):
        self.assertEqual(len(self.ops(second.versions, "fp32[128,64]", check=True)), 2)

    def test_views_of_views(self):
        trace = self.record(second.more_views, "fp32[128,64]", check=True)
        self.assertEqual(trace.of("tensor_copy")[0]["data"]["off"], 64)
        self.assertEqual(trace.of("tensor_copy")[1]["dst"]["dt"], "int32")

    def test_hints_on_products(self):
        trace = self.record(second.hints, "fp32[128,512]", "fp32[128,128]", check=True)
        self.assertEqual([i.get("onezero", False) for i in trace.of("nc_matmul")], [True, True])

    def test_loops_of_the_hardware_run_once(self):
        trace = self.record(second.loops_of_the_hardware, "fp32[128,64]", "int32[1,1]")
        self.assertEqual(trace.ops.count("tensor_copy"), 1)
        self.assertTrue(trace.recording.approximated)

    def test_a_loop_while_a_register_holds_runs_as_often_as_asked(self):
        ops = self.ops(second.while_a_register_says_so, "fp32[128,64]", "int32[1,1]", trip_count=3)
        self.assertEqual(ops.count("tensor_copy"), 2 * 3)

    def test_collectives_read_all_their_tensors(self):
        trace = self.record(second.all_collectives, "fp32[128,64]")
        self.assertEqual(len(set(trace.ops)), 10)
        self.assertEqual(trace.of("all_to_all_v")[0]["src2"]["t"], trace.of("all_gather_v")[0]["src2"]["t"])
        self.assertEqual(trace.of("collective_permute")[0]["pairs"], [[0, 1], [1, 0]])
        self.assertIn("src2", trace.of("collective_permute_implicit_reduce")[0])

    def test_messages_of_gpsimd(self):
        self.assertEqual(self.record(second.pair_of_cores, "fp32[128,64]", grid=2).of("sendrecv")[0]["engine"], "gpsimd")

    def test_a_barrier_names_only_what_both_cores_see(self):
        barrier = self.record(second.pair_of_cores, "fp32[128,64]", grid=2).of("core_barrier")[0]
        self.assertNotIn("data", barrier)

    def test_an_order_given_by_hand(self):
        trace = self.record(second.ordered_by_hand, "fp32[128,64]", check=True)
        ids = [i.get("id") for i in trace.instructions]
        self.assertEqual([i.get("after") for i in trace.instructions], [None, None, [ids[0]], [ids[1], ids[2]]])


class First(RecorderTest):
    def ops(self, kernel, *args, **options):
        return self.record(kernel, *args, **options).ops

    def test_every_function_is_an_instruction_of_its_engine(self):
        trace = self.record(first.more_functions, "fp32[128,64]")
        self.assertEqual(sorted(set(trace.ops)), ["activation", "dma_copy", "tensor_copy", "tensor_scalar", "tensor_tensor"])
        self.assertEqual(len(trace.of("activation")), 11)

    def test_helpers_cost_nothing_but_their_copies(self):
        self.assertEqual(self.ops(first.helpers, "fp32[128,64]").count("dma_copy"), 3)

    def test_a_constant_comes_from_a_file(self):
        path = self.path("constant.npy")
        numpy.save(path, numpy.ones((32, 16), dtype=numpy.float32))
        trace = self.record(first.constant_of_a_file, path, check=True)
        self.assertEqual(trace.header["tensors"][0]["shape"], [32, 16])
        self.assertIn("allowed: an array or a file", self.refuses(first.constant_of_a_file, self.path("no.npy")))

    def test_types_have_their_sizes(self):
        trace = self.record(first.types, check=True)
        self.assertEqual({t["bytes"] for t in trace.tiles.values()}, {1, 2, 4})

    def test_scatter_and_sum_by_row_number(self):
        trace = self.record(first.scattered, "fp32[128,64]", "int32[128,1]")
        self.assertEqual(trace.ops, ["dma_copy", "dma_copy", "dma_copy", "dma_compute"])
        self.assertTrue(all(i["dynamic_address"] for i in trace.instructions[2:]))

    def test_columns_known_at_run_time(self):
        copies = self.record(first.dynamic_columns, "fp32[128,64]", "int32[1,1]").of("tensor_copy")
        self.assertTrue(all(c["dynamic_address"] for c in copies))

    def test_copies_outside_the_engines(self):
        self.assertEqual(self.ops(first.offloaded, "fp32[128,64]", "fp32[128,64]"), ["dma_copy", "dma_compute"])

    def test_places_left_to_the_compiler(self):
        trace = self.record(first.allocated_by_the_compiler, "fp32[4,128,64]", check=True)
        self.assertFalse([t for t in trace.tiles.values() if "address" in t])
        self.assertFalse([t for t in self.record(first.manual_places_ignored, "fp32[128,64]").tiles.values() if "address" in t])

    def test_a_reduction_over_a_loop_starts_with_a_copy(self):
        self.assertEqual(self.ops(first.lazily_filled, "fp32[4,128,64]", check=True).count("tensor_tensor"), 3)

    def test_programs_of_a_grid(self):
        self.assertEqual(len(self.ops(first.by_programs, "fp32[4,128,64]", grid=4)), 8)
        self.assertEqual(len(self.ops(first.timed, "fp32[4,128,64]", grid=4)), 8)

    def test_private_names_of_messages(self):
        import neuronxcc.nki.language as nl
        for grid in ((nl.nc(2),), (nl.spmd_dim(nl.nc(2), 1),)):
            self.assertEqual(self.ops(first.over_two_cores, "fp32[4,128,64]", grid=grid),
                             ["dma_copy", "sendrecv", "core_barrier", "dma_copy"])

    def test_results_given_as_arguments(self):
        trace = self.record(first.outputs_as_arguments, "fp32[128,64]", "fp32[128,64]", check=True)
        self.assertEqual([t["use"] for t in trace.header["tensors"]], ["input", "output"])

    def test_annotated_arguments_and_index_objects(self):
        self.assertEqual(self.ops(first.old_indices, "fp32[128,64]", check=True)[2], "tensor_tensor")

    def test_a_simulated_kernel_needs_a_recording_too(self):
        with self.assertRaisesRegex(trnsim_nki.RecordError, "called outside of a recording"):
            nki.simulate_kernel(first.types)

    def test_other_decorators(self):
        for kernel, args in ((first.on_device, ("fp32[128,64]",)), (first.profiled, ("fp32[128,64]",)), (first.traced, ())):
            self.assertGreater(len(self.ops(kernel, *args)), 2)


if __name__ == "__main__":
    unittest.main()
