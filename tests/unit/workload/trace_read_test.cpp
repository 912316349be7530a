// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "trnsim/error.hpp"
#include "trnsim/trace.hpp"
#include "trnsim/workload.hpp"
#include "unit/workload/trace_support.hpp"

namespace trnsim {
namespace {

using test::chip;
using test::trace_of;

constexpr const char* kTile = R"({"tile":"t","buffer":"sbuf","partitions":128,"bytes":1024})";
constexpr const char* kLoad = R"({"op":"dma_copy","dst":"t","src":{"t":"x","p":[0,128]}})";

std::vector<Record> read(const std::vector<std::string>& lines) {
  return test::records_of(*test::program_of(trace_of(lines), chip("trn2")));
}

std::string kinds(const std::vector<Record>& records) {
  std::string text;
  for (const Record& r : records) text += "ITR"[static_cast<int>(r.kind)];
  return text;
}

TEST(TraceReader, TakesTheSameFromCrlfBomBlankLinesAndNoFinalNewline) {
  const std::string plain = trace_of({kTile, kLoad});
  const auto spell = [](const std::string& text) {
    const auto program = test::program_of(text, chip("trn2"));
    const auto records = test::records_of(*program);
    return test::spelled(program->info(), records);
  };
  std::string crlf, blanks;
  for (const char c : plain) {
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
    blanks += c == '\n' ? "\n  \n\r\n" : std::string(1, c);
  }
  EXPECT_EQ(spell(crlf), spell(plain));
  EXPECT_EQ(spell(blanks), spell(plain));
  EXPECT_EQ(spell("\xef\xbb\xbf" + plain), spell(plain));
  EXPECT_EQ(spell(plain.substr(0, plain.size() - 1)), spell(plain));
}

TEST(TraceReader, CarriageReturnsReachNoName) {
  std::string text = trace_of({kTile, kLoad});
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "\r");
  const auto program = test::program_of(text, chip("trn2"));
  EXPECT_EQ(program->info().name, "k");
  EXPECT_EQ(test::text_of(*program).find('\r'), std::string::npos);
}

TEST(TraceReader, NumbersLinesAsAnEditorDoes) {
  const auto records = read({kTile, "", kLoad});
  EXPECT_EQ(records[1].instruction.line, 4U);
}

TEST(TraceReader, ReadsWhatTraceFilePacked) {
  const std::string text = trace_of({kTile, kLoad});
  for (const char* suffix : {".jsonl", ".jsonl.gz", ".jsonl.zst"}) {
    const test::TemporaryFile file(suffix);
    TraceFile out(file.path());
    out.stream() << text;
    out.close();
    Workload workload = open_trace(file.path(), chip("trn2"));
    EXPECT_EQ(kinds(test::records_of(*workload.programs.at(0))), "TIR") << suffix;
    EXPECT_EQ(file.content() == text, std::string(suffix) == ".jsonl") << suffix;
  }
}

TEST(TraceReader, TellsCompressionByContentNotByName) {
  const test::TemporaryFile packed(".gz");
  TraceFile out(packed.path());
  out.stream() << trace_of({kTile, kLoad});
  out.close();
  const test::TemporaryFile renamed(".jsonl", packed.content());
  EXPECT_EQ(check_trace(renamed.path(), chip("trn2")), std::vector<std::string>{});
}

TEST(TraceReader, ReadsFramesAndMembersOneAfterTheOther) {
  for (const char* suffix : {".gz", ".zst"}) {
    const test::TemporaryFile first(suffix), second(suffix);
    TraceFile a(first.path()), b(second.path());
    a.stream() << trace_of({kTile});
    b.stream() << kLoad;
    a.close();
    b.close();
    const test::TemporaryFile both(".x", first.content() + second.content());
    EXPECT_EQ(check_trace(both.path(), chip("trn2")), std::vector<std::string>{}) << suffix;
  }
}

TEST(TraceReader, PackedTracesLargerThanTheBuffersSurvive) {
  std::string text = trace_of({kTile, kLoad});
  std::string line = R"({"op":"tensor_scalar","dst":"t","data":"t","op0":"add"})";
  for (int i = 0; i < 30000; ++i) text += line + "\n";
  for (const char* suffix : {".gz", ".zst"}) {
    const test::TemporaryFile file(suffix);
    TraceFile out(file.path());
    out.stream() << text;
    out.close();
    EXPECT_LT(file.content().size(), text.size() / 20);
    Workload workload = open_trace(file.path(), chip("trn2"));
    EXPECT_EQ(trace_statistics(*workload.programs[0]).instructions, 30001U);
  }
}

TEST(TraceReader, CutOffPackedFileIsAnError) {
  for (const char* suffix : {".gz", ".zst"}) {
    const test::TemporaryFile whole(suffix);
    TraceFile out(whole.path());
    out.stream() << trace_of({kTile, kLoad});
    out.close();
    const std::string content = whole.content();
    const test::TemporaryFile cut(suffix, content.substr(0, content.size() / 2));
    EXPECT_THROW(open_trace(cut.path(), chip("trn2")), ProgramError) << suffix;
  }
}

TEST(TraceReader, MissingFileIsAnIoError) {
  EXPECT_THROW(open_trace("/nowhere/k.jsonl", chip("trn2")), IoError);
  EXPECT_THROW(open_trace("/tmp", chip("trn2")), IoError);
  EXPECT_THROW(TraceFile("/nowhere/k.jsonl"), IoError);
}

TEST(TraceReader, ReadsAPipeTwice) {
  const std::string text = trace_of({kTile, kLoad});
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  const int before = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  Workload workload = open_trace("-", chip("trn2"));
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(ends[0]);
  EXPECT_EQ(kinds(test::records_of(*workload.programs.at(0))), "TIR");
  EXPECT_EQ(workload.source, "-");
}

TEST(TraceReader, ReleasesAnUnreleasedTileAfterItsLastUse) {
  const auto records = read({kTile, kLoad, R"({"tile":"u","buffer":"sbuf","partitions":1,"bytes":4})", R"({"op":"memset","dst":"u"})",
                             R"({"op":"memset","dst":"t"})", R"({"op":"memset","dst":"u"})"});
  ASSERT_EQ(kinds(records), "TITIIRIR");
  EXPECT_EQ(records[5].tile, records[0].tile);
  EXPECT_EQ(records[7].tile, records[2].tile);
}

TEST(TraceReader, ReleasesAnUnusedTileAtOnce) {
  EXPECT_EQ(kinds(read({kTile, kLoad, R"({"tile":"u","buffer":"psum","partitions":1,"bytes":4})"})), "TIRTR");
}

TEST(TraceReader, NameOfAReleasedTileIsFreeAgain) { EXPECT_EQ(kinds(read({kTile, kLoad, R"({"release":"t"})", kTile, kLoad})), "TIRTIR"); }

TEST(TraceReader, OperandWithoutKeysIsTheWholeTile) {
  const auto records = read({kTile, kLoad});
  const Operand& dst = records[1].instruction.operands[0];
  EXPECT_EQ(dst.partitions, 128U);
  EXPECT_EQ(dst.columns(), 512U);
  EXPECT_EQ(dst.dtype, DType::Bf16);
}

TEST(TraceReader, RowsOfATensorFollowItsShape) {
  const auto records = read({kTile, kLoad});
  const Operand& src = records[1].instruction.operands[1];
  EXPECT_EQ(src.row_stride, 1024);
  EXPECT_EQ(src.partitions, 128U);
  EXPECT_EQ(src.columns(), 512U);
}

TEST(TraceReader, OffsetLeavesTheRestOfTheTile) {
  const auto records = read({kTile, R"({"op":"memset","dst":{"t":"t","off":1000}})"});
  EXPECT_EQ(records[1].instruction.operands[0].columns(), 12U);
}

TEST(TraceReader, IdsAreNumberedInTheOrderOfDefinition) {
  const auto records = read({kTile, R"({"op":"memset","dst":"t","id":"first"})", R"({"op":"memset","dst":"t","id":77,"after":["first"]})",
                             R"({"op":"memset","dst":"t","after":[77,"first"]})"});
  EXPECT_EQ(records[1].instruction.id, 1U);
  EXPECT_EQ(records[2].instruction.id, 2U);
  EXPECT_EQ(records[2].instruction.after[0], 1U);
  EXPECT_EQ(records[3].instruction.id, 0U);
  EXPECT_EQ(records[3].instruction.after_count, 2);
  EXPECT_EQ(records[3].instruction.after[0], 2U);
  EXPECT_EQ(records[3].instruction.after[1], 1U);
}

TEST(TraceReader, NumberAndTextAreDifferentIds) {
  const auto records = read({kTile, R"({"op":"memset","dst":"t","id":1})", R"({"op":"memset","dst":"t","id":"1","after":[1]})"});
  EXPECT_EQ(records[2].instruction.id, 2U);
  EXPECT_EQ(records[2].instruction.after[0], 1U);
}

TEST(TraceReader, MayWaitForALaterInstructionOfAnotherEngine) {
  const auto records = read({kTile, R"({"op":"memset","dst":{"t":"t","p":[0,32]},"after":["later"]})",
                             R"({"op":"memset","engine":"gpsimd","dst":{"t":"t","p":[32,32]},"id":"x"})",
                             R"({"op":"memset","engine":"gpsimd","dst":"t","id":"later"})"});
  EXPECT_EQ(records[1].instruction.after[0], 2U);
  EXPECT_EQ(records[3].instruction.id, 2U);
}

TEST(TraceReader, RangesAtFixedAddressesBecomeTilesWhileTheyAreUsed) {
  const auto records = read({R"({"op":"memset","dst":{"buffer":"sbuf","address":4096,"dt":"bf16","p":[32,32],"ap":[[1,64]]}})",
                             R"({"op":"memset","dst":{"buffer":"sbuf","address":4160,"dt":"bf16","p":[0,32],"ap":[[1,64]]}})",
                             R"({"op":"memset","dst":{"buffer":"sbuf","address":8192,"dt":"fp32","ap":[[1,4]]}})"});
  ASSERT_EQ(kinds(records), "TIIRTIR");
  const TensorInfo& tile = records[0].tensor;
  EXPECT_EQ(tile.address, 4096);
  EXPECT_EQ(tile.bytes_per_partition, 192U);  // 4096 … 4288, joined because they overlap
  EXPECT_EQ(tile.partition, 0);
  EXPECT_EQ(tile.partitions, 64);
  EXPECT_EQ(records[1].instruction.operands[0].partition, 32);
  EXPECT_EQ(records[1].instruction.operands[0].offset, 0U);
  EXPECT_EQ(records[2].instruction.operands[0].offset, 64U);
  EXPECT_EQ(records[4].tensor.partitions, 128);
}

TEST(TraceReader, FixedHbmAddressesBecomeOneTensor) {
  const auto program = test::program_of(
      trace_of(
          {kTile,
           R"({"op":"dma_copy","dst":"t","src":{"buffer":"hbm","address":1000000,"dt":"bf16","p":[0,128],"row":1024,"ap":[[1,512]]}})"}),
      chip("trn2"));
  ASSERT_EQ(program->info().tensors.size(), 3U);
  const TensorInfo& all = program->info().tensors[2];
  EXPECT_EQ(bytes_of(all), 1000000U + 128 * 1024 - 983040);
  const auto records = test::records_of(*program);
  EXPECT_EQ(records[1].instruction.operands[1].offset, 1000000U - 983040);
  EXPECT_EQ(records[1].instruction.operands[1].tensor, 2U);
}

TEST(TraceReader, CountsWhatTheHeaderLeavesOut) {
  const auto program = test::program_of(
      trace_of({R"({"tile":"w","buffer":"sbuf","partitions":64,"bytes":64,"dtype":"fp16"})",
                R"({"tile":"m","buffer":"sbuf","partitions":64,"bytes":200,"dtype":"fp16"})",
                R"({"tile":"acc","buffer":"psum","partitions":32,"bytes":400,"dtype":"fp32"})", R"({"op":"memset","dst":"w"})",
                R"({"op":"memset","dst":"m"})", R"({"op":"nc_matmul","dst":"acc","stationary":"w","moving":"m"})"}),
      chip("trn2"));
  EXPECT_EQ(program->info().macs, 64U * 32 * 100);
  EXPECT_EQ(program->info().flops, 2U * 64 * 32 * 100);
  EXPECT_EQ(program->info().dtype, DType::Fp16);
  EXPECT_EQ(program->info().instructions, 3U);
}

TEST(TraceReader, HeaderParametersMayBeNumbers) {
  const auto program = test::program_of("{\"trnsim_trace\":\"1.0\",\"params\":{\"m\":128,\"causal\":true,\"dtype\":\"bf16\"}}\n" +
                                            std::string(kTile) + "\n{\"op\":\"memset\",\"dst\":\"t\"}\n",
                                        chip("trn2"));
  EXPECT_EQ(program->info().params, (std::map<std::string, std::string>{{"m", "128"}, {"causal", "true"}, {"dtype", "bf16"}}));
  EXPECT_EQ(program->info().name, "trace");
}

TEST(TraceStatistics, CountInstructionsBytesAndTiles) {
  const auto program =
      test::program_of(trace_of({kTile, kLoad, R"({"tile":"u","buffer":"sbuf","partition":64,"partitions":64,"bytes":512})",
                                 R"({"op":"memset","engine":"gpsimd","dst":"u","id":1})", R"({"release":"u"})",
                                 R"({"tile":"v","buffer":"psum","partitions":2,"bytes":8})",
                                 R"({"op":"dma_copy","dst":{"t":"y","p":[0,128]},"src":"t","after":[1]})"}),
                       chip("trn2"));
  const TraceStatistics s = trace_statistics(*program);
  EXPECT_EQ(s.instructions, 3U);
  EXPECT_EQ(s.by_op[static_cast<std::size_t>(Opcode::DmaCopy)], 2U);
  EXPECT_EQ(s.by_engine[static_cast<std::size_t>(EngineKind::GpSimd)], 1U);
  EXPECT_EQ(s.read_bytes[static_cast<std::size_t>(Buffer::Hbm)], 131072U);
  EXPECT_EQ(s.written_bytes[static_cast<std::size_t>(Buffer::Hbm)], 131072U);
  EXPECT_EQ(s.written_bytes[static_cast<std::size_t>(Buffer::Sbuf)], 131072U + 32768);
  EXPECT_EQ(s.dma_bytes, 262144U);
  EXPECT_EQ(s.tiles, 3U);
  EXPECT_EQ(s.unused_tiles, 1U);
  EXPECT_EQ(s.peak_live_bytes[static_cast<std::size_t>(Buffer::Sbuf)], 131072U + 32768);
  EXPECT_EQ(s.peak_live_bytes_per_partition[static_cast<std::size_t>(Buffer::Sbuf)], 1536U);
  EXPECT_EQ(s.peak_live_bytes[static_cast<std::size_t>(Buffer::Hbm)], 2U * 262144);
  EXPECT_EQ(s.explicit_dependencies, 1U);
}

constexpr const char* kFiles = R"({"trnsim_trace":"1.1","files":["a.py","b.py"],"tensors":[{"name":"x","shape":[256,512]}]})";

std::vector<Record> read_with_files(const std::vector<std::string>& lines) {
  std::string text = std::string(kFiles) + "\n";
  for (const std::string& line : lines) text += line + "\n";
  return test::records_of(*test::program_of(text, chip("trn2")));
}

TEST(TraceReader, AnInstructionHasItsPlaceInTheKernel) {
  const auto records = read_with_files(
      {kTile, R"({"op":"memset","dst":"t","at":[1,17]})", R"({"op":"memset","dst":"t","at":[0,0]})", R"({"op":"memset","dst":"t"})"});
  EXPECT_EQ(records[1].instruction.at, (SourceLine{17, 1}));
  EXPECT_FALSE(records[2].instruction.at.known());
  EXPECT_FALSE(records[3].instruction.at.known());
}

TEST(TraceReader, ThePlaceInTheKernelIsNotPartOfTheHash) {
  const auto hash = [](const char* at) {
    const std::string text = std::string(kFiles) + "\n" + kTile + "\n" + R"({"op":"memset","dst":"t")" + at + "}\n";
    return program_hash(*test::program_of(text, chip("trn2")));
  };
  EXPECT_EQ(hash(R"(,"at":[0,3])"), hash(""));
}

TEST(TraceReader, TakesEverySecondPartition) {
  const auto records =
      read({kTile, R"({"op":"memset","dst":{"t":"t","p":[64,32,2]}})", R"({"op":"tensor_copy","dst":"t","data":{"t":"t","p":[0,128,0]}})"});
  const Operand& dst = records[1].instruction.operands[0];
  EXPECT_EQ(dst.partition, 64U);
  EXPECT_EQ(dst.partitions, 32U);
  EXPECT_EQ(dst.partition_step, 2U);
  EXPECT_EQ(dst.partition_span(), 63U);
  EXPECT_EQ(records[2].instruction.operands[1].partition_step, 0U);
  EXPECT_EQ(records[2].instruction.operands[1].partition_span(), 1U);
}

TEST(TraceReader, AStepOfOnePartitionIsNone) {
  const auto records = read({kTile, R"({"op":"memset","dst":{"t":"t","p":[32,1,7]}})"});
  EXPECT_EQ(records[1].instruction.operands[0].partition_step, 1U);
}

TEST(TraceReader, MoreThanFourDimensionsBecomeAsFewAsTheyAre) {
  const auto pattern = [](const std::string& ap) {
    const auto records = read({kTile, R"({"op":"memset","dst":{"t":"t","ap":)" + ap + "}}"});
    const Operand& o = records[1].instruction.operands[0];
    return std::vector<Dim>(o.free.begin(), o.free.begin() + o.rank);
  };
  EXPECT_EQ(pattern("[[64,2],[1,1],[8,8],[4,2],[1,4]]"), (std::vector<Dim>{{1, 128}}));
  EXPECT_EQ(pattern("[[210,2],[100,2],[40,2],[16,2],[7,2],[1,2]]"),
            (std::vector<Dim>{{210, 2}, {100, 2}, {40, 2}, {16, 2}, {7, 2}, {1, 2}}));
  EXPECT_EQ(pattern("[[1,1],[1,1],[1,1],[1,1],[1,1]]"), (std::vector<Dim>{{1, 1}}));
  EXPECT_EQ(pattern("[[64,2],[8,8],[1,1],[1,4]]").size(), 4U) << "four are left as they were written";
}

TEST(TraceReader, AnIndexOrdersTheInstruction) {
  const auto records = read({kTile, R"({"tile":"rows","buffer":"sbuf","partitions":128,"bytes":4,"dtype":"int32"})",
                             R"({"op":"dma_copy","dst":"t","src":{"t":"x","p":[0,128]},"dynamic_address":true,"src_index":"rows"})"});
  const Instruction& i = records[2].instruction;
  ASSERT_TRUE(i.extras);
  ASSERT_EQ(i.extras->operands.size(), 1U);
  EXPECT_EQ(i.extras->operands[0].role, Role::SrcIndex);
  EXPECT_EQ(i.extras->operands[0].operand.tensor, records[1].tile);
}

TEST(TraceReader, ATileLivesUntilItsLastUseAsAnIndex) {
  const auto records = read({R"({"tile":"rows","buffer":"sbuf","partitions":128,"bytes":4})", kTile,
                             R"({"op":"dma_copy","dst":"t","src":{"t":"x","p":[0,128]},"dynamic_address":true,"src_index":"rows"})"});
  EXPECT_EQ(kinds(records), "TTIRR");
}

TEST(TraceReader, AScanMayStartFromAColumn) {
  const auto records = read({kTile, R"({"tile":"s","buffer":"sbuf","partitions":128,"bytes":2})",
                             R"({"op":"tensor_tensor_scan","dst":"t","data":"t","data2":"t","operand0":"s"})"});
  EXPECT_TRUE(records[2].instruction.find(Role::Operand0) != nullptr);
}

TEST(TraceStatistics, CountsIndicesAsRead) {
  const auto program =
      test::program_of(trace_of({kTile, R"({"tile":"rows","buffer":"sbuf","partitions":128,"bytes":4,"dtype":"int32"})",
                                 R"({"op":"dma_copy","dst":"t","src":{"t":"x","p":[0,128]},"dynamic_address":true,"src_index":"rows"})"}),
                       chip("trn2"));
  const TraceStatistics s = trace_statistics(*program);
  EXPECT_EQ(s.unused_tiles, 0U);
  EXPECT_EQ(s.read_bytes[static_cast<std::size_t>(Buffer::Sbuf)], 128U * 4);
}

}  // namespace
}  // namespace trnsim
