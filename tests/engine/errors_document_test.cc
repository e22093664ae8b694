// The table of errors in ARCHITECTURE.md says what error_policy.cc does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "engine/errors/error_policy.h"

namespace walduct::engine {
namespace {

using absl::StatusCode;
using testing::SizeIs;

struct Row {
  std::vector<std::string> names;  // codes, or reasons in backquotes
  std::string action;
  std::string exit_code;
};

std::string ReadFile(const std::string& name) {
  std::ifstream file(absl::StrCat(WALDUCT_SOURCE_DIR "/", name));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The rows about statuses.
std::vector<Row> Table() {
  const std::string text = ReadFile("ARCHITECTURE.md");
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  std::vector<Row> rows;
  for (auto line = std::find(lines.begin(), lines.end(), "## Errors"); line != lines.end();
       ++line) {
    const std::vector<std::string> cells = absl::StrSplit(*line, '|');
    const bool heading = cells.size() != 6 || absl::StartsWith(*line, "|-") ||
                         absl::StrContains(cells[1], "code or reason");
    if (heading || absl::StrContains(cells[1], "configuration errors")) continue;
    Row row = {.names = {},
               .action = std::string(absl::StripAsciiWhitespace(cells[3])),
               .exit_code = std::string(absl::StripAsciiWhitespace(cells[4]))};
    for (const absl::string_view name : absl::StrSplit(cells[1], ','))
      row.names.emplace_back(absl::StripAsciiWhitespace(name));
    rows.push_back(row);
  }
  return rows;
}

// As the table writes them: FailedPrecondition.
std::map<std::string, StatusCode> CodesByName() {
  std::map<std::string, StatusCode> codes;
  for (int code = 1; code <= 16; ++code) {
    std::string name;
    for (const absl::string_view word :
         absl::StrSplit(absl::StatusCodeToString(static_cast<StatusCode>(code)), '_'))
      absl::StrAppend(&name, word.substr(0, 1), absl::AsciiStrToLower(word.substr(1)));
    codes[name] = static_cast<StatusCode>(code);
  }
  return codes;
}

std::string Said(Action action) {
  switch (action) {
    case Action::kRetry:
      return "retry";
    case Action::kRetryNow:
      return "retry now";
    case Action::kRetrySoon:
      return "retry soon";
    case Action::kFail:
      return "stop";
  }
  return "";
}

std::string Said(const absl::Status& status) {
  const std::string starting = Said(ActionFor(status, Phase::kStarting));
  const std::string running = Said(ActionFor(status, Phase::kRunning));
  if (starting == running) return running;
  return absl::StrCat("at a start ", starting, ", later ", running);
}

// The action, and no longer one.
bool Says(const Row& row, const std::string& action) {
  if (!absl::StartsWith(row.action, action)) return false;
  const std::string rest = row.action.substr(action.size());
  return rest.empty() || rest[0] == ':' || rest[0] == ',' || rest[0] == ';' ||
         absl::StartsWith(rest, " with a hint");
}

void Compare(const Row& row, const std::string& name, const absl::Status& status) {
  EXPECT_TRUE(Says(row, Said(status))) << name << ": " << Said(status) << ", not " << row.action;
  if (row.exit_code == "–") return;
  EXPECT_EQ(row.exit_code.substr(0, 1), absl::StrCat(ExitCodeFor(status))) << name;
}

// One that would be treated otherwise without the reason, as far as there is one.
StatusCode CodeWith(const std::string& reason) {
  if (reason == "unknown_host" || reason == "batch_refused" || reason == "relation_renamed")
    return StatusCode::kUnavailable;
  return reason == "outbox_strict" ? StatusCode::kInvalidArgument : StatusCode::kFailedPrecondition;
}

TEST(ErrorsDocument, HasEveryCodeAsItIsTreated) {
  std::map<std::string, StatusCode> codes = CodesByName();
  ASSERT_THAT(codes, SizeIs(16));
  for (const Row& row : Table()) {
    for (const std::string& name : row.names) {
      if (absl::StartsWith(name, "`")) continue;
      ASSERT_EQ(codes.count(name), 1u) << name << " is not a code, or is there twice";
      Compare(row, name, absl::Status(codes[name], "x"));
      codes.erase(name);
    }
  }
  for (const auto& [name, code] : codes) ADD_FAILURE() << name << " is not in the table";
}

TEST(ErrorsDocument, HasEveryReasonAsItIsTreated) {
  std::set<std::string> reasons;
  for (const Row& row : Table()) {
    for (const std::string& name : row.names) {
      if (!absl::StartsWith(name, "`")) continue;
      const std::string reason = name.substr(1, name.size() - 2);
      reasons.insert(reason);
      Compare(row, reason, Error(CodeWith(reason), reason, "x"));
    }
  }
  const std::string code = ReadFile("src/engine/errors/error_policy.cc");
  static const std::regex kReason("\"([a-z]+_[a-z_]+)\"");
  std::set<std::string> known;
  for (std::sregex_iterator it(code.begin(), code.end(), kReason), end; it != end; ++it)
    known.insert((*it)[1]);
  EXPECT_THAT(known, SizeIs(testing::Gt(10u)));
  EXPECT_EQ(reasons, known);
}

}  // namespace
}  // namespace walduct::engine
