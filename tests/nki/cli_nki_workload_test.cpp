// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// NKI kernels in workload files, golden files, comparisons and sweeps.
#include "integration/cli.hpp"

namespace trnsim {
namespace fs = std::filesystem;
namespace {

/// Leaves a line in the file `recorded` each time it is recorded.
constexpr const char* kScale = R"(import os
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

HERE = os.path.dirname(os.path.abspath(__file__))


@nki.jit
def scale(x, by=2.0):
    print("recorded", file=open(os.path.join(HERE, "recorded"), "a"))
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0] // 128):
        nl.store(out[i * 128:(i + 1) * 128], nl.load(x[i * 128:(i + 1) * 128]) * by)
    return out
)";

class NkiWorkload : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    fs::create_directory(path("kernels"));
    write("kernels/k.py", kScale);
    write("kernels/w.json", R"({"trnsim_workload": "1.0", "nki": "k.py::scale", "args": {"x": "bf16[128,512]", "by": 3}})");
  }
  [[nodiscard]] nlohmann::ordered_json run(std::vector<std::string> args) const {
    args.insert(args.begin(), {"run", "--chip", "trn2", "--json", "-"});
    const Outcome outcome = trnsim(args);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return result(outcome.out);
  }
  [[nodiscard]] std::size_t recordings() const { return fs::exists(path("kernels/recorded")) ? lines(read("kernels/recorded")) : 0; }
  [[nodiscard]] std::string refusal_of_workload(const std::string& text) const {
    write("bad.json", text);
    const Outcome outcome = trnsim({"run", "--chip", "trn2", "--workload", "bad.json"});
    expect_refusal(outcome, 2);
    return outcome.err;
  }
};

TEST_F(NkiWorkload, FileNamesAKernelBesideItself) {
  const auto params = run({"--workload", "kernels/w.json"})["workload"]["params"];
  EXPECT_EQ(params["kernel"], "k.py::scale");
  EXPECT_EQ(params["arg_x"], "bf16[128,512]");
  EXPECT_EQ(params["arg_by"], "3");
}

TEST_F(NkiWorkload, CommandLineReplacesArgumentsOfTheFile) {
  const auto params = run({"--workload", "kernels/w.json", "--arg", "x=fp32[256,64]"})["workload"]["params"];
  EXPECT_EQ(params["arg_x"], "fp32[256,64]");
  EXPECT_EQ(params["arg_by"], "3");
}

TEST_F(NkiWorkload, KeysThatDoNotBelongAreRefused) {
  EXPECT_NE(refusal_of_workload(R"({"trnsim_workload": "1.0", "nki": "k.py::f", "kernel": "copy"})").find("exclude"), std::string::npos);
  EXPECT_NE(refusal_of_workload(R"({"trnsim_workload": "1.0", "nki": "k.py::f", "params": {"m": 1}})").find("args"), std::string::npos);
  EXPECT_NE(refusal_of_workload(R"({"trnsim_workload": "1.0", "kernel": "copy", "args": {"x": 1}})").find("nki"), std::string::npos);
  EXPECT_NE(refusal_of_workload(R"({"trnsim_workload": "1.0", "nki": "k.py"})").find("FILE.py::function"), std::string::npos);
}

TEST_F(NkiWorkload, GoldenFileNamesAKernelBesideItself) {
  write("kernels/g.json", R"({"trnsim_golden": "1.0", "cases": [
    {"name": "small", "args": ["--chip", "trn2", "--nki", "k.py::scale", "--arg", "x=bf16[128,512]"], "cycles": 1},
    {"name": "again", "args": ["--chip", "trn2", "--nki", "k.py::scale", "--arg", "x=bf16[128,512]"], "cycles": 1}]})");
  EXPECT_EQ(trnsim({"check", "kernels/g.json"}).code, 1);
  EXPECT_EQ(recordings(), 1U);  // for both
  ASSERT_EQ(trnsim({"check", "kernels/g.json", "--update"}).code, 0);
  EXPECT_EQ(trnsim({"check", "kernels/g.json"}).code, 0);
}

TEST_F(NkiWorkload, ChipsOfOneGenerationShareARecording) {
  const Outcome outcome = trnsim({"compare", "--chips", "trn1,inf2,trn2", "--nki", "kernels/k.py::scale", "--arg", "x=bf16[128,512]"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("k.py::scale"), std::string::npos) << outcome.out;
  EXPECT_EQ(recordings(), 2U);
}

class NkiSweep : public NkiWorkload {
 protected:
  [[nodiscard]] std::vector<std::string> sweep(const std::string& base, const std::string& axes, int code = 0) const {
    write("s.json", R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", )" + base + R"(}, "axes": [)" + axes + "]}");
    const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out", "--quiet"});
    EXPECT_EQ(outcome.code, code) << outcome.err;
    if (outcome.code == 2) return {outcome.err};
    std::vector<std::string> rows;
    std::string table = read("out/results.csv");
    for (std::size_t end = 0; (end = table.find('\n')) != std::string::npos; table.erase(0, end + 1)) rows.push_back(table.substr(0, end));
    return rows;
  }
};

TEST_F(NkiSweep, ArgumentsAreAxes) {
  const auto rows = sweep(R"("nki": "kernels/k.py::scale", "args": {"by": 2})",
                          R"({"path": "args.x", "values": ["bf16[128,512]", "bf16[256,512]", "bf16[384,512]"]})");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_TRUE(rows[0].starts_with("point,args.x,status")) << rows[0];
  EXPECT_EQ(rows[3].rfind("2,\"bf16[384,512]\",done", 0), 0U) << rows[3];
  EXPECT_EQ(recordings(), 3U);
}

TEST_F(NkiSweep, AxesOfTheChipShareARecording) {
  const auto rows = sweep(R"("nki": "kernels/k.py::scale", "args": {"x": "bf16[128,512]"})",
                          R"({"path": "set.hbm.stack_gb_per_s", "values": [200, 300, 400, 500]})");
  EXPECT_EQ(rows.size(), 5U);
  EXPECT_EQ(recordings(), 1U);
}

TEST_F(NkiSweep, WorkloadFileWithAKernelCanBeSwept) {
  const auto rows = sweep(R"("workload": "kernels/w.json")", R"({"path": "args.by", "range": {"from": 1, "to": 3, "steps": 3}})");
  EXPECT_EQ(rows.size(), 4U);
}

TEST_F(NkiSweep, PointThatCannotBeRecordedIsAFailedRow) {
  const auto rows = sweep(R"("nki": "kernels/k.py::scale")", R"({"path": "args.x", "values": ["bf16[128,512]", 7]})", 1);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_NE(rows[2].find("'int' object has no attribute 'shape'"), std::string::npos) << rows[2];
}

TEST_F(NkiSweep, MistakesAreFoundBeforeTheFirstPoint) {
  const auto refused = [this](const std::string& base, const std::string& axes) { return sweep(base, axes, 2).front(); };
  const std::string axis = R"({"path": "set.hbm.stack_gb_per_s", "values": [200]})";
  EXPECT_NE(refused(R"("nki": "kernels/none.py::scale")", axis).find("none.py"), std::string::npos);
  EXPECT_NE(refused(R"("nki": "kernels/k.py")", axis).find("FILE.py::function"), std::string::npos);
  EXPECT_NE(refused(R"("kernel": "copy", "params": {"bytes": 65536}, "args": {"x": 1})", axis).find("belongs to nki"), std::string::npos);
  EXPECT_NE(refused(R"("nki": "kernels/k.py::scale", "params": {"m": 1})", axis).find("args.NAME"), std::string::npos);
  EXPECT_EQ(recordings(), 0U);
}

}  // namespace
}  // namespace trnsim
