#include "replication/capture/capture_words.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/shell_word.h"
#include "replication/capture/publication_owner.h"

namespace walduct::replication {
namespace {

// What goes on behind the statements.
enum class Afterwards {
  kNothing,
  kRowsAreMissing,  // those that were written meanwhile
  kByRoot,          // the same, of a publication that no start alters; or the lists are wrong
  kMeant,           // perhaps it is
  kRestart,
  kLists,     // the configuration may be what is to be changed
  kIdentity,  // a key is better than the whole row
  kMore,      // the same, where nobody else wants what the statement takes away
  kSpelling,
  kColumns,
  kRestored,
  kNewName,  // the lists come before the statement
  kEntries,
  kRead,       // a snapshot is all that helps
  kReadAgain,  // into a topic that has nothing of it
  kDeleted,    // a snapshot tells no deletes
};

struct Words {
  absl::string_view reason, message;
  Afterwards afterwards = Afterwards::kNothing;
};

// Of a name with one of these an entry would be another expression.
constexpr char kOfPatterns[] = "\\^$*+?()[]{}|,";

constexpr Words kWords[] = {
    {"no_tables_captured",
     "the include and exclude lists match no table of the database: nothing is captured, and what "
     "is written meanwhile does not come later",
     Afterwards::kSpelling},
    {"list_matches_nothing",
     "entries of the include lists match no table of the database: where they are misspelt, the "
     "tables that they mean are not captured",
     Afterwards::kEntries},
    {"captured_table_dropped",
     "captured tables were dropped: nothing comes of them any more, and nobody tells consumers "
     "that the rows they had are gone",
     Afterwards::kRestored},
    {"captured_table_renamed",
     "captured tables have other names now, which the lists leave out: their changes are not "
     "captured",
     Afterwards::kNewName},
    {"column_matches_nothing",
     "entries of lists of columns match no column of a captured table: where they are misspelt, "
     "the columns that they mean are published as if there were no such entry",
     Afterwards::kColumns},
    {"partition_apart",
     "partitions are in another slot's publication than their root: their changes are published "
     "twice"},
    {"partition_attached",
     "tables were attached as partitions of captured ones: the rows that they had are not sent"},
    {"partition_sent_as_root",
     "partitions are captured, but the publication sends their rows under the name of their root, "
     "which is not: their changes are not captured",
     Afterwards::kLists},
    {"publication_column_list",
     "the publication does not send all columns of captured tables any more", Afterwards::kMeant},
    {"publication_lacks_operations", "the publication does not send all kinds of changes any more",
     Afterwards::kMeant},
    {"publication_lacks_tables",
     "captured tables are not in the publication: their changes are not captured",
     Afterwards::kRowsAreMissing},
    {"publication_missing",
     "the publication does not exist: nothing comes, and the next change of a table ends the "
     "stream",
     Afterwards::kNothing},
    {"publication_refuses_writes",
     "the server refuses UPDATE and DELETE on published tables: they have no replica identity, or "
     "one that is at odds with what the publication sends",
     Afterwards::kIdentity},
    {"publication_row_filter",
     "the publication has another row filter on captured tables: only rows that it lets pass are "
     "captured",
     Afterwards::kMeant},
    {"publication_sends_more",
     "the publication sends tables that the lists leave out: it is meant where several connectors "
     "share it",
     Afterwards::kMore},
    {"publication_without_partitions",
     "partitioned tables are captured, but not their partitions, under whose names the publication "
     "sends the rows: those changes are not captured",
     Afterwards::kByRoot},
    {"replica_identity_weaker",
     "captured tables had REPLICA IDENTITY FULL, and have not any more: records lack before-images",
     Afterwards::kMeant},
    {"signal_table_missing",
     "the table of signal.data.collection does not exist: no signal comes, and no incremental "
     "snapshot can be read"},
    {"signal_table_not_published",
     "the publication does not send the table of signal.data.collection: its signals never come, "
     "and incremental snapshots wait for their marks for ever"},
    {"signal_table_partitioned",
     "the table of signal.data.collection is partitioned, and the publication sends rows under the "
     "names of partitions: neither its signals come nor the marks of incremental snapshots",
     Afterwards::kRestart},
    {"table_created_anew",
     "captured names belong to other tables now, which are not in the publication: their changes "
     "are not captured",
     Afterwards::kRowsAreMissing},
    {"table_in_two_publications",
     "tables are in the publications of two slots: their changes are published twice"},
    {"table_was_not_published",
     "captured tables were not in the publication or the lists for a while, or it sent less of "
     "them: what was done to them then is not sent",
     Afterwards::kRead},
    {"table_was_unlogged", "captured tables were unlogged: what was done to them then is not sent",
     Afterwards::kDeleted},
    {"topic_deleted",
     "topics of captured tables were deleted, or lost records that they had acknowledged: what had "
     "been sent to them is gone for consumers",
     Afterwards::kReadAgain},
    {"unlogged_table",
     "captured tables are unlogged: their changes are not in the WAL, and never captured"},
};

const Words* WordsOf(absl::string_view reason) {
  for (const Words& words : kWords) {
    if (words.reason == reason) return &words;
  }
  return nullptr;
}

// What was captured before is forgotten: a restart of the connector alone remembers it.
std::string BeginAnew(const names::Called& called) {
  if (!called.where.empty())
    return absl::StrCat(names::Command(called, "stop"), " && ", names::Command(called, "resume"));
  return names::RestartCommand(called);
}

// What reads them: of those without a key a signal reads nothing but while the stream waits.
// tables: as `--table` takes them.
std::string Snapshots(const std::vector<const CaptureFinding*>& findings,
                      const std::vector<std::string>& tables, const CaptureWish& wish) {
  std::vector<std::string> keyed, keyless;
  for (const std::string& table : tables) {
    const bool has_none = std::any_of(findings.begin(), findings.end(), [&table](const auto* one) {
      return one->keyless && (one->argument.empty() ? one->table : one->argument) == table;
    });
    (has_none ? keyless : keyed).push_back(table);
  }
  if (keyless.empty()) return names::SnapshotCommand(wish.called, keyed);
  const std::string blocking = names::BlockingSnapshotCommand(wish.called, keyless);
  return absl::StrCat(
      keyed.empty() ? "" : names::SnapshotCommand(wish.called, keyed), keyed.empty() ? "" : "; ",
      blocking,
      "; without a key an incremental snapshot leaves a table out; the stream waits for "
      "this one");
}

// The list with the new names, those of before left out.
std::string Renamed(const std::vector<const CaptureFinding*>& findings, absl::string_view list) {
  std::vector<std::string> entries;
  for (const absl::string_view entry : absl::StrSplit(list, ',')) {
    const absl::string_view name = absl::StripAsciiWhitespace(entry);
    const auto is_old = [name](const CaptureFinding* finding) { return finding->table == name; };
    if (std::none_of(findings.begin(), findings.end(), is_old)) entries.emplace_back(name);
  }
  for (const CaptureFinding* const finding : findings) entries.push_back(finding->renamed_to);
  return absl::StrJoin(entries, ",");
}

// otherwise: what to do where it is not said.
std::string SetNames(const std::vector<const CaptureFinding*>& findings, const CaptureWish& wish,
                     absl::string_view otherwise) {
  const auto plain = [](const CaptureFinding* finding) {
    return !finding->renamed_to.empty() &&
           finding->renamed_to.find_first_of(kOfPatterns) == std::string::npos;
  };
  const bool said = !wish.include_list.empty() && findings.size() <= kMostNamed &&
                    std::all_of(findings.begin(), findings.end(), plain);
  if (!said) return std::string(otherwise);
  const std::string setting =
      absl::StrCat("table.include.list=", Renamed(findings, wish.include_list));
  return wish.called.where.empty() ? absl::StrCat("set ", setting, " and ", BeginAnew(wish.called))
                                   : names::SetCommand(wish.called, setting);
}

// The list without them; nothing: not each is an entry of it.
std::optional<std::string> Without(const std::vector<const CaptureFinding*>& findings,
                                   absl::string_view list) {
  std::vector<absl::string_view> kept;
  size_t taken = 0;
  for (absl::string_view entry : absl::StrSplit(list, ',')) {
    entry = absl::StripAsciiWhitespace(entry);
    const std::string name = absl::StrReplaceAll(entry, {{"\\.", "."}});
    const auto is_it = [&name](const CaptureFinding* finding) { return finding->table == name; };
    if (std::none_of(findings.begin(), findings.end(), is_it))
      kept.push_back(entry);
    else
      ++taken;
  }
  if (taken < findings.size()) return std::nullopt;
  return absl::StrJoin(kept, ",");
}

// What ends it where the tables are gone for good: an entry that stays matches nothing. A list that
// is empty would be of all tables.
std::string TakeOut(const std::vector<const CaptureFinding*>& findings, const CaptureWish& wish) {
  const std::string begin = BeginAnew(wish.called);
  if (wish.include_list.empty()) return begin;
  const std::optional<std::string> kept = Without(findings, wish.include_list);
  if (!kept) {
    return absl::StrCat(
        begin, ", and take entries of table.include.list that match no table any more out of it");
  }
  if (kept->empty()) {
    return absl::StrCat("name other tables in table.include.list, or say that these come again: ",
                        names::SetCommand(wish.called, "walduct.allow.empty=true"));
  }
  const std::string setting = absl::StrCat("table.include.list=", *kept);
  return wish.called.where.empty()
             ? absl::StrCat("set ", setting, " and ", begin)
             : absl::StrCat("take them out of the list: ", names::SetCommand(wish.called, setting));
}

// tables: as `--table` takes them, with the names that they have now.
std::string NewNames(const std::vector<const CaptureFinding*>& findings,
                     const std::vector<std::string>& tables, const CaptureWish& wish) {
  return absl::StrCat(
      SetNames(findings, wish,
               absl::StrCat("add the new names to the lists (table.include.list …) ",
                            names::WithConfiguration(wish.called))),
      "; what was written to them meanwhile does not come: ", Snapshots(findings, tables, wish));
}

std::string Spelling(const std::vector<const CaptureFinding*>& findings, const CaptureWish& wish) {
  std::vector<std::string> meant;
  for (const CaptureFinding* const finding : findings) {
    if (!finding->argument.empty() && meant.size() < kMostNamed) meant.push_back(finding->argument);
  }
  const std::string hint =
      SetNames(findings, wish,
               absl::StrCat("correct the entries (schema.table, regular expressions) ",
                            names::WithConfiguration(wish.called)));
  return absl::StrCat(hint,
                      meant.empty() ? ""
                                    : "; what is written to them before does not come: " +
                                          names::SnapshotCommand(wish.called, meant),
                      "; where the tables are still to come, nothing is to be done, and "
                      "walduct.allow.empty=true says so");
}

// Where that is written, of a list that hides beside the old entry.
std::string CorrectEntry(const CaptureFinding& one, const CaptureWish& wish) {
  // A row from before may still come under the name that such a list hides.
  const bool hides = HidesColumns(one.property);
  const std::string command =
      hides ? names::ExtendCommand(wish.called, one.property, one.renamed_to)
            : names::ReplaceCommand(wish.called, one.property, one.table, one.renamed_to);
  if (!command.empty()) return command;
  return absl::StrCat("write that ", hides ? "beside " : "in the place of ", one.table, " into ",
                      one.property, " and ", names::RestartCommand(wish.called));
}

// Of entries of lists of columns; the commands where it is known what they mean. What has a
// statement of its own is no misspelling.
std::string ColumnEntries(const std::vector<const CaptureFinding*>& findings,
                          const CaptureWish& wish) {
  std::string hint;
  size_t said = 0, asked = 0;
  for (const CaptureFinding* const one : findings) {
    if (!one->statement.empty()) continue;
    ++asked;
    const bool plain = one->renamed_to.find_first_of(kOfPatterns) == std::string::npos;
    if (one->renamed_to.empty() || !plain || said >= kMostNamed) continue;
    absl::StrAppend(&hint, "; if ", one->renamed_to, " is meant: ", CorrectEntry(*one, wish));
    ++said;
  }
  if (asked == 0) return "";
  if (said < asked) {
    absl::StrAppend(&hint, said == 0 ? "; " : "; else ",
                    "correct the entries (schema.table.column, regular expressions) ",
                    names::WithConfiguration(wish.called));
  }
  return absl::StrCat(
      hint,
      "; what was published before stays as it is; where columns are still to come, nothing is to "
      "be done; where they are gone, take the entries out, and nothing is said of them any more");
}

// Who can do what the statements say.
struct Doer {
  bool role = true;      // walduct's
  bool standby = false;  // nobody on this server
};

Doer DoerOf(const std::vector<const CaptureFinding*>& of_one_reason) {
  Doer doer;
  for (const CaptureFinding* const one : of_one_reason) {
    doer.role = doer.role && one->role_may;
    doer.standby = doer.standby || one->on_standby;
  }
  return doer;
}

// Of a publication that a start makes of the lists.
std::string DoneByAStart(const Doer& doer, const CaptureWish& wish) {
  if (doer.standby)
    return absl::StrCat(
        "; that is for the primary: this server is a standby, which is read-only",
        wish.filtered ? ", and a restart before it fails (publication_outdated)" : "");
  if (!wish.filtered || wish.follows) return "";
  if (!doer.role)
    return "; that is for the owner of the publication and the tables, or a superuser: the role "
           "may not do it, and a restart before it fails (publication_not_permitted)";
  return absl::StrCat(", or ", names::RestartCommand(wish.called),
                      ", which does it (walduct.publication.follow=true does it while it runs)");
}

// tables: as `--table` takes them.
std::string Rest(Afterwards afterwards, const std::vector<const CaptureFinding*>& of_one_reason,
                 const std::vector<std::string>& tables, const CaptureWish& wish) {
  switch (afterwards) {
    case Afterwards::kNothing:
      return "";
    case Afterwards::kRowsAreMissing:
      return absl::StrCat(
          DoneByAStart(DoerOf(of_one_reason), wish),
          "; what was written before that does not come: ", Snapshots(of_one_reason, tables, wish),
          "; ", names::DeletesNote(wish.called));
    case Afterwards::kByRoot:
      return absl::StrCat(
          "; what was written before that does not come: ", Snapshots(of_one_reason, tables, wish),
          "; ", names::DeletesNote(wish.called),
          Rest(Afterwards::kLists, of_one_reason, tables, wish));
    case Afterwards::kRestored:
      return absl::StrCat("; where it is not meant, restore them under their names, then ",
                          Snapshots(of_one_reason, tables, wish), " (",
                          names::DeletesNote(wish.called), "); where it is, ",
                          TakeOut(of_one_reason, wish));
    case Afterwards::kRead:
      return absl::StrCat("; ", Snapshots(of_one_reason, tables, wish), "; ",
                          names::DeletesNote(wish.called));
    case Afterwards::kReadAgain:
      return absl::StrCat("; ", Snapshots(of_one_reason, tables, wish),
                          "; deletes that nobody had read do not come again");
    case Afterwards::kDeleted:
      return absl::StrCat("; ", names::DeletesNote(wish.called));
    case Afterwards::kIdentity: {
      const bool full = std::any_of(
          of_one_reason.begin(), of_one_reason.end(),
          [](const auto* one) { return absl::EndsWith(one->statement, "REPLICA IDENTITY FULL"); });
      return full ? "; better than FULL, where it has columns for one, is a primary key: less WAL"
                  : "";
    }
    case Afterwards::kMeant:
      return absl::StrCat("; where it is meant, ", BeginAnew(wish.called));
    case Afterwards::kRestart:
      return absl::StrCat(", then ", names::RestartCommand(wish.called));
    case Afterwards::kSpelling:
      return absl::StrCat(
          "; check database.dbname, and correct the lists (schema.table, regular expressions) ",
          names::WithConfiguration(wish.called),
          "; walduct.allow.empty=true says that tables are still to come");
    case Afterwards::kColumns:
      return ColumnEntries(of_one_reason, wish);
    case Afterwards::kLists:
    case Afterwards::kMore:
      return absl::StrCat("; or change the lists (table.include.list …) ",
                          names::WithConfiguration(wish.called));
    case Afterwards::kNewName:
    case Afterwards::kEntries:
      return "";
  }
  return "";
}

// As `--table` takes them.
std::vector<std::string> TablesOf(const std::vector<const CaptureFinding*>& of_one_reason) {
  std::vector<std::string> tables;
  for (const CaptureFinding* const finding : of_one_reason) {
    const std::string& table = finding->argument.empty() ? finding->table : finding->argument;
    const bool named = !tables.empty() && tables.back() == table;
    if (!named && tables.size() < kMostNamed) tables.push_back(table);
  }
  return tables;
}

// A signal is what is typed of those that are read alone.
std::string StatementOf(const CaptureFinding& finding, const CaptureWish& wish) {
  const bool is_signal = !finding.read_with.empty() && !finding.statement.empty();
  return finding.keyless && is_signal
             ? names::BlockingSnapshotCommand(wish.called, {finding.argument})
             : finding.statement;
}

std::string HintOf(const std::vector<const CaptureFinding*>& of_one_reason,
                   const std::vector<std::string>& tables, const CaptureWish& wish) {
  std::vector<std::string> statements;
  for (const CaptureFinding* const finding : of_one_reason) {
    const std::string statement = StatementOf(*finding, wish);
    const bool said = !statements.empty() && statements.back() == statement;
    if (!statement.empty() && !said && statements.size() < kMostNamed)
      statements.push_back(statement);
  }
  const CaptureFinding& first = *of_one_reason.front();
  const Words* const words = WordsOf(first.reason);
  std::string rest = words == nullptr ? "" : Rest(words->afterwards, of_one_reason, tables, wish);
  if (words != nullptr && words->afterwards == Afterwards::kEntries)
    return Spelling(of_one_reason, wish);
  if (first.lists_first) {
    return absl::StrCat(
        "correct the lists first, an entry of them matches no table (list_matches_nothing), ",
        names::WithConfiguration(wish.called),
        "; only where nobody wants the tables: ", absl::StrJoin(statements, "; "));
  }
  if (words != nullptr && words->afterwards == Afterwards::kMore) {
    return absl::StrCat("where no other connector reads them by this publication: ",
                        absl::StrJoin(statements, "; "), rest);
  }
  if (words != nullptr && words->afterwards == Afterwards::kNewName) {
    return absl::StrCat(NewNames(of_one_reason, tables, wish),
                        statements.empty() ? "" : "; or, where they are out of use: ",
                        absl::StrJoin(statements, "; "));
  }
  if (statements.empty() && rest.size() > 2) rest = rest.substr(rest.starts_with("; or ") ? 5 : 2);
  return absl::StrCat(absl::StrJoin(statements, "; "), rest);
}

}  // namespace

absl::string_view CaptureMessage(absl::string_view reason) {
  const Words* const words = WordsOf(reason);
  return words == nullptr ? reason : words->message;
}

bool HidesColumns(absl::string_view property) {
  return absl::StartsWith(property, "column.mask.") ||
         absl::StartsWith(property, "column.truncate.") || property == "column.exclude.list";
}

std::string CaptureSubject(const CaptureFinding& finding) {
  if (finding.detail.empty()) return finding.table;
  return finding.table.empty() ? finding.detail
                               : absl::StrCat(finding.table, " (", finding.detail, ")");
}

std::string CaptureHint(const std::vector<const CaptureFinding*>& of_one_reason,
                        const CaptureWish& wish) {
  const std::vector<std::string> tables = TablesOf(of_one_reason);
  return WithOwner(of_one_reason, wish, Snapshots(of_one_reason, tables, wish),
                   HintOf(of_one_reason, tables, wish));
}

}  // namespace walduct::replication
