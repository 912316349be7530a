// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"
#include "trnsim/validate.hpp"

namespace trnsim {
namespace {

const std::string kShipped = std::string(TRNSIM_SOURCE_DIR) + "/configs/validation/calibration.json";

std::string file_with(const std::string& keys) {
  return R"({"trnsim_validation": "1.0", "points": [{"id": "p", "group": "g", "chip": "trn2", "quality": "A", "source": "s", "measured": 1)" +
         (keys.empty() ? "" : ", " + keys) + "}]}";
}

const std::string kKernel = R"("kernel": "matmul", "params": {"m": 64}, "metric": "time_us")";

std::string complaint(const std::string& text) {
  try {
    (void)parse_validation(text, "f.json");
  } catch (const ConfigError& e) {
    return e.what();
  }
  return {};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ValidationFile, ReadsAKernelPoint) {
  const auto points = parse_validation(file_with(kKernel + R"(, "cores": 2, "includes_launch": true, "note": "n")"), "f.json").points;
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].kernel, "matmul");
  EXPECT_EQ(points[0].params.at("m"), "64");
  EXPECT_EQ(points[0].cores, 2U);
  EXPECT_TRUE(points[0].includes_launch);
  EXPECT_EQ(points[0].unit, "us");
}

TEST(ValidationFile, ReadsAProbeWithTypesFollowingTheInput) {
  const auto points =
      parse_validation(
          file_with(
              R"("metric": "latency_ns", "probe": {"op": "activation", "function": "exp", "in": "bf16", "from": "psum", "columns": 128, "chain": true})"),
          "f")
          .points;
  ASSERT_TRUE(points.at(0).probe.has_value());
  const InstructionProbe& probe = *points[0].probe;
  EXPECT_EQ(probe.op, Opcode::Activation);
  EXPECT_EQ(probe.engine, EngineKind::Scalar);
  EXPECT_EQ(probe.out, DType::Bf16);
  EXPECT_EQ(probe.from, Buffer::Psum);
  EXPECT_TRUE(probe.chain);
}

TEST(ValidationFile, AnUnknownKeyNamesTheNearestOne) {
  const std::string message = complaint(file_with(kKernel + R"(, "includes_lunch": true)"));
  EXPECT_TRUE(has(message, "f.json: points[0] (p): unknown key 'includes_lunch'")) << message;
  EXPECT_TRUE(has(message, "includes_launch")) << message;
}

TEST(ValidationFile, AllProblemsAreReportedAtOnce) {
  const std::string message = complaint(file_with(R"("kernel": "matmul", "metric": "speed", "cores": 0)"));
  EXPECT_TRUE(has(message, "'metric' = 'speed'")) << message;
  EXPECT_TRUE(has(message, "'cores' = 0")) << message;
}

TEST(ValidationFile, AProblemInAProbeSaysWhere) {
  const std::string message = complaint(file_with(R"("metric": "latency_ns", "probe": {"op": "tensor_coppy"})"));
  EXPECT_TRUE(has(message, "points[0] (p) probe: 'op' = 'tensor_coppy'")) << message;
}

TEST(ValidationFile, KernelAndProbeExcludeEachOther) {
  EXPECT_TRUE(has(complaint(file_with(kKernel + R"(, "probe": {"op": "tensor_copy"})")), "exactly one"));
  EXPECT_TRUE(has(complaint(file_with(R"("metric": "time_us")")), "exactly one"));
}

TEST(ValidationFile, ReadsAnNkiKernelRelativeToTheFile) {
  const std::string keys =
      R"("metric": "time_us", "follows": "close", "nki": {"kernel": "k/a.py::f", "args": ["x=bf16[1,2]"], "policy": ["a=b"]})";
  const ValidationPoint point = parse_validation(file_with(keys), "folder/f.json").points.at(0);
  ASSERT_TRUE(point.nki.has_value());
  EXPECT_EQ(point.nki->kernel, "folder/k/a.py::f");
  EXPECT_EQ(point.nki->args, std::vector<std::string>{"x=bf16[1,2]"});
  EXPECT_EQ(point.nki->policy, std::vector<std::string>{"a=b"});
  EXPECT_EQ(point.follows, Follows::Close);
  EXPECT_EQ(runs_of(point).at(0).nki, point.nki);
}

TEST(ValidationFile, ReadsATraceRelativeToTheFile) {
  const ValidationPoint point = parse_validation(file_with(R"("metric": "time_us", "trace": "../t.jsonl")"), "a/b/f.json").points.at(0);
  EXPECT_EQ(point.trace, "a/t.jsonl");
  EXPECT_EQ(runs_of(point).at(0).trace, "a/t.jsonl");
}

TEST(ValidationFile, AnNkiKernelIsAFileAndAFunction) {
  EXPECT_TRUE(has(complaint(file_with(R"("metric": "time_us", "nki": {"kernel": "a.py"})")), "'kernel' = 'a.py' is not FILE.py::function"));
  EXPECT_TRUE(has(complaint(file_with(R"("metric": "time_us", "nki": {"kernel": "a.py::f", "args": [1]})")), "'args': 1 is not a text"));
  EXPECT_TRUE(has(complaint(file_with(R"("metric": "time_us", "cores": 2, "nki": {"kernel": "a.py::f"})")), "'cores' goes with 'kernel'"));
  EXPECT_TRUE(has(complaint(file_with(kKernel + R"(, "follows": "roughly")")), "'follows' = 'roughly' is not known"));
}

TEST(ValidationFile, ListsWhatIsNotRunWithItsReason) {
  const ValidationFile file =
      parse_validation(R"({"trnsim_validation": "1.0", "points": [], "not_run": [{"id": "x", "reason": "no shape", "source": "s"}]})", "f");
  ASSERT_EQ(file.not_run.size(), 1U);
  EXPECT_EQ(file.not_run[0].reason, "no shape");
  EXPECT_TRUE(
      has(complaint(R"({"trnsim_validation": "1.0", "points": [], "not_run": [{"id": "x"}]})"), "f.json: not_run[0]: 'reason' is missing"));
}

class ProfiledDuration : public testing::Test {
 protected:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / fmt::format("trnsim-profile-{}", ::getpid());
  void SetUp() override {
    std::filesystem::create_directory(folder_);
    std::ofstream(folder_ / "summary.json") << R"([{"total_time": 0.0018, "name": "k"}])";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] static std::string point(const std::string& from) {
    return R"({"trnsim_validation": "1.0", "points": [{"id": "p", "group": "g", "chip": "trn2", "quality": "A", "source": "s",)" + kKernel +
           R"(, "measured_from": )" + from + "}]}";
  }
  [[nodiscard]] std::string refusal(const std::string& from) const {
    try {
      (void)parse_validation(point(from), (folder_ / "f.json").string());
    } catch (const ConfigError& e) {
      return e.what();
    }
    return {};
  }
};

TEST_F(ProfiledDuration, IsReadOutOfTheProfilersFile) {
  const auto file = parse_validation(point(R"({"file": "summary.json", "pointer": "/0/total_time"})"), (folder_ / "f.json").string());
  EXPECT_NEAR(file.points.at(0).measured, 1800, 1e-6);
}

TEST_F(ProfiledDuration, AWrongPlaceOrUnitIsNamed) {
  EXPECT_TRUE(
      has(refusal(R"({"file": "summary.json", "pointer": "/0/name"})"), "'pointer' = '/0/name': no positive number in summary.json"));
  EXPECT_TRUE(has(refusal(R"({"file": "summary.json", "pointer": "total"})"), "no positive number"));
  EXPECT_TRUE(
      has(refusal(R"({"file": "summary.json", "pointer": "/0/total_time", "unit": "min"})"), "'unit' = 'min' is not s, ms, us or ns"));
}

TEST(ValidationFile, ASlopeNeedsAProbe) {
  EXPECT_TRUE(has(complaint(file_with(R"("kernel": "matmul", "metric": "interval_ns")")), "needs a probe"));
  EXPECT_TRUE(has(complaint(file_with(R"("kernel": "copy", "metric": "relative_gb_per_s")")), "'reference' goes with"));
}

TEST(ValidationFile, OtherVersionsAndBrokenFilesAreRefused) {
  EXPECT_TRUE(has(complaint("{"), "f.json: not valid JSON"));
  EXPECT_TRUE(has(complaint(R"({"trnsim_validation": "9.0", "points": []})"), "this version reads '1.0'"));
  EXPECT_TRUE(has(complaint(R"({"trnsim_validation": "1.0"})"), "'points' is not a list"));
  EXPECT_TRUE(has(complaint("[]"), "an object is expected"));
}

TEST(ValidationFile, AMissingFileIsAnIoError) { EXPECT_THROW((void)load_validation("/nonexistent/points.json"), IoError); }

TEST(ShippedPoints, AreReadAndHaveUniqueNames) {
  const auto points = load_validation(kShipped).points;
  EXPECT_GT(points.size(), 100U);
  std::set<std::string> ids;
  for (const ValidationPoint& p : points) {
    EXPECT_TRUE(ids.insert(p.id).second) << p.id;
    EXPECT_FALSE(p.source.empty()) << p.id;
  }
}

TEST(ShippedPoints, SayHowFarAKernelFollowsWhatWasMeasured) {
  for (const ValidationPoint& p : load_validation(kShipped).points) EXPECT_EQ(p.follows == Follows::Unsaid, p.probe.has_value()) << p.id;
}

TEST(ShippedPoints, NameKernelFilesThatExist) {
  for (const ValidationPoint& p : load_validation(kShipped).points) {
    if (!p.nki) continue;
    EXPECT_TRUE(std::filesystem::exists(p.nki->kernel.substr(0, p.nki->kernel.find("::")))) << p.id;
  }
}

TEST(ShippedPoints, NameOnlyPresetsAndKernelsThatExist) {
  const auto presets = preset_names();
  for (const ValidationPoint& p : load_validation(kShipped).points) {
    EXPECT_NE(std::find(presets.begin(), presets.end(), p.chip), presets.end()) << p.id;
    if (p.kernel.empty()) continue;
    EXPECT_NO_THROW((void)kernel_info(p.kernel)) << p.id;
  }
}

TEST(ShippedPoints, CanBeTurnedIntoPrograms) {
  std::vector<std::string> warnings;
  std::map<std::string, ChipConfig> chips;
  for (const ValidationPoint& p : load_validation(kShipped).points) {
    if (!chips.contains(p.chip)) chips[p.chip] = load_chip(p.chip, {}, warnings);
    if (p.nki || !p.trace.empty()) continue;
    for (const ValidationRun& run : runs_of(p)) EXPECT_NO_THROW((void)workload_of(run, chips[p.chip])) << p.id;
  }
}

/// Instructions of a probe after its tiles are filled.
std::vector<Instruction> instructions(const InstructionProbe& probe, std::uint32_t count) {
  Workload workload = make_probe(probe, count);
  std::vector<Instruction> list;
  for (const Record* r = workload.programs[0]->next(); r != nullptr; r = workload.programs[0]->next()) {
    if (r->kind == Record::Kind::Instruction && (r->instruction.op != Opcode::Memset || probe.op == Opcode::Memset)) {
      list.push_back(r->instruction);
    }
  }
  return list;
}

TEST(Probe, AStreamIsIndependentAndAChainIsNot) {
  InstructionProbe probe;
  const auto stream = instructions(probe, 3);
  ASSERT_EQ(stream.size(), 3U);
  EXPECT_EQ(stream[2].after_count, 0);
  probe.chain = true;
  const auto chain = instructions(probe, 3);
  ASSERT_EQ(chain.size(), 3U);
  EXPECT_EQ(chain[0].after_count, 0);
  EXPECT_EQ(chain[2].after_count, 1);
  EXPECT_EQ(chain[2].after[0], chain[1].id);
}

TEST(Probe, InputsAreFilledBeforeTheyAreRead) {
  InstructionProbe probe;
  probe.op = Opcode::TensorTensor;
  Workload workload = make_probe(probe, 1);
  std::set<TensorId> declared, written;
  for (const Record* r = workload.programs[0]->next(); r != nullptr; r = workload.programs[0]->next()) {
    if (r->kind == Record::Kind::Tile) declared.insert(r->tile);
    if (r->kind != Record::Kind::Instruction) continue;
    const Instruction& i = r->instruction;
    for (const Operand& operand : i.operands) EXPECT_TRUE(!operand.present() || declared.contains(operand.tensor));
    if (i.op == Opcode::Memset) written.insert(i.operands[0].tensor);
    else EXPECT_TRUE(written.contains(i.find(Role::Data)->tensor) && written.contains(i.find(Role::Data2)->tensor));
  }
}

TEST(Probe, AMatmulCountsItsWork) {
  InstructionProbe probe;
  probe.op = Opcode::NcMatmul;
  probe.engine = EngineKind::Tensor;
  probe.in = DType::Bf16;
  const Workload workload = make_probe(probe, 10);
  EXPECT_EQ(workload.programs[0]->info().macs, 10ULL * 128 * 128 * 512);
  const Instruction i = instructions(probe, 1).at(0);
  EXPECT_EQ(i.find(Role::Dst)->buffer, Buffer::Psum);
  EXPECT_EQ(i.find(Role::Moving)->columns(), 512U);
}

TEST(Probe, AReductionWritesOneColumn) {
  InstructionProbe probe;
  probe.op = Opcode::TensorReduce;
  EXPECT_EQ(instructions(probe, 1).at(0).find(Role::Dst)->columns(), 1U);
}

TEST(Probe, TheVectorOperandIsOnePerPartition) {
  InstructionProbe probe;
  probe.op = Opcode::Activation;
  probe.engine = EngineKind::Scalar;
  EXPECT_EQ(instructions(probe, 1).at(0).find(Role::Bias), nullptr);
  probe.vector_operand = true;
  const Instruction i = instructions(probe, 1).at(0);
  ASSERT_NE(i.find(Role::Bias), nullptr);
  EXPECT_EQ(i.find(Role::Bias)->columns(), 1U);
  EXPECT_EQ(i.find(Role::Scale), nullptr);
}

TEST(Probe, AnEngineThatLacksTheInstructionIsRefused) {
  InstructionProbe probe;
  probe.op = Opcode::AffineSelect;
  probe.engine = EngineKind::Scalar;
  EXPECT_THROW((void)make_probe(probe, 1), WorkloadError);
}

}  // namespace
}  // namespace trnsim
