#include "admin/reasons/reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "absl/strings/match.h"

namespace walduct::admin {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Sources() {
  std::string all;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(WALDUCT_SOURCE_DIR "/src")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() == ".cc" && !absl::StrContains(path, "/admin/reasons/"))
      all += ReadFile(path);
  }
  return all;
}

// Where errors are made: Error(code, "reason", …), and the tables of PostgreSQL's and Kafka's.
std::set<std::string> ReasonsOf(const std::string& sources) {
  static const std::regex kMade(
      R"re((?:Error\(\s*|[{,]\s*)(?:absl::|Code::|StatusCode::)*(?:StatusCode::)?k(?:Aborted|AlreadyExists|Cancelled|DataLoss|DeadlineExceeded|FailedPrecondition|Internal|InvalidArgument|NotFound|PermissionDenied|ResourceExhausted|Unauthenticated|Unavailable|Unimplemented),\s*"([a-z0-9_]+)")re");
  std::set<std::string> found;
  for (std::sregex_iterator at(sources.begin(), sources.end(), kMade), end; at != end; ++at)
    found.insert((*at)[1]);
  return found;
}

TEST(Reasons, EachThatIsMadeIsExplained) {
  const std::set<std::string> made = ReasonsOf(Sources());
  EXPECT_GT(made.size(), 180u);
  EXPECT_THAT(made, Contains("slot_in_use"));
  EXPECT_THAT(made, Contains("tls_untrusted"));
  EXPECT_THAT(made, Contains("record_too_large"));
  std::set<std::string> missing;
  for (const std::string& reason : made) {
    if (FindReason(reason) == nullptr) missing.insert(reason);
  }
  EXPECT_THAT(missing, IsEmpty()) << "add them to src/admin/reasons";
}

TEST(Reasons, NoneIsExplainedThatIsNotMade) {
  const std::string sources = Sources();
  std::set<std::string> names, gone;
  for (const ReasonGroup& group : ReasonGroups()) {
    for (const Reason& reason : group.reasons) {
      EXPECT_TRUE(names.insert(std::string(reason.name)).second) << reason.name << " twice";
      EXPECT_FALSE(reason.meaning.empty() || reason.remedy.empty()) << reason.name;
      if (!absl::StrContains(sources, "\"" + std::string(reason.name) + "\""))
        gone.insert(std::string(reason.name));
    }
  }
  EXPECT_THAT(gone, IsEmpty());
}

TEST(Reasons, TheirPageIsInTheDocuments) {
  EXPECT_EQ(ReadFile(WALDUCT_SOURCE_DIR "/docs/reasons.md"), ReasonsPage())
      << "walduct explain > docs/reasons.md";
}

TEST(Reasons, WhatIsAlmostOneIsFound) {
  EXPECT_THAT(SimilarReasons("slot_used"), Contains("slot_in_use"));
  EXPECT_THAT(SimilarReasons("too_large"), Contains("record_too_large"));
  EXPECT_THAT(SimilarReasons("zzz"), IsEmpty());
}

TEST(Reasons, AnExplanationSaysWhetherDataIsLost) {
  EXPECT_THAT(ExplainReason(*FindReason("slot_in_use")), HasSubstr("nothing is lost"));
  EXPECT_THAT(ExplainReason(*FindReason("slot_lost")), HasSubstr("may be gone for good"));
}

}  // namespace
}  // namespace walduct::admin
