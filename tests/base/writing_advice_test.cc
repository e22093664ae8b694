#include "base/writing_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/shell_word.h"

namespace walduct {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// As a user that is not root, to whom everything is allowed.
class WritingAdviceTest : public testing::Test {
 protected:
  WritingAdviceTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    std::ofstream(file_) << "x";
    if (was_root_) static_cast<void>(seteuid(kNobody));
  }
  ~WritingAdviceTest() override {
    if (was_root_) static_cast<void>(seteuid(0));
    chmod(folder_.c_str(), 0755);
    std::filesystem::remove_all(folder_);
  }

  static constexpr uid_t kNobody = 65534;
  const bool was_root_ = geteuid() == 0;
  const std::string folder_ =
      absl::StrCat(std::filesystem::temp_directory_path().string(), "/writing advice ", getpid());
  const std::string file_ = folder_ + "/a.dat";
};

TEST_F(WritingAdviceTest, NamesTheFileAndTheUser) {
  chmod(file_.c_str(), 0400);
  const std::string file = ShellWord(file_), uid = absl::StrCat(geteuid());
  const std::string advice = WritingAdvice(file_, EACCES);
  EXPECT_THAT(advice, HasSubstr(absl::StrCat("walduct runs as uid ", uid, ", ")));
  EXPECT_THAT(advice, testing::EndsWith("chmod u+rw " + file));
  const std::string chown = absl::StrCat("as root, chown ", uid, " ", file, " && ");
  EXPECT_EQ(absl::StrContains(advice, chown), was_root_) << advice;
  EXPECT_EQ(absl::StrContains(advice, "chown"), was_root_) << advice;
}

TEST_F(WritingAdviceTest, NamesTheFolderWhereItIsInTheWay) {
  const std::string folder = ShellWord(folder_);
  if (was_root_) {
    EXPECT_THAT(WritingAdvice(folder_ + "/new.dat", EACCES),
                AllOf(HasSubstr(absl::StrCat("chown ", kNobody, " ", folder)),
                      testing::EndsWith("chmod u+rwx " + folder)));
    ASSERT_EQ(seteuid(0), 0);
  }
  chmod(folder_.c_str(), 0);
  if (was_root_) static_cast<void>(seteuid(kNobody));
  EXPECT_THAT(WritingAdvice(file_, EACCES), testing::EndsWith("chmod a+x " + folder));
  if (was_root_) static_cast<void>(seteuid(0));
}

TEST_F(WritingAdviceTest, GoesByWhatTheSystemSays) {
  const std::string folder = ShellWord(folder_);
  EXPECT_THAT(WritingAdvice(file_, ENOSPC), HasSubstr("df -h " + folder));
  EXPECT_THAT(WritingAdvice(file_, EDQUOT), HasSubstr("quota -s"));
  EXPECT_THAT(WritingAdvice(file_, EROFS), HasSubstr("findmnt -T " + folder));
  EXPECT_THAT(WritingAdvice(file_, EPERM),
              AllOf(HasSubstr("lsattr -d " + folder), HasSubstr("chattr -i " + ShellWord(file_))));
  EXPECT_THAT(WritingAdvice(folder_ + "/sub/deep/a.dat", ENOENT),
              AllOf(HasSubstr("there is no folder " + ShellWord(folder_ + "/sub") + ":"),
                    HasSubstr("mkdir -p " + ShellWord(folder_ + "/sub/deep"))));
  EXPECT_EQ(WritingAdvice(file_, EINVAL), "");
}

}  // namespace
}  // namespace walduct
