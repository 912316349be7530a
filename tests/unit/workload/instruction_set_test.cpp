// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Which lines of a trace are accepted, instruction by instruction and generation by generation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/workload/trace_support.hpp"

namespace trnsim {
namespace {

using test::chip;

const std::vector<std::string> kTiles{
    R"({"tile":"a","buffer":"sbuf","partitions":128,"bytes":2048,"dtype":"fp32"})",
    R"({"tile":"b","buffer":"sbuf","partitions":128,"bytes":2048,"dtype":"fp32"})",
    R"({"tile":"c","buffer":"sbuf","partitions":128,"bytes":2048,"dtype":"fp32"})",
    R"({"tile":"half","buffer":"sbuf","partitions":128,"bytes":1024,"dtype":"bf16"})",
    R"({"tile":"words","buffer":"sbuf","partitions":128,"bytes":2048,"dtype":"uint32"})",
    R"({"tile":"one","buffer":"sbuf","partitions":128,"bytes":4,"dtype":"fp32"})",
    R"({"tile":"eight","buffer":"sbuf","partitions":128,"bytes":32,"dtype":"fp32"})",
    R"({"tile":"eight_words","buffer":"sbuf","partitions":128,"bytes":32,"dtype":"uint32"})",
    R"({"tile":"six","buffer":"sbuf","partitions":128,"bytes":24,"dtype":"fp32"})",
    R"({"tile":"two","buffer":"sbuf","partitions":128,"bytes":8,"dtype":"fp32"})",
    R"({"tile":"row","buffer":"sbuf","partitions":1,"bytes":2048,"dtype":"fp32"})",
    R"({"tile":"rows","buffer":"sbuf","partitions":1,"bytes":4096,"dtype":"fp32"})",
    R"({"tile":"p","buffer":"psum","partitions":128,"bytes":2048,"dtype":"fp32"})",
};

/// What is wrong with one line after the tiles above; empty if nothing is.
std::string on(const std::string& chip_name, const std::string& line) {
  std::vector<std::string> lines = kTiles;
  lines.push_back(line);
  return test::problem_of(test::trace_of(lines), chip(chip_name));
}

void expect_says(const std::string& text, const std::string& part) { EXPECT_NE(text.find(part), std::string::npos) << text; }

struct Line {
  const char* name;
  std::array<bool, 3> there;  ///< trn1, trn2, trn3.
  const char* text;
};

const Line kLines[]{
    {"activate2", {false, false, true}, R"({"op":"activate2","function":"gelu","dst":"a","data":"b","bias":"one"})"},
    {"activation_on_gpsimd", {false, false, true}, R"({"op":"activation","engine":"gpsimd","function":"exp","dst":"a","data":"b"})"},
    {"tensor_scalar_cumulative", {true, true, true}, R"({"op":"tensor_scalar_cumulative","dst":"a","data":"b","op0":"add","op1":"max"})"},
    {"select_reduce",
     {true, true, true},
     R"({"op":"select_reduce","dst":"a","data":"p","data2":"words","operand0":"one","reduce_res":"one"})"},
    {"range_select", {false, true, true}, R"({"op":"range_select","dst":"a","data":"b","operand0":"one","operand1":"one"})"},
    {"exponential", {false, false, true}, R"({"op":"exponential","dst":"a","data":"b","reduce_res":"one"})"},
    {"dropout", {true, true, true}, R"({"op":"dropout","dst":"a","data":"b","operand0":"one"})"},
    {"max8", {true, true, true}, R"({"op":"max8","dst":"eight","data":"b"})"},
    {"nc_find_index8", {true, true, true}, R"({"op":"nc_find_index8","dst":"eight_words","data":"b","data2":"eight"})"},
    {"nc_match_replace8",
     {true, true, true},
     R"({"op":"nc_match_replace8","dst":"a","data":"b","data2":"eight","dst_index":"eight_words"})"},
    {"quantize_mx",
     {false, false, true},
     R"({"op":"quantize_mx","dst":{"t":"a","dt":"mxfp8","ap":[[1,128]]},"data":"half","dst_scale":{"t":"c","dt":"uint8","ap":[[1,16]]}})"},
    {"nc_stream_shuffle", {true, true, true}, R"({"op":"nc_stream_shuffle","dst":{"t":"a","p":[0,32]},"data":{"t":"b","p":[0,1]}})"},
    {"rng", {true, true, true}, R"({"op":"rng","dst":"words"})"},
    {"rng_on_gpsimd", {false, true, true}, R"({"op":"rng","engine":"gpsimd","dst":"words"})"},
    {"rand2", {false, false, true}, R"({"op":"rand2","dst":"a"})"},
    {"set_rng_seed", {true, true, true}, R"({"op":"set_rng_seed","data":{"t":"words","p":[0,1],"ap":[[1,1]]}})"},
    {"set_rng_seed_of_a_number", {true, true, true}, R"({"op":"set_rng_seed"})"},
    {"rand_get_state", {false, true, true}, R"({"op":"rand_get_state","dst":{"t":"words","ap":[[1,6]]}})"},
    {"rand_set_state_on_vector", {false, false, true}, R"({"op":"rand_set_state","engine":"vector","data":{"t":"words","ap":[[1,24]]}})"},
    {"tensor_partition_reduce", {true, true, true}, R"({"op":"tensor_partition_reduce","op0":"add","dst":"row","data":"b"})"},
    {"nc_n_gather", {true, true, true}, R"({"op":"nc_n_gather","dst":"a","data":"b","data2":"words","chunks":1})"},
    {"local_gather", {true, true, true}, R"({"op":"local_gather","dst":"a","data":"b","data2":{"t":"words","dt":"uint16","ap":[[1,32]]}})"},
    {"nonzero_with_count",
     {false, true, true},
     R"({"op":"nonzero_with_count","dst":{"t":"a","dt":"int32","ap":[[1,101]]},"data":{"t":"b","ap":[[1,100]]}})"},
    {"sequence_bounds", {true, true, true}, R"({"op":"sequence_bounds","dst":"rows","data":"row"})"},
    {"topk",
     {false, true, true},
     R"({"op":"topk","dst":{"t":"a","dt":"bf16","ap":[[1,4]]},"data":"half","dst_index":{"t":"words","ap":[[1,4]]}})"},
    {"builtin_custom_op", {true, true, true}, R"({"op":"builtin_custom_op","dst":"a","data":"b","data2":"c","data3":"one"})"},
    {"core_barrier", {false, true, true}, R"({"op":"core_barrier","engine":"sync","cores":[0,1]})"},
    {"register_alloc", {true, true, true}, R"({"op":"register_alloc"})"},
    {"register_move", {true, true, true}, R"({"op":"register_move","engine":"tensor"})"},
    {"register_load", {true, true, true}, R"({"op":"register_load","data":{"t":"words","p":[0,1],"ap":[[1,1]]}})"},
    {"register_store", {true, true, true}, R"({"op":"register_store","dst":{"t":"words","p":[0,1],"ap":[[1,1]]}})"},
    {"sendrecv", {false, true, true}, R"({"op":"sendrecv","dst":"a","src":"b","send_to":1,"recv_from":1,"pipe":0})"},
    {"sendrecv_by_gpsimd", {false, true, true}, R"({"op":"sendrecv","engine":"gpsimd","dst":"a","src":"b"})"},
    {"dma_compute", {true, true, true}, R"({"op":"dma_compute","op0":"add","dst":"a","src":"b","src2":"c"})"},
    {"bitwise", {true, true, true}, R"({"op":"tensor_scalar","op0":"bitwise_and","op1":"left_shift","dst":"words","data":"words"})"},
    {"scalar_tensor_scalar",
     {false, true, true},
     R"({"op":"tensor_scalar","engine":"scalar","op0":"multiply","op1":"add","dst":"a","data":"b"})"},
};

class EveryLine : public ::testing::TestWithParam<Line> {};
INSTANTIATE_TEST_SUITE_P(Generations, EveryLine, ::testing::ValuesIn(kLines),
                         [](const auto& param) { return std::string(param.param.name); });

TEST_P(EveryLine, IsAcceptedWhereTheGenerationHasItAndRefusedByNameElsewhere) {
  constexpr std::array kChips{"trn1", "trn2", "trn3"};
  for (std::size_t g = 0; g < kChips.size(); ++g) {
    const std::string text = on(kChips[g], GetParam().text);
    if (GetParam().there[g]) {
      EXPECT_EQ(text, "") << kChips[g];
    } else {
      expect_says(text, fmt::format("k.jsonl:{}: ", kTiles.size() + 2));
      expect_says(text, "generations that have it: ");
    }
  }
}

TEST(InstructionSet, CollectivesSayThatLinksAreNotModelled) {
  expect_says(on("trn2", R"({"op":"all_reduce","dst":"a","src":"b"})"),
              "key 'op': \"all_reduce\" is a collective, and links between chips are not modelled yet");
  expect_says(on("trn2", R"({"op":"partition_broadcast","dst":"a","data":"row"})"), "partition_broadcast=matmul");
}

TEST(InstructionSet, SizesThatAnInstructionLacksAreRefused) {
  expect_says(on("trn2", R"({"op":"bn_stats","dst":"eight","data":"b"})"), "key 'dst': [128 partitions, 8 columns]; allowed: columns 6");
  expect_says(on("trn2", R"({"op":"bn_aggr","dst":"two","data":"eight"})"), "columns from 3, a multiple of 3");
  expect_says(on("trn2", R"({"op":"max8","dst":"six","data":"b"})"), "key 'dst': [128 partitions, 6 columns]; allowed: eight columns");
  expect_says(on("trn2", R"({"op":"max8","dst":"eight","data":"six"})"), "columns 8 to 16,384");
  expect_says(on("trn2", R"({"op":"tensor_partition_reduce","dst":"a","data":"b"})"), "key 'dst': 128 partitions; allowed: 1");
  expect_says(on("trn2", R"({"op":"sequence_bounds","dst":"a","data":"b"})"), "key 'data': 128 partitions; allowed: 1");
  expect_says(on("trn2", R"({"op":"nonzero_with_count","dst":{"t":"a","dt":"int32"},"data":"b"})"), "one column more than data, 513");
  expect_says(on("trn2", R"({"op":"nc_n_gather","dst":"a","data":"b","data2":"eight_words"})"), "the shape of data2");
  expect_says(on("trn2", R"({"op":"nc_stream_shuffle","dst":"a","data":{"t":"b","p":[0,32]}})"), "or one partition of it");
  expect_says(on("trn3", R"({"op":"quantize_mx","dst":{"t":"a","dt":"mxfp8"},"data":"half","dst_scale":"c"})"), "the values of data, 512");
}

TEST(InstructionSet, TypesThatAnInstructionLacksAreRefused) {
  expect_says(on("trn2", R"({"op":"nc_find_index8","dst":"eight","data":"b","data2":"eight"})"), "type fp32; allowed: uint32, uint16");
  expect_says(on("trn2", R"({"op":"topk","dst":"eight","data":"b","dst_index":"eight_words"})"), "key 'data': type fp32; allowed: bf16");
  expect_says(on("trn2", R"({"op":"tensor_scalar_cumulative","dst":"words","data":"words","op1":"add"})"), "type uint32; allowed: fp32");
}

TEST(InstructionSet, OperationsThatAnEngineLacksAreRefused) {
  expect_says(on("trn2", R"({"op":"tensor_scalar","engine":"scalar","op0":"max","dst":"a","data":"b"})"),
              "key 'op0': value \"max\"; allowed on the scalar engine of trn2 (NeuronCore-v3): add, multiply");
  expect_says(on("trn2", R"({"op":"tensor_tensor","op0":"power","dst":"a","data":"b","data2":"c"})"),
              "value \"power\"; allowed on the vector");
  EXPECT_EQ(on("trn2", R"({"op":"tensor_tensor","engine":"gpsimd","op0":"power","dst":"a","data":"b","data2":"c"})"), "");
  expect_says(on("trn2", R"({"op":"tensor_scalar_cumulative","dst":"a","data":"b","op1":"divide"})"), "key 'op1': value \"divide\"");
  expect_says(on("trn2", R"({"op":"dma_compute","op0":"max","dst":"a","src":"b","src2":"c"})"), "key 'op0': value \"max\"");
}

TEST(InstructionSet, WorkOnBitsNeedsIntegersOnTheVectorEngine) {
  expect_says(on("trn2", R"({"op":"tensor_scalar","op0":"bitwise_or","dst":"a","data":"b"})"), "allowed: integer types, found fp32");
  expect_says(on("trn2", R"({"op":"tensor_tensor","engine":"gpsimd","op0":"bitwise_or","dst":"words","data":"words","data2":"words"})"),
              "works on bits, which only the vector engine does");
  expect_says(on("trn2", R"({"op":"tensor_scalar","op0":"bitwise_or","op1":"add","dst":"words","data":"words"})"),
              "beside arithmetic \"add\"; allowed: two of one kind");
}

TEST(InstructionSet, GpSimdHasNoAccumulatorAndNoWayToPsum) {
  expect_says(on("trn3", R"({"op":"activation","engine":"gpsimd","dst":"a","data":"b","reduce":true,"reduce_res":"one"})"),
              "key 'reduce_res': is given on gpsimd, which has no accumulator");
  expect_says(on("trn3", R"({"op":"activation","engine":"gpsimd","dst":"a","data":"p"})"), "is in psum, which GpSimd cannot reach");
}

TEST(InstructionSet, EverySourceOfASumHasTheSizeOfItsResult) {
  expect_says(on("trn2", R"({"op":"dma_compute","dst":"a","src":"b","src2":"eight"})"),
              "key 'src2': 1,024 elements; allowed: as many as dst, 65,536");
}

}  // namespace
}  // namespace trnsim
