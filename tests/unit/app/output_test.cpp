// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {
namespace fs = std::filesystem;

class Output : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / ("trnsim-output-" + std::to_string(::getpid()));
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }
  static std::string text_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
  }
  template <class Action>
  static std::string io_error(const Action& action) {
    try {
      action();
    } catch (const IoError& error) {
      return error.what();
    }
    return "";
  }

  std::ostringstream out_, err_;
  Console console_{out_, err_};

 private:
  fs::path directory_;
};

TEST_F(Output, FileIsReplacedAsAWholeAndNothingElseStays) {
  write_file(path("f"), "old and longer", console_);
  write_file(path("f"), "new", console_);
  EXPECT_EQ(text_of(path("f")), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(Output, DashIsTheConsole) {
  write_file("-", "text", console_);
  append_csv("-", "a,b", "1,2", console_);
  EXPECT_EQ(out_.str(), "texta,b\n1,2\n");
}

TEST_F(Output, ReplacedFileKeepsItsPermissions) {
  write_file(path("f"), "1", console_);
  ::chmod(path("f").c_str(), 0640);
  write_file(path("f"), "2", console_);
  EXPECT_EQ(fs::status(path("f")).permissions(), fs::perms{0640});
}

TEST_F(Output, SymbolicLinkStaysALink) {
  write_file(path("f"), "1", console_);
  fs::create_symlink("f", path("link"));
  write_file(path("link"), "2", console_);
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text_of(path("f")), "2");
}

TEST_F(Output, OnePlaceUnderTwoNamesIsRefused) {
  const std::string file = path("a.json"), same = path("") + "./x/../a.json";
  fs::create_directories(path("x"));
  EXPECT_THROW(check_places({file, same}), InputError);
  EXPECT_THROW(check_places({"-", "", "-"}), InputError);
  EXPECT_NO_THROW(check_places({file, path("b.json"), "", ""}));
  EXPECT_NO_THROW(check_places({"/dev/null", "/dev/null"}));
}

TEST_F(Output, AnInputIsNoPlaceForAnOutput) {
  std::ofstream(path("in.csv")) << "x";
  fs::create_symlink(path("in.csv"), path("link.csv"));
  EXPECT_THROW(check_places({path("in.csv")}, {"", path("in.csv")}), InputError);
  EXPECT_THROW(check_places({path("link.csv")}, {path("in.csv")}), InputError);
  EXPECT_NO_THROW(check_places({"-"}, {"-"}));
}

TEST_F(Output, MissingDirectoryIsNamedWithTheSystemError) {
  const std::string message = io_error([&] { check_writable(path("no/f")); });
  EXPECT_EQ(message, path("no/f") + ": cannot write: No such file or directory");
}

TEST_F(Output, DirectoryInPlaceOfTheFileIsRefused) {
  fs::create_directory(path("d"));
  EXPECT_NE(io_error([&] { write_file(path("d"), "x", console_); }).find("Is a directory"), std::string::npos);
}

TEST_F(Output, FileInPlaceOfTheDirectoryIsRefused) {
  write_file(path("f"), "1", console_);
  EXPECT_NE(io_error([&] { write_file(path("f/g"), "x", console_); }).find("Not a directory"), std::string::npos);
}

TEST_F(Output, FullDeviceIsNamedWithTheSystemError) {
  EXPECT_EQ(io_error([&] { write_file("/dev/full", "x", console_); }), "/dev/full: cannot write: No space left on device");
}

TEST_F(Output, TemporaryFileGoesAwayWhenItIsNotKept) {
  {
    const TemporaryBeside temporary(path("f.jsonl.gz"));
    EXPECT_TRUE(temporary.name().ends_with(".gz"));
    EXPECT_EQ(files(), 1u);
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(Output, CsvGetsItsHeaderOnce) {
  append_csv(path("f.csv"), "a,b", "1,2", console_);
  append_csv(path("f.csv"), "a,b", "3,4", console_);
  EXPECT_EQ(text_of(path("f.csv")), "a,b\n1,2\n3,4\n");
}

TEST_F(Output, EmptyCsvGetsAHeader) {
  write_file(path("f.csv"), "", console_);
  append_csv(path("f.csv"), "a,b", "1,2", console_);
  EXPECT_EQ(text_of(path("f.csv")), "a,b\n1,2\n");
}

TEST_F(Output, CsvWithOtherColumnsIsLeftAlone) {
  write_file(path("f.csv"), "x,y\n1,2\n", console_);
  EXPECT_THROW(check_csv(path("f.csv"), "a,b"), InputError);
  EXPECT_THROW(append_csv(path("f.csv"), "a,b", "3,4", console_), InputError);
  EXPECT_EQ(text_of(path("f.csv")), "x,y\n1,2\n");
}

TEST_F(Output, CsvEditedOnWindowsOrWithoutFinalNewlineIsContinued) {
  write_file(path("f.csv"), "a,b\r\n1,2", console_);
  append_csv(path("f.csv"), "a,b", "3,4", console_);
  EXPECT_EQ(text_of(path("f.csv")), "a,b\r\n1,2\n3,4\n");
}

TEST_F(Output, DescriptorStreamKeepsTheFirstError) {
  const int full = ::open("/dev/full", O_WRONLY);
  DescriptorStream stream(full);
  stream.stream() << "text";
  EXPECT_EQ(stream.flush(), ENOSPC);
  EXPECT_EQ(stream.flush(), ENOSPC);
  ::close(full);
}

}  // namespace
}  // namespace trnsim::app
