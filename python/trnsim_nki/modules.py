# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Puts the module names that kernels import into `sys.modules`: `neuronxcc.nki.*` and `nki.*`."""

import sys
import types

from . import collectives, compiler, dtypes, index, launch, private, stubs, typing
from .errors import LimitError
from .isa import dma, enums, gpsimd, reduce, scalar, tensor_engine, vector
from .isa.call import NkiInstruction
from .language import elementwise, loops, tensors
from .lower import compound
from . import storage


class Namespace(types.ModuleType):
    """A module that says which of its names kernels may use."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        from .errors import UnsupportedError
        raise Missing(f"{self.__name__}.{name} is not supported by the recorder", UnsupportedError)


class Missing(AttributeError):
    """An unknown name of the API, with the place in the kernel."""

    def __init__(self, text, error):
        super().__init__(str(error(text)))


def _module(name, **members):
    module = Namespace(name)
    module.__dict__.update(members)
    module.__path__ = []
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], last, module)
    return module


def language():
    names = elementwise.operators_by_name()
    names.update({d: getattr(dtypes, "bool_" if d == "bool" else d) for d in dtypes.names()})
    names.update({n: getattr(storage, n) for n in storage.REGIONS})
    names.update(
        arange=index.arange, mgrid=index.mgrid, finfo=dtypes.finfo, fp32=dtypes.finfo("float32"), bfp16=dtypes.finfo("bfloat16"),
        bool_=dtypes.bool_, tile_size=tensors.TileSize(), select=compound.where, NKIObject=loops.NKIObject,
        nc=loops.Cores, spmd_dim=loops.spmd_dim, no_reorder=loops.NoReorder(), range=range, tensor=object, dynamic_range=loops.dynamic_range,
        dma_copy=dma.dma_copy, NkiTensor=tensors.NkiTensor)
    for kind in ("hbm", "sbuf", "psum", "on_chip"):
        names["is_" + kind] = tensors.is_kind(kind)
    for name in ("ndarray full zeros ones zeros_like empty_like load store load_transpose2d atomic_rmw shared_constant "
                 "shared_identity_matrix expand_dims static_cast ds par_dim device_print").split():
        names[name] = getattr(tensors, name)
    for name in ("mean var softmax rms_norm matmul transpose where loop_reduce dropout rand random_seed broadcast_to "
                 "gather_flattened all_reduce").split():
        names[name] = getattr(compound, name)
    for name in ("affine_range sequential_range static_range fori_loop while_loop program_id num_programs program_ndim").split():
        names[name] = getattr(loops, name)
    names["nl_all"] = names["all"]
    return names


def isa(first_generation):
    names = {}
    for module, listed in (
            (tensor_engine, "nc_matmul nc_matmul_mx nc_transpose"),
            (scalar, "activation activation_reduce activate2"),
            (vector, "memset tensor_copy tensor_copy_dynamic_src tensor_copy_dynamic_dst tensor_copy_predicated tensor_tensor "
                     "tensor_scalar scalar_tensor_tensor tensor_tensor_scan tensor_scalar_reduce tensor_scalar_cumulative "
                     "reciprocal exponential dropout range_select select_reduce"),
            (reduce, "tensor_reduce bn_stats bn_aggr max8 nc_find_index8 nc_match_replace8 quantize_mx"),
            (gpsimd, "iota affine_select nc_n_gather local_gather tensor_partition_reduce sequence_bounds nonzero_with_count "
                     "topk rng rand2 set_rng_seed rand_set_state rand_get_state register_alloc register_move register_load "
                     "register_store core_barrier builtin_custom_op VirtualRegister"),
            (dma, "dma_copy dma_transpose dma_compute sendrecv"),
            (enums, "engine dge_mode oob_mode reduce_cmd matmul_perf_mode dma_engine nc_version unknown_engine tensor_engine "
                    "vector_engine scalar_engine gpsimd_engine sync_engine get_nc_version get_nc_sub_version")):
        for name in listed.split():
            names[name] = getattr(module, name)
    names["nc_stream_shuffle"] = gpsimd.nc_stream_shuffle_first_generation if first_generation else gpsimd.nc_stream_shuffle
    names.update(NkiInstruction=NkiInstruction, NkiValidationError=LimitError)
    names["_tiled_offloaded_memcpy"] = dma.tiled_offloaded_memcpy
    names["_tiled_offloaded_fma"] = dma.tiled_offloaded_fma
    names["neuron_isa"] = types.SimpleNamespace(dma_copy=dma.dma_copy)
    return names


_CONSTANTS = ("engine", "dge_mode", "oob_mode", "reduce_cmd", "matmul_perf_mode", "dma_engine", "nc_version")


def _install_root(root, first_generation):
    top = dict(jit=launch.jit if first_generation else launch.jit_of_cores, benchmark=launch.decorator, baremetal=launch.decorator, profile=launch.decorator,
               trace=launch.decorator, simulate_kernel=launch.simulate_kernel, simulate=launch.simulate,
               tensor=tensors.NkiTensor, dtype=dtypes.DType, NkiTensor=tensors.NkiTensor, NkiValidationError=LimitError, __version__="0.6")
    _module(root, **top)
    words = language()
    _module(root + ".language", **words)
    _module(root + ".language.constants", sizeinbytes=dtypes.sizeinbytes, **words)
    sys.modules[root + ".language"].constants = sys.modules[root + ".language.constants"]
    _module(root + ".language.iterators", sync_program=lambda *_, **__: None, **{n: words[n] for n in ("affine_range", "sequential_range", "static_range")})
    _module(root + ".isa", **isa(first_generation))
    _module(root + ".isa.constants", **{n: getattr(enums, n) for n in _CONSTANTS})
    _module(root + ".isa.neuron_isa", **isa(first_generation))
    _module(root + ".typing", tensor=typing.tensor, mutable_tensor=typing.tensor, mutable=typing.tensor, scalar=typing.scalar)
    _module(root + ".compiler", **{n: getattr(compiler, n) for n in (
        "skip_middle_end_transformations enable_stack_allocator force_auto_alloc multi_buffer no_reorder allocation_scope").split()})
    for memory in ("sbuf", "psum"):
        _module(f"{root}.compiler.{memory}", **vars(getattr(compiler, memory)))
    for name in ("backends", "backends.neuron", "backends.neuron.indexing"):
        _module(f"{root}.compiler.{name}")
    sys.modules[root + ".compiler.backends.neuron.indexing"].TileIndex = private.TileIndex
    _module(root + ".collectives", **collectives.names())
    _module(root + ".nccl", **collectives.first_generation_names())
    _module(root + ".nccl.collectives", **collectives.first_generation_names())
    _module(root + "._private")
    _module(root + "._private.private_api", **private.names())
    for name in ("_private_kernels", "kernels"):
        sys.modules[f"{root}.{name}"] = private.PrivateKernels(f"{root}.{name}")
        setattr(sys.modules[root], name, sys.modules[f"{root}.{name}"])


_installed = False


def install():
    """Makes the imports of kernels work; the second call does nothing."""
    global _installed
    if _installed:
        return
    _installed = True
    _module("neuronxcc", __version__="2.26")
    _install_root("neuronxcc.nki", True)
    _install_root("nki", False)
    sys.meta_path.append(private.PrivateFinder())
    stubs.install()
