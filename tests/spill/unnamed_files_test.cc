#include "spill/unnamed_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>

#include "base/error.h"

namespace walduct::spill {
namespace {

using testing::HasSubstr;

class UnnamedFilesTest : public testing::Test {
 protected:
  UnnamedFilesTest() {
    std::string path = testing::TempDir() + "/spill-XXXXXX";
    directory_ = mkdtemp(path.data());
  }
  ~UnnamedFilesTest() override { std::filesystem::remove_all(directory_); }

  std::string directory_;
};

TEST_F(UnnamedFilesTest, ReadsBackAndLeavesNoName) {
  UnnamedFiles disk(directory_);
  auto file = disk.Create();
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE((*file)->Append("hello ").ok());
  ASSERT_TRUE((*file)->Append("world").ok());
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
  std::string read(20, '\0');
  EXPECT_EQ((*file)->Read(0, read.data(), read.size()).value_or(0), 11u);
  EXPECT_EQ(read.substr(0, 11), "hello world");
  EXPECT_EQ((*file)->Read(6, read.data(), 3).value_or(0), 3u);
  EXPECT_EQ(read.substr(0, 3), "wor");
  EXPECT_EQ((*file)->Read(11, read.data(), 3).value_or(9), 0u);
}

TEST_F(UnnamedFilesTest, ADirectoryThatIsNotThere) {
  const absl::Status status = UnnamedFiles(directory_ + "/none").Create().status();
  EXPECT_EQ(ErrorReason(status), "spill_unwritable");
  EXPECT_THAT(std::string(status.message()), HasSubstr(directory_ + "/none: No such file"));
  EXPECT_THAT(ErrorHint(status), HasSubstr("walduct.transaction.spill.directory"));
}

// A limit on the size of files: what is written up to it is a short write, then an error.
TEST_F(UnnamedFilesTest, AWriteThatIsCutShortIsAnError) {
  const auto before = signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small = {.rlim_cur = 10'000, .rlim_max = limit.rlim_max};
  auto file = UnnamedFiles(directory_).Create();
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = (*file)->Append(std::string(50'000, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  signal(SIGXFSZ, before);
  EXPECT_EQ(ErrorReason(status), "spill_full");
  EXPECT_THAT(std::string(status.message()), HasSubstr(directory_));
}

}  // namespace
}  // namespace walduct::spill
