// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "trnsim/trace.hpp"
#include "trnsim/workload.hpp"
#include "unit/workload/trace_support.hpp"
#include "workload/trace_resolve.hpp"
#include "workload/trace_source.hpp"

namespace trnsim {
namespace {

using test::chip;
using test::ListProgram;

/// The same cases in every run; RC_PARAMS in the environment asks for others.
[[maybe_unused]] const int kSeed = ::setenv("RC_PARAMS", "seed=20240611 max_success=200", 0);

/// Reads a trace without the rules of a chip, so that any combination of fields may pass.
class PlainReader : private TraceResolver {
 public:
  explicit PlainReader(const std::string& text)
      : TraceResolver(own_), own_("k.jsonl"), lines_(TraceInput::of_text(text, "k.jsonl")), parser_(own_) {}

  std::vector<Record> read(TraceHeader& header) {
    std::vector<Record> records;
    std::string_view text;
    EXPECT_TRUE(lines_.next(text) && parser_.header(text, 1, header));
    for (const TensorInfo& t : header.info.tensors) EXPECT_TRUE(symbols().add_tensor(t));
    while (lines_.next(text)) {
      EXPECT_TRUE(parser_.line(text, lines_.number(), line_));
      records.push_back(record());
    }
    own_.check();
    return records;
  }

 private:
  Record record() {
    Record r;
    r.kind = line_.kind;
    if (line_.kind == Record::Kind::Tile) {
      r.tensor = line_.info;
      r.tile = symbols().declare(line_.tile, line_.info, 1).value();
    } else if (line_.kind == Record::Kind::Release) {
      r.tile = symbols().find(line_.tile).value();
      symbols().release(r.tile);
    } else {
      EXPECT_EQ(resolve_operands(line_), Outcome::Good);
      r.instruction = line_.instruction;
      r.instruction.id = line_.id.number;
      for (unsigned k = 0; k < r.instruction.after_count; ++k) r.instruction.after[k] = line_.after[k].number;
    }
    return r;
  }
  TensorId fixed_range(const OperandText&, std::uint32_t, OperandKeys&) override { throw std::logic_error("not written"); }

  Problems own_;
  TraceLines lines_;
  TraceParser parser_;
  TraceLine line_;
};

template <class Enum>
Enum any_of(std::size_t count) {
  return static_cast<Enum>(*rc::gen::inRange<int>(0, static_cast<int>(count)));
}

template <class Int>
Int between(Int low, Int high) {
  return *rc::gen::inRange<Int>(low, high);
}

bool flip() { return *rc::gen::arbitrary<bool>(); }

/// Names with everything JSON has to escape, often the same for several tiles.
std::string any_name() { return *rc::gen::element<std::string>("acc", "x", "", "a\"b", "tab\t\x01", "größe", "\\", "t7"); }

TensorInfo any_tensor(std::size_t index) {
  TensorInfo t;
  t.name = "h" + std::to_string(index) + any_name();
  t.buffer = Buffer::Hbm;
  t.dtype = any_of<DType>(kDTypeCount);
  t.use = any_of<TensorUse>(3);
  const auto rank = between<std::size_t>(0, 4);
  for (std::size_t d = 0; d < rank; ++d) t.shape.push_back(between<std::uint64_t>(1, 3000));
  return t;
}

TensorInfo any_tile() {
  TensorInfo t;
  t.name = any_name();
  t.buffer = flip() ? Buffer::Sbuf : Buffer::Psum;
  t.dtype = any_of<DType>(kDTypeCount);
  t.partition = between<std::uint16_t>(0, 200);
  t.partitions = between<std::uint16_t>(1, 200);
  t.bytes_per_partition = between<std::uint32_t>(1, 300000);
  t.address = flip() ? -1 : between<std::int64_t>(0, 300000);
  return t;
}

Operand any_operand(TensorId id, const TensorInfo& t) {
  Operand o;
  OperandKeys whole;
  if (flip()) {
    const auto step = flip() ? std::uint16_t{1} : between<std::uint16_t>(0, 70);
    whole.partitions = {between<std::uint16_t>(0, 300), between<std::uint32_t>(1, 1000), step};
  }
  if (flip()) whole.dtype = any_of<DType>(kDTypeCount);
  if (flip()) whole.offset = between<std::uint64_t>(0, 1U << 20);
  if (flip()) {
    whole.rank = between<std::uint8_t>(1, kMaxRank + 1);
    const std::uint32_t most = whole.rank > kPatternRank ? 100 : 600, least = whole.rank > kPatternRank ? 2 : 1;
    for (unsigned i = 0; i < whole.rank; ++i)
      whole.pattern[i] = {between<std::int32_t>(-40000, 40000), between<std::uint32_t>(least, most)};
  }
  if (flip()) whole.row_stride = between<std::int64_t>(-5000, 1LL << 40);
  if (complete(whole, t, o) != OperandGap::None) {  // nothing left by default: say it all
    o.rank = 1;
    o.free = {Dim{between<std::int32_t>(-3, 3), between<std::uint32_t>(1, 900)}};
    o.partitions = between<std::uint32_t>(1, 5);
    o.row_stride = between<std::int64_t>(-9, 9);
    o.partition = 0;
    o.partition_step = 1;
  }
  o.tensor = id;
  return o;
}

class Generator {
 public:
  Generator() {
    info_.name = any_name();
    info_.params = {{"m", "12"}, {"note", any_name()}};
    info_.macs = *rc::gen::arbitrary<std::uint64_t>();
    info_.flops = *rc::gen::arbitrary<std::uint64_t>();
    info_.instructions = between<std::uint64_t>(0, 99);
    info_.dtype = any_of<DType>(kDTypeCount);
    info_.double_row = flip();
    for (auto files = between<std::size_t>(0, 3); files > 0; --files) info_.files.push_back("f" + any_name() + ".py");
    const auto tensors = between<std::size_t>(0, 4);
    for (std::size_t i = 0; i < tensors; ++i) {
      info_.tensors.push_back(any_tensor(i));
      alive_[static_cast<TensorId>(i)] = info_.tensors.back();
    }
    const auto length = between<std::size_t>(1, 30);
    while (records_.size() < length) step();
  }

  const ProgramInfo& info() const { return info_; }
  const std::vector<Record>& records() const { return records_; }

  /// With the releases that the writer adds at the end.
  std::vector<Record> closed() const {
    std::vector<Record> all = records_;
    for (const TensorId id : order_) all.push_back(release(id));
    return all;
  }

 private:
  static Record release(TensorId id) {
    Record r;
    r.kind = Record::Kind::Release;
    r.tile = id;
    return r;
  }

  void step() {
    const int kind = between(0, 10);
    if (kind < 4 || alive_.empty()) {
      Record r;
      r.kind = Record::Kind::Tile;
      r.tile = static_cast<TensorId>(info_.tensors.size());
      while (alive_.contains(r.tile)) ++r.tile;
      r.tensor = alive_[r.tile] = any_tile();
      order_.push_back(r.tile);
      records_.push_back(r);
    } else if (kind == 4 && !order_.empty()) {
      const auto at = order_.begin() + between<std::ptrdiff_t>(0, std::ssize(order_));
      records_.push_back(release(*at));
      alive_.erase(*at);
      order_.erase(at);
    } else {
      records_.push_back(instruction());
    }
  }

  Record instruction() {
    Record r;
    Instruction& i = r.instruction;
    i.op = any_of<Opcode>(kOpcodeCount);
    i.engine = any_of<EngineKind>(kEngineCount);
    i.function = any_of<ActFn>(kActFnCount);
    i.alu0 = any_of<AluOp>(kAluOpCount);
    i.alu1 = any_of<AluOp>(kAluOpCount);
    for (bool* flag : {&i.accumulate, &i.transpose, &i.onezero, &i.reduce, &i.dynamic_address}) *flag = flip();
    i.perf_mode = any_of<PerfMode>(2);
    for (std::uint8_t* n : {&i.tile_row, &i.tile_col, &i.tile_rows, &i.tile_cols}) *n = flip() ? *n : *rc::gen::arbitrary<std::uint8_t>();
    i.ring = flip() ? kDefaultRing : between<std::uint8_t>(0, 254);
    i.dge = any_of<DgeMode>(4);
    if (flip()) i.id = ++ids_;
    i.after_count = between<std::uint8_t>(0, 5);
    for (unsigned k = 0; k < i.after_count; ++k) i.after[k] = *rc::gen::arbitrary<std::uint64_t>();
    const auto rules = trnsim::info(i.op).operands;
    for (std::size_t k = 0; k < rules.size(); ++k) {
      if (!rules[k].required && flip()) continue;
      auto at = alive_.begin();
      std::advance(at, between<std::ptrdiff_t>(0, std::ssize(alive_)));
      i.operands[k] = any_operand(at->first, at->second);
    }
    if (!info_.files.empty() && flip()) {
      i.at = {between<std::uint32_t>(1, 100000), between<std::uint16_t>(0, static_cast<std::uint16_t>(info_.files.size()))};
    }
    if (flip()) i.extras = extras(i);
    return r;
  }

  /// `dst_index` is a result of the opcode, not an address.
  static bool writes_index(Opcode op) {
    for (const OperandRule& rule : trnsim::info(op).operands) {
      if (rule.role == Role::DstIndex) return true;
    }
    return false;
  }

  /// Indices of some operands; what else a line may have depends on its opcode.
  std::shared_ptr<const InstructionExtras> extras(const Instruction& i) {
    InstructionExtras e;
    for (unsigned role = 0; role <= static_cast<unsigned>(Role::Src); role += between(1U, 6U)) {
      if (role == 0 && writes_index(i.op)) continue;
      auto at = alive_.begin();
      std::advance(at, between<std::ptrdiff_t>(0, std::ssize(alive_)));
      e.operands.push_back({index_of(static_cast<Role>(role)), any_operand(at->first, at->second)});
    }
    const std::uint8_t has = trnsim::info(i.op).extras;
    if ((has & kChunks) != 0) e.chunks = between(0U, 9U);
    if ((has & kCores) != 0) e.cores = *rc::gen::arbitrary<std::vector<std::uint32_t>>();
    if ((has & kPeers) != 0) e.send_to = between(0U, 9U);
    if ((has & kGroups) != 0) e.groups = {{0, 1}, {2, 3}}, e.pairs = {{0, 3}, {7, 1}};
    return std::make_shared<const InstructionExtras>(std::move(e));
  }

  ProgramInfo info_;
  std::vector<Record> records_;
  std::map<TensorId, TensorInfo> alive_;
  std::vector<TensorId> order_;  ///< Live tiles as declared.
  std::uint64_t ids_ = 0;
};

RC_GTEST_PROP(TraceRoundTrip, EveryFieldSurvivesWriterAndReader, ()) {
  const Generator generator;
  ListProgram program(generator.info(), generator.records());
  TraceHeader header;
  const auto read = PlainReader(test::text_of(program)).read(header);
  const ProgramInfo &expected = generator.info(), &found = header.info;
  RC_ASSERT(test::spelled(found, read) == test::spelled(expected, generator.closed()));
  RC_ASSERT(std::tie(found.name, found.params, found.macs, found.flops, found.instructions, found.dtype, found.double_row, found.files) ==
            std::tie(expected.name, expected.params, expected.macs, expected.flops, expected.instructions, expected.dtype,
                     expected.double_row, expected.files));
}

RC_GTEST_PROP(TraceRoundTrip, TheHashSurvivesWriterAndReader, ()) {
  const Generator generator;
  ListProgram program(generator.info(), generator.records()), again(generator.info(), generator.records());
  TraceHeader header;
  auto records = PlainReader(test::text_of(program)).read(header);
  ListProgram read(header.info, std::move(records));
  RC_ASSERT(program_hash(read) == program_hash(again));
}

struct KernelCase {
  const char *chip, *kernel, *params;
};

class KernelTrace : public testing::TestWithParam<KernelCase> {
 protected:
  std::unique_ptr<Program> kernel() const {
    const KernelCase& c = GetParam();
    return std::move(make_kernel(c.kernel, parse_params({c.params}), chip(c.chip)).programs.at(0));
  }
};

TEST_P(KernelTrace, WritesAndReadsTheSameRecords) {
  const auto original = kernel(), written = kernel();
  const auto read = test::program_of(test::text_of(*written), chip(GetParam().chip));
  const auto expected = test::records_of(*original);
  EXPECT_EQ(test::spelled(read->info(), test::records_of(*read)), test::spelled(original->info(), expected));
}

TEST_P(KernelTrace, HasTheHashOfItsKernel) {
  const auto original = kernel(), written = kernel();
  const auto read = test::program_of(test::text_of(*written), chip(GetParam().chip));
  EXPECT_EQ(program_hash(*read), program_hash(*original));
}

TEST_P(KernelTrace, WritingItAgainGivesTheSameLines) {
  const auto written = kernel();
  const std::string text = test::text_of(*written);
  const auto read = test::program_of(text, chip(GetParam().chip));
  const std::string again = test::text_of(*read);
  EXPECT_EQ(again.substr(again.find('\n')), text.substr(text.find('\n')));  // the header may have learnt the number of instructions
}

TEST_P(KernelTrace, KeepsTheRulesOfItsChip) {
  const auto program = kernel();
  EXPECT_EQ(check_program(*program, chip(GetParam().chip)), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(
    BuiltIn, KernelTrace,
    testing::Values(
        KernelCase{"trn2", "matmul", "m=256,n=640,k=300"}, KernelCase{"trn1", "matmul", "m=130,n=1000,k=256,dtype=fp32,schedule=naive"},
        KernelCase{"trn1", "matmul", "m=256,n=1024,k=512,dtype=fp8_e4m3,schedule=blocked"},
        KernelCase{"trn2", "matmul", "m=256,n=1024,k=512,dtype=fp8_e4m3"}, KernelCase{"trn3", "matmul", "m=256,n=1024,k=1024,dtype=mxfp8"},
        KernelCase{"trn3", "matmul", "m=128,n=512,k=512,dtype=mxfp4"},
        KernelCase{"trn2", "attention", "seq_q=300,seq_k=700,causal=true,pass=backward,heads=2,kv_heads=1"},
        KernelCase{"trn1", "attention", "seq_q=5000,seq_k=130,dtype=fp32,heads=4,kv_heads=1,pass=backward"},
        KernelCase{"trn2", "mlp", "tokens=70,hidden=300,ffn=700"},
        KernelCase{"trn3", "mlp", "tokens=600,hidden=515,ffn=300,dtype=fp8_e4m3,gated=false"}, KernelCase{"trn2", "copy", "bytes=1000001"},
        KernelCase{"trn1", "vector_add", "rows=300,cols=1000"}, KernelCase{"trn2", "softmax", "rows=200,cols=4000"},
        KernelCase{"trn3", "rmsnorm", "rows=130,cols=2048,dtype=fp32"}, KernelCase{"trn2", "layernorm", "rows=300,cols=5000,dtype=fp32"},
        KernelCase{"trn1", "layernorm", "rows=130,cols=60000,dtype=fp32"},
        KernelCase{"trn3", "rope", "seq=300,heads=5,head_dim=64,batch=2,dtype=fp32"},
        KernelCase{"trn2", "adamw", "rows=130,cols=2049,dtype=bf16"}));

TEST(ProgramHash, DiffersForOtherSizes) {
  const auto hash = [](const char* params) {
    Workload w = make_kernel("matmul", parse_params({params}), chip("trn2"));
    return program_hash(*w.programs[0]);
  };
  EXPECT_NE(hash("m=128,n=512,k=128"), hash("m=128,n=512,k=256"));
  EXPECT_NE(hash("m=128,n=512,k=128"), hash("m=128,n=512,k=128,dtype=fp16"));
  EXPECT_EQ(hash("m=128,n=512,k=128").size(), 16U);
}

/// Hashes of format 1.0, which results of earlier versions have.
TEST(ProgramHash, IsThatOfFormatOneWhereNothingNewIsUsed) {
  const auto hash = [](const std::string& line) {
    return program_hash(
        *test::program_of(test::trace_of({R"({"tile":"t","buffer":"sbuf","partitions":64,"bytes":256})", line}), chip("trn2")));
  };
  EXPECT_EQ(hash(R"({"op":"tensor_tensor_scan","op0":"add","dst":{"t":"t","p":[0,32],"ap":[[1,128]]},)"
                 R"("data":{"t":"t","p":[0,32]},"data2":{"t":"t","p":[32,32],"ap":[[8,8],[1,16]]}})"),
            "4e46ed55e1e24fc1");
  EXPECT_EQ(hash(R"({"op":"dma_copy","dst":"t","src":{"t":"x","p":[0,64],"ap":[[1,128]]},"dynamic_address":true})"), "1904ff80014b6bab");
}

TEST(ProgramHash, DoesNotDependOnNamesAndNumbersOfTiles) {
  const auto program = [](const std::string& name, TensorId id) {
    Record tile, use;
    tile.kind = Record::Kind::Tile;
    tile.tile = id;
    tile.tensor = {name, Buffer::Sbuf, DType::Bf16, TensorUse::Internal, {}, 0, 128, 64, -1};
    use.instruction.op = Opcode::Memset;
    use.instruction.operands[0] = {id, Buffer::Sbuf, DType::Bf16, 1, 0, 1, 128, 0, 0, {Dim{1, 32}}};
    return ListProgram({}, {tile, use});
  };
  ListProgram a = program("a", 0), b = program("b", 7);
  EXPECT_EQ(program_hash(a), program_hash(b));
}

}  // namespace
}  // namespace trnsim
