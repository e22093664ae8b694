#include "cli/doctor/doctor_script.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/documents.h"
#include "base/plain_text.h"

namespace walduct::cli {
namespace {

constexpr absl::string_view kSql[] = {"GRANT ", "ALTER ", "CREATE "};
constexpr absl::string_view kShell[] = {"kafka-topics.sh ", "kafka-configs.sh ", "kafka-acls.sh "};
constexpr absl::string_view kReload = "SELECT pg_reload_conf()";

template <typename Words>
bool BeginsWithOneOf(absl::string_view text, const Words& words) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](absl::string_view word) { return absl::StartsWith(text, word); });
}

bool IsCommand(absl::string_view text) {
  const bool known = BeginsWithOneOf(text, kSql) || BeginsWithOneOf(text, kShell) ||
                     absl::StripSuffix(text, ";") == kReload;
  return known && !absl::StrContains(text, "\xE2\x80\xA6");  // an ellipsis: not the whole of it
}

// Of a hint that says first who runs it, or when.
absl::string_view FromCommandOn(absl::string_view hint) {
  if (BeginsWithOneOf(hint, kSql) || BeginsWithOneOf(hint, kShell)) return hint;
  const size_t colon = hint.find(": ");
  if (colon == absl::string_view::npos) return "";
  const absl::string_view rest = hint.substr(colon + 2);
  return BeginsWithOneOf(rest, kSql) || BeginsWithOneOf(rest, kShell) ? rest : "";
}

struct Steps {
  std::vector<std::string> commands;
  std::string afterwards;  // by hand; empty: nothing
};

Steps Split(absl::string_view hint) {
  Steps steps;
  std::vector<absl::string_view> left;
  for (const absl::string_view piece : absl::StrSplit(FromCommandOn(hint), "; ")) {
    const absl::string_view command = absl::StripSuffix(piece, ";");
    if (left.empty() && IsCommand(command))
      steps.commands.emplace_back(command);
    else
      left.push_back(piece);
  }
  steps.afterwards = absl::StrJoin(left, "; ");
  return steps;
}

std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::string Comment(absl::string_view text) {
  return absl::StrCat("# ", absl::StrReplaceAll(PlainText(text), {{"\n", " "}}), "\n");
}

}  // namespace

std::vector<std::string> CommandsOf(absl::string_view hint) { return Split(hint).commands; }

std::string FixScript(const ScriptTarget& target, const std::vector<operate::Finding>& findings) {
  std::string script = absl::StrCat(
      "#!/bin/sh\n",
      Comment(absl::StrCat("What walduct doctor found for connector ", target.connector,
                           ". Read it before you run it.")),
      "# PGUSER, PGPASSWORD: an administrator of the server, who also owns the tables.\n"
      "set -e\nexport PGHOST=",
      Quoted(target.host), " PGPORT=", Quoted(target.port), " PGDATABASE=", Quoted(target.database),
      "\n");
  for (const operate::Finding& finding : findings) {
    absl::StrAppend(&script, "\n",
                    Comment(absl::StrCat(operate::SeverityText(finding.severity), " ",
                                         finding.reason, ": ", finding.message)));
    // A notice is worth knowing, no more.
    const bool wrong = finding.severity != operate::Severity::kNotice;
    const Steps steps = wrong ? Split(finding.hint) : Steps();
    if (steps.commands.empty() && !finding.hint.empty())
      script += Comment(absl::StrCat("by hand: ", WithDocuments(finding.hint)));
    for (const std::string& command : steps.commands) {
      absl::StrAppend(
          &script,
          BeginsWithOneOf(command, kShell) ? command : absl::StrCat("psql -X -c ", Quoted(command)),
          "\n");
    }
    if (!steps.commands.empty() && !steps.afterwards.empty())
      script += Comment(absl::StrCat("by hand, afterwards: ", steps.afterwards));
  }
  return script;
}

}  // namespace walduct::cli
