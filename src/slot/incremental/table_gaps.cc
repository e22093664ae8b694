#include "slot/incremental/table_gaps.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "postgres/table_key.h"

namespace walduct::slot {
namespace {

using replication::Coverage;
using Kind = TableGap::Kind;

bool Meet(const std::vector<Oid>& a, const std::vector<Oid>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&b](Oid oid) { return std::find(b.begin(), b.end(), oid) != b.end(); });
}

// What was there before is there still, and brings the changes of a table from its first one on.
class Lasting {
 public:
  Lasting(const KnownTables& known, const Coverage& now)
      : comparable_(known.publication == now.publication && now.publication != Oid{}),
        known_(known.publication != Oid{} && now.publication != Oid{}),
        all_(now.all_tables && (comparable_ || known.publication == Oid{})) {
    const std::vector<Oid>& others =
        known.publication == Oid{} ? now.names_others : known.names_others;
    names_.insert(others.begin(), others.end());
    if (!comparable_) return;
    for (const auto& [name, table] : known.tables)
      names_.insert(table.named_by.begin(), table.named_by.end());
  }

  bool comparable() const { return comparable_; }
  // Which publication sent tables, or did not, and which does now.
  bool known() const { return known_; }
  bool Covers(const Coverage::Table& table) const {
    return all_ || std::any_of(table.named_by.begin(), table.named_by.end(),
                               [this](Oid oid) { return names_.contains(oid); });
  }

 private:
  const bool comparable_;  // the publication is the same
  const bool known_;
  const bool all_;
  absl::flat_hash_set<Oid> names_;
};

// Rows came under another name, or as another's.
bool WasElsewhere(const Coverage::Table& now) { return now.placed_later && !now.placed_empty; }

std::optional<Kind> JudgeNew(const Coverage::Table& now, bool same_lists, const Lasting& lasting) {
  const bool covers = same_lists && lasting.Covers(now);
  if (!covers && !now.whole) return Kind::kNew;
  if (WasElsewhere(now)) return Kind::kPlaced;
  if (!covers) return std::nullopt;
  return now.rewritten ? std::optional(Kind::kRewritten) : std::nullopt;
}

// was: the table of that name that the lists left out; its other rows were sent.
std::optional<Kind> JudgeLeft(Oid was, Oid relation, const Coverage::Table& now, bool same_lists,
                              const Lasting& lasting) {
  if (was == Oid{} || was == relation) return Kind::kUnlisted;
  const std::optional<Kind> kind = JudgeNew(now, same_lists, lasting);
  return kind == Kind::kNew ? Kind::kAnew : kind;
}

std::optional<Kind> JudgeKnown(const KnownTable& known, Oid relation, const Coverage::Table& now,
                               const Lasting& lasting) {
  if (known.relation == Oid{}) return std::nullopt;
  if (known.relation != relation) {
    const bool covers = lasting.Covers(now);
    if (!covers && !now.whole) return Kind::kAnew;
    if (WasElsewhere(now)) return Kind::kPlaced;
    return covers && now.schema_changed ? Kind::kMoved : Kind::kReplaced;
  }
  if (known.unlogged && !now.unlogged) return Kind::kLogged;
  // Whichever publication left it out, and whichever brings it back.
  if (lasting.known() && known.is_elsewhere()) return Kind::kBack;
  const bool unknown = !lasting.comparable() || known.named_by.empty() || now.named_by.empty();
  if (unknown || Meet(known.named_by, now.named_by)) return std::nullopt;
  return Kind::kBack;
}

// As there: letters, an id, and whether its owner was changed last.
struct Settings {
  explicit Settings(absl::string_view text)
      : letters(text.substr(0, text.find(' '))),
        of_owner(absl::ConsumeSuffix(&text, "o")),
        id(text.substr(std::min(text.size(), letters.size()))) {}

  absl::string_view letters;
  bool of_owner;
  absl::string_view id;
};

// Of tables that have no gap as a whole.
void AddAttached(const KnownTables& known, const std::vector<postgres::TableName>& captured,
                 const Coverage& coverage, std::vector<TableGap>* gaps) {
  for (const Coverage::Attached& one : coverage.attached) {
    const auto table = std::find_if(
        captured.begin(), captured.end(),
        [&one](const postgres::TableName& name) { return name.relation == one.table; });
    const bool is_whole = std::any_of(gaps->begin(), gaps->end(), [&one](const TableGap& gap) {
      return gap.table.relation == one.table && gap.kind != Kind::kAttached &&
             gap.kind != Kind::kReplaced;
    });
    const auto now = coverage.tables.find(one.table);
    const bool is_held = now != coverage.tables.end() && now->second.held;
    if (table == captured.end() || is_whole || is_held) continue;
    const KnownTable* const before = FindKnown(known, *table);
    const bool is_known = before != nullptr && before->relation == one.table;
    if (one.table != one.partition) {
      gaps->push_back({.kind = Kind::kAttached,
                       .table = *table,
                       .was = {},
                       .partition = one.name,
                       .condition = one.condition,
                       .link = one.link});
    } else if (!is_known) {
      gaps->push_back({.kind = Kind::kPlaced, .table = *table});
    } else if (now != coverage.tables.end() && now->second.sent && !now->second.by_itself) {
      // It was no partition for a while, and nothing else named it.
      gaps->push_back(
          {.kind = Kind::kBack, .table = *table, .was = before->relation, .link = one.link});
    }
  }
}

// What names tables that a later look is to judge, and has come since: it must not pass for what
// was there before.
absl::flat_hash_set<Oid> NamesOfHeld(const KnownTables& known, const Coverage& now) {
  absl::flat_hash_set<Oid> names;
  for (const auto& [relation, table] : now.tables) {
    if (table.held) names.insert(table.named_by.begin(), table.named_by.end());
  }
  if (names.empty()) return names;
  for (const Oid before : known.names_others) names.erase(before);
  for (const auto& [name, table] : known.tables) {
    for (const Oid before : table.named_by) names.erase(before);
  }
  return names;
}

std::vector<Oid> Without(std::vector<Oid> names, const absl::flat_hash_set<Oid>& held) {
  if (!held.empty()) std::erase_if(names, [&held](Oid name) { return held.contains(name); });
  return names;
}

// Rows of a partitioned table that nobody has sent so far come under the names of partitions, which
// nobody captures: all of it lacks them once it is sent.
bool IsElsewhere(const Coverage& now,
                 const absl::flat_hash_map<Oid, Coverage::Table>::const_iterator& table) {
  if (table == now.tables.end() || !table->second.by_leaves || table->second.held) return false;
  return now.all_tables || !table->second.named_by.empty();
}

// Tables that were captured under another name, and that the lists left out under some name since.
absl::flat_hash_set<Oid> LeftUnderSomeName(const KnownTables& known, bool same_lists) {
  absl::flat_hash_set<Oid> relations;
  for (const auto& [name, relation] : known.left) relations.insert(relation);
  if (!same_lists) {
    for (const auto& [name, table] : known.tables) relations.insert(table.relation);
  }
  relations.erase(Oid{});
  return relations;
}

// The transaction that did; 0: it is not known.
int64_t SettingsWrittenAt(const Coverage& coverage, const incremental::TransactionView& view) {
  uint32_t half = 0;  // of an id: the lower one
  if (!absl::SimpleAtoi(Settings(coverage.settings).id, &half)) return 0;
  return static_cast<int64_t>(view.next_xid) +
         static_cast<int32_t>(half - static_cast<uint32_t>(view.next_xid));
}

// Rows that came under other names, which nobody captures, come as they should.
bool BringsBack(const KnownTables& known, const Coverage& now) {
  return std::any_of(known.tables.begin(), known.tables.end(), [&now](const auto& one) {
    const auto table = now.tables.find(one.second.relation);
    return one.second.is_elsewhere() && table != now.tables.end() && table->second.sent;
  });
}

}  // namespace

const KnownTable* FindKnown(const KnownTables& known, const postgres::TableName& table) {
  const std::string name = NameOf(table);
  if (const auto found = known.tables.find(name); found != known.tables.end())
    return &found->second;
  const std::string joined = absl::StrCat(table.schema, ".", table.table);
  const auto found = joined == name ? known.tables.end() : known.tables.find(joined);
  const bool is_it = found != known.tables.end() && found->second.relation == table.relation;
  return is_it ? &found->second : nullptr;
}

std::string NameOf(const postgres::TableName& table) {
  return postgres::TableKey(table.schema, table.table);
}

std::vector<TableGap> FindGaps(const KnownTables& known, bool same_lists,
                               const std::vector<postgres::TableName>& captured,
                               const Coverage& coverage) {
  const Lasting lasting(known, coverage);
  const absl::flat_hash_set<Oid> renamed = LeftUnderSomeName(known, same_lists);
  const bool by_root = !absl::StrContains(Settings(known.settings).letters, 'r') &&
                       absl::StrContains(Settings(coverage.settings).letters, 'r');
  std::vector<TableGap> gaps;
  for (const postgres::TableName& table : captured) {
    const auto now = coverage.tables.find(table.relation);
    if (now == coverage.tables.end() || !now->second.sent) continue;
    const KnownTable* const before = FindKnown(known, table);
    const auto left = known.left.find(NameOf(table));
    const bool is_renamed =
        before == nullptr && left == known.left.end() && renamed.contains(table.relation);
    const Oid was = before != nullptr          ? before->relation
                    : left != known.left.end() ? left->second
                    : is_renamed               ? table.relation
                                               : Oid{};
    const std::optional<Kind> kind =
        is_renamed          ? Kind::kUnlisted
        : before != nullptr ? JudgeKnown(*before, table.relation, now->second, lasting)
        : left != known.left.end()
            ? JudgeLeft(was, table.relation, now->second, same_lists, lasting)
            : JudgeNew(now->second, same_lists, lasting);
    if (kind)
      gaps.push_back({.kind = *kind,
                      .table = table,
                      .was = was,
                      .listed = same_lists,
                      .by_settings = kind == Kind::kBack && by_root && before->is_elsewhere()});
  }
  AddAttached(known, captured, coverage, &gaps);
  return gaps;
}

bool WasRenamed(const KnownTables& known, const Coverage& now) {
  return known.publication == now.publication && !known.called.empty() && !now.name.empty() &&
         known.called != now.name;
}

void AddNarrower(const KnownTables& known, const std::vector<postgres::TableName>& captured,
                 const Coverage& coverage, absl::string_view wanted, std::vector<TableGap>* gaps) {
  if (known.publication == Oid{} || coverage.publication == Oid{} || known.settings.empty()) return;
  const Settings before(known.settings), after(coverage.settings);
  const bool is_other = known.publication != coverage.publication;
  if (!is_other && before.id == after.id) return;
  const bool gained = std::any_of(wanted.begin(), wanted.end(), [&](char letter) {
    return !absl::StrContains(before.letters, letter) && absl::StrContains(after.letters, letter);
  });
  // Its row was written by who renamed it, or changed its owner.
  const bool explained = is_other || after.of_owner || WasRenamed(known, coverage);
  if (!gained && (before.letters != after.letters || explained)) return;
  std::vector<TableGap> narrower;
  for (const postgres::TableName& table : captured) {
    const auto now = coverage.tables.find(table.relation);
    const KnownTable* const was = FindKnown(known, table);
    const bool goes_on = now != coverage.tables.end() && now->second.sent && was != nullptr &&
                         was->relation == table.relation;
    const bool has_one = std::any_of(gaps->begin(), gaps->end(), [&table](const TableGap& gap) {
      return gap.table.relation == table.relation && gap.kind != Kind::kAttached;
    });
    if (goes_on && !has_one) narrower.push_back({.kind = Kind::kLess, .table = table});
  }
  gaps->insert(gaps->end(), narrower.begin(), narrower.end());
}

KnownTables KnowNow(const KnownTables& known, const std::vector<postgres::TableName>& captured,
                    const Coverage& coverage) {
  // One that is gone may have another name, and come back: by its OID it is found.
  const bool gone = coverage.publication == Oid{};
  const bool holds = std::any_of(coverage.tables.begin(), coverage.tables.end(),
                                 [](const auto& table) { return table.second.held; });
  const absl::flat_hash_set<Oid> held = NamesOfHeld(known, coverage);
  KnownTables now{.lists = known.lists,
                  .publication = gone ? known.publication : coverage.publication,
                  .called = gone ? known.called : coverage.name,
                  .names_others = gone ? known.names_others : Without(coverage.names_others, held),
                  .settings = gone ? known.settings : coverage.settings,
                  .seen = known.seen,
                  .tables = {},
                  .lacks = known.lacks,
                  .left = known.left};
  // What is held back is judged by what it was before that.
  if (known.seen.empty() || (!coverage.since.empty() && !holds)) now.seen = coverage.seen;
  const bool same_publication = known.publication == now.publication;
  // What it does not send is missing once it sends it: no OID of the other one says so.
  const bool is_other = !same_publication && known.publication != Oid{};
  for (const postgres::TableName& table : captured) {
    const std::string name = NameOf(table);
    const auto found = coverage.tables.find(table.relation);
    const bool unlogged = found != coverage.tables.end() && found->second.unlogged;
    const KnownTable* const before = FindKnown(known, table);
    if (found != coverage.tables.end() && found->second.sent) {
      now.tables[name] = {.relation = table.relation,
                          .named_by = Without(found->second.named_by, held),
                          .unlogged = unlogged};
    } else if (before != nullptr || unlogged || IsElsewhere(coverage, found)) {
      KnownTable& kept = now.tables[name] = before == nullptr ? KnownTable{} : *before;
      if (unlogged || IsElsewhere(coverage, found)) kept.relation = table.relation;
      kept.unlogged = kept.unlogged || unlogged;
      if (!same_publication) kept.named_by.clear();
      const bool is_named = coverage.all_tables ||
                            (found != coverage.tables.end() && !found->second.named_by.empty());
      const bool is_there = found != coverage.tables.end() && !unlogged && !found->second.held;
      if (is_there && (is_named || is_other)) kept.named_by = {KnownTable::kElsewhere};
    }
  }
  return now;
}

void KeepLeft(const KnownTables& known, const std::vector<Oid>* left_out, KnownTables* now) {
  absl::flat_hash_set<Oid> captured;
  for (const auto& [name, table] : now->tables) captured.insert(table.relation);
  captured.erase(Oid{});
  const auto goes_on = [&](Oid relation) {
    return relation != Oid{} && (left_out == nullptr ||
                                 std::binary_search(left_out->begin(), left_out->end(), relation));
  };
  // Another one may have its name, and it another one.
  std::erase_if(now->left, [&](const auto& one) {
    return captured.contains(one.second) ||
           (now->tables.contains(one.first) && !goes_on(one.second));
  });
  if (now->lists == known.lists) return;
  for (const auto& [name, table] : known.tables) {
    const bool stays = captured.contains(table.relation) || now->tables.contains(name);
    if (!stays && now->left.size() < KnownTables::kMostLeft)
      now->left.emplace(name, table.relation);
  }
}

bool EndedBefore(const TableGap& gap, const Coverage& coverage,
                 const incremental::TransactionView& view) {
  int64_t end = 0;
  const auto table = coverage.tables.find(gap.table.relation);
  switch (gap.kind) {
    case Kind::kNew:
    case Kind::kAnew:
    case Kind::kBack:
      end = table == coverage.tables.end() ? 0 : table->second.named_at;
      if (gap.by_settings) end = SettingsWrittenAt(coverage, view);
      break;
    case Kind::kLess:
      end = SettingsWrittenAt(coverage, view);
      break;
    case Kind::kAttached:
      if (!absl::SimpleAtoi(gap.link.substr(gap.link.find('/') + 1), &end)) return false;
      break;
    case Kind::kPlaced:
      end = table == coverage.tables.end() ? 0 : table->second.placed_at;
      break;
    default:
      return false;
  }
  if (end <= 0) return false;
  // Who attaches or renames a table shuts its writers out, but for those of a root's partitions.
  const bool is_alone =
      gap.kind == Kind::kAttached || (gap.kind == Kind::kPlaced && !gap.table.partitioned);
  const auto xid = static_cast<uint64_t>(end);
  return (is_alone && xid < view.oldest) || view.IsBehind(xid, gap.table.relation);
}

bool MayLackDeletes(Kind kind) {
  return kind == Kind::kAnew || kind == Kind::kBack || kind == Kind::kLess ||
         kind == Kind::kUnlisted || kind == Kind::kLogged || kind == Kind::kReplaced;
}

std::string DescribeGap(Kind kind) {
  switch (kind) {
    case Kind::kNew:
      return "table is new to the connector: rows it had before are";
    case Kind::kAnew:
      return "table was created anew, or another one has taken its name: what was done to it "
             "before the publication named it is";
    case Kind::kBack:
      return "table was not in the publication for a while, or is in it with another row filter or "
             "other columns: what was done to it meanwhile is";
    case Kind::kPlaced:
    case Kind::kMoved:
      return "table has had another name, schema or parent: rows from before are";
    case Kind::kAway:
      return "table had another name for a while, which the lists leave out: what was done to it "
             "then is";
    case Kind::kUnlisted:
      return "table was captured, and the lists left it out for a while: what was done to it "
             "meanwhile is";
    case Kind::kLogged:
      return "table was unlogged: what was done to it then, which is not in the WAL, is";
    case Kind::kRewritten:
      return "table has got other files since it was made, as by SET LOGGED or TRUNCATE: if it was "
             "unlogged, rows of that time are";
    case Kind::kAttached:
      return "a table was attached as a partition: the rows that it had are";
    case Kind::kLess:
      return "the publication did not send all kinds of changes for a while, or was altered and is "
             "as it was: what was done to the table meanwhile may be";
    case Kind::kDeletedTopic:
      return "the table's topic was deleted, or lost records that it had acknowledged: what had "
             "been "
             "sent to it is";
    case Kind::kReplaced:
      break;
  }
  return "table was created anew, and all of it is sent; rows of the former one are not deleted "
         "for "
         "who reads its topic";
}

std::string DescribeSettings(const KnownTables& known, const Coverage& now,
                             absl::string_view wanted) {
  if (known.publication != now.publication || known.settings.empty() ||
      known.settings == now.settings)
    return "";
  const Settings was(known.settings), is(now.settings);
  const absl::string_view before = was.letters, after = is.letters;
  if (absl::StrContains(before, 'r') != absl::StrContains(after, 'r'))
    return "the publication sends rows of partitions under other names "
           "(publish_via_partition_root)";
  std::vector<absl::string_view> lost;
  for (const auto& [letter, what] :
       {std::pair('i', "inserts"), std::pair('u', "updates"), std::pair('d', "deletes"),
        std::pair('t', "truncates"), std::pair('g', "generated columns")}) {
    const bool counts = letter == 'g' || absl::StrContains(wanted, letter);
    if (counts && absl::StrContains(before, letter) && !absl::StrContains(after, letter))
      lost.emplace_back(what);
  }
  if (!lost.empty())
    return absl::StrCat("the publication does not send any more: ", absl::StrJoin(lost, ", "));
  if (before != after || was.id == is.id || is.of_owner || WasRenamed(known, now)) return "";
  return "the publication was altered, and its settings are as they were: what it may have left "
         "out "
         "meanwhile is not sent";
}

std::string SettingsBack(const KnownTables& known, const Coverage& now,
                         absl::string_view publication) {
  const Settings was(known.settings), is(now.settings);
  const auto lost = [&](char letter) {
    return absl::StrContains(was.letters, letter) && !absl::StrContains(is.letters, letter);
  };
  std::vector<absl::string_view> kinds;
  bool lacks = false;
  for (const auto& [letter, what] : {std::pair('i', "insert"), std::pair('u', "update"),
                                     std::pair('d', "delete"), std::pair('t', "truncate")}) {
    lacks = lacks || lost(letter);
    if (absl::StrContains(was.letters, letter) || absl::StrContains(is.letters, letter))
      kinds.push_back(what);
  }
  const bool by_root = absl::StrContains(was.letters, 'r');
  std::vector<std::string> settings;
  if (lacks) settings.push_back(absl::StrCat("publish = '", absl::StrJoin(kinds, ", "), "'"));
  if (by_root != absl::StrContains(is.letters, 'r') && !BringsBack(known, now))
    settings.push_back(absl::StrCat("publish_via_partition_root = ", by_root ? "true" : "false"));
  if (lost('g')) settings.emplace_back("publish_generated_columns = stored");
  if (settings.empty()) return "";
  return absl::StrCat("ALTER PUBLICATION ", postgres::QuoteIdentifier(publication), " SET (",
                      absl::StrJoin(settings, ", "), ")",
                      lacks ? ", or skipped.operations where it is meant" : "");
}

}  // namespace walduct::slot
