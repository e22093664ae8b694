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
constexpr absl::string_view kAddTable = " ADD TABLE ";

template <typename Words>
bool BeginsWithOneOf(absl::string_view text, const Words& words) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](absl::string_view word) { return absl::StartsWith(text, word); });
}

// Words that join a statement of a hint with what is said about it.
constexpr absl::string_view kProse[] = {", or ",    ", and ",      ", then ", ", with ",
                                        ", which ", ", where ",    ", once ", " is for ",
                                        " (it ",    " makes them "};

// Outside of what is quoted.
bool HasProse(absl::string_view text) {
  char quote = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (quote == 0 && BeginsWithOneOf(text.substr(at), kProse)) return true;
    if (quote == 0 && (text[at] == '"' || text[at] == '\''))
      quote = text[at];
    else if (text[at] == quote)
      quote = 0;
  }
  return false;
}

bool IsCommand(absl::string_view text) {
  const bool known = BeginsWithOneOf(text, kSql) || BeginsWithOneOf(text, kShell) ||
                     absl::StripSuffix(text, ";") == kReload;
  // With an ellipsis it is not the whole of it.
  return known && !absl::StrContains(text, "\xE2\x80\xA6") && !HasProse(text);
}

// A command that goes on in words.
bool SaysWhen(absl::string_view text) {
  return (BeginsWithOneOf(text, kSql) || BeginsWithOneOf(text, kShell)) && HasProse(text);
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
    if (left.empty() && IsCommand(command)) {
      steps.commands.emplace_back(command);
      continue;
    }
    // "ALTER TABLE a …; ALTER TABLE b …, where …": that is a condition of both.
    if (left.empty() && SaysWhen(command))
      return {.commands = {}, .afterwards = std::string(FromCommandOn(hint))};
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

// At commas that stand neither in quotes nor in brackets.
std::vector<std::string> SplitTables(absl::string_view list) {
  std::vector<std::string> tables = {""};
  bool quoted = false;
  int depth = 0;
  for (const char c : list) {
    if (c == '"') quoted = !quoted;
    if (!quoted && c == '(') ++depth;
    if (!quoted && c == ')') --depth;
    if (c == ',' && !quoted && depth == 0)
      tables.emplace_back();
    else if (c != ' ' || !tables.back().empty())
      tables.back() += c;
  }
  return tables;
}

// Without quotes: some hints have them where others leave them out.
std::string KeyOf(absl::string_view command) { return absl::StrReplaceAll(command, {{"\"", ""}}); }

// Several findings may ask for the same, and what is done twice fails.
class Remaining {
 public:
  Remaining(const ScriptTarget& target, DoneCommands* done)
      : server_(absl::StrCat(target.host, " ", target.port, " ", target.database, " ")),
        done_(done) {}

  // What is still to be done of a command; empty: nothing.
  std::string Of(const std::string& command) {
    if (absl::StripSuffix(command, ";") == kReload) return command;
    const size_t add = absl::string_view(command).find(kAddTable);
    if (!absl::StartsWith(command, "ALTER PUBLICATION ") || add == absl::string_view::npos)
      return IsNew(command) ? command : "";
    const absl::string_view head = absl::string_view(command).substr(0, add + kAddTable.size());
    std::vector<std::string> tables;
    for (const std::string& table : SplitTables(absl::string_view(command).substr(head.size()))) {
      if (IsNew(absl::StrCat(head, absl::StripPrefix(table, "ONLY ")))) tables.push_back(table);
    }
    return tables.empty() ? "" : absl::StrCat(head, absl::StrJoin(tables, ", "));
  }

 private:
  bool IsNew(absl::string_view command) {
    const bool of_server = !BeginsWithOneOf(command, kShell);
    return done_->insert(absl::StrCat(of_server ? server_ : "", KeyOf(command))).second;
  }

  const std::string server_;
  DoneCommands* const done_;  // borrowed
};

}  // namespace

std::vector<std::string> CommandsOf(absl::string_view hint) { return Split(hint).commands; }

std::string FixScript(const ScriptTarget& target, const std::vector<operate::Finding>& findings,
                      DoneCommands* done) {
  std::string script = absl::StrCat(
      "#!/bin/sh\n",
      Comment(absl::StrCat("What walduct doctor found for connector ", target.connector,
                           ". Read it before you run it.")),
      "# PGUSER, PGPASSWORD: an administrator of the server, who also owns the tables.\n"
      "set -e\nexport PGHOST=",
      Quoted(target.host), " PGPORT=", Quoted(target.port), " PGDATABASE=", Quoted(target.database),
      "\n");
  Remaining remaining(target, done);
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
      const std::string rest = remaining.Of(command);
      if (rest.empty())
        script += Comment(absl::StrCat("done above: ", command));
      else
        absl::StrAppend(
            &script,
            BeginsWithOneOf(rest, kShell) ? rest : absl::StrCat("psql -X -c ", Quoted(rest)), "\n");
    }
    if (!steps.commands.empty() && !steps.afterwards.empty())
      script += Comment(absl::StrCat("by hand, afterwards: ", steps.afterwards));
  }
  return script;
}

}  // namespace walduct::cli
