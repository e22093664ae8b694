#include "slot/incremental/new_tables.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json_text.h"
#include "base/log.h"
#include "postgres/table_argument.h"

namespace walduct::slot {
namespace {

using Kind = TableGap::Kind;

// FNV-1a: the same in each build.
std::string SumOf(absl::string_view text) {
  uint64_t sum = 0xcbf29ce484222325;
  for (const char c : text) sum = (sum ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return absl::StrFormat("%016x", sum);
}

// As a signal names it.
std::string Quoted(const postgres::TableName& table) {
  std::string text;
  for (const std::string* const part : {&table.schema, &table.table}) {
    if (!text.empty()) text += '.';
    text += '"';
    for (const char c : *part) text.append(c == '"' ? 2 : 1, c);
    text += '"';
  }
  return text;
}

std::string ExecuteData(const TableGap& gap) {
  std::string data = R"({"type":"incremental","data-collections":[)";
  const std::string table = Quoted(gap.table);
  AppendJsonString(table, &data);
  data += ']';
  if (!gap.condition.empty()) {
    data += R"(,"additional-conditions":[{"data-collection":)";
    AppendJsonString(table, &data);
    data += R"(,"filter":)";
    AppendJsonString(gap.condition, &data);
    data += "}]";
  }
  return data + '}';
}

std::string TimeText(const std::optional<absl::Time>& time) {
  return time ? absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", *time, absl::UTCTimeZone()) : "unknown";
}

constexpr absl::string_view kByItself =
    ", or walduct.snapshot.new.tables=incremental: docs/snapshots.md";

std::string HintFor(const TableGap& gap, const names::Called& called) {
  return absl::StrCat(CommandFor(gap, called), kByItself, MayLackDeletes(gap.kind) ? "; " : "",
                      MayLackDeletes(gap.kind) ? names::DeletesNote(called) : "");
}

// As it is stored; empty: it is told once.
absl::string_view WhyOf(Kind kind) {
  switch (kind) {
    case Kind::kNew:
      return "new";
    case Kind::kAnew:
      return "anew";
    case Kind::kBack:
      return "back";
    case Kind::kLess:
      return "less";
    case Kind::kAway:
      return "away";
    case Kind::kUnlisted:
      return "unlisted";
    case Kind::kAttached:
      return "attached";
    case Kind::kLogged:
      return "unlogged";
    case Kind::kDeletedTopic:
      return "topic";
    case Kind::kPlaced:
      return "placed";
    case Kind::kRewritten:
      return "rewritten";
    case Kind::kMoved:
    case Kind::kReplaced:
      break;
  }
  return "";
}

std::string ReasonOf(absl::string_view why) {
  return why == "attached"                         ? "partition_attached"
         : why == "unlogged" || why == "rewritten" ? "table_was_unlogged"
         : why == "topic"                          ? "topic_deleted"
                                                   : "table_was_not_published";
}

absl::string_view DetailOf(absl::string_view why) {
  return why == "new"    ? "it came into it with rows"
         : why == "anew" ? "created anew, or another one has taken its name"
         : why == "less"
             ? "the publication was altered, and sent fewer kinds of changes, or may have"
         : why == "unlisted"  ? "the lists left it out for a while"
         : why == "away"      ? "it had another name for a while"
         : why == "placed"    ? "it had another name, schema or parent, and rows"
         : why == "rewritten" ? "perhaps: it is new, and has got other files since it was made"
                              : "";
}

TableGap GapOf(const Lack& lack) {
  const std::pair<absl::string_view, Kind> kinds[] = {{"new", Kind::kNew},
                                                      {"anew", Kind::kAnew},
                                                      {"back", Kind::kBack},
                                                      {"less", Kind::kLess},
                                                      {"attached", Kind::kAttached},
                                                      {"unlogged", Kind::kLogged},
                                                      {"topic", Kind::kDeletedTopic},
                                                      {"away", Kind::kAway},
                                                      {"unlisted", Kind::kUnlisted},
                                                      {"placed", Kind::kPlaced},
                                                      {"rewritten", Kind::kRewritten}};
  TableGap gap{.kind = Kind::kBack,
               .table = {.relation = {}, .schema = lack.schema, .table = lack.table},
               .partition = lack.partition,
               .condition = lack.condition};
  for (const auto& [why, kind] : kinds) {
    if (why == lack.why) gap.kind = kind;
  }
  return gap;
}

}  // namespace

std::string CommandFor(const TableGap& gap, const names::Called& called) {
  const std::string table = postgres::TableArgument(gap.table.schema, gap.table.table);
  const std::string name = table.starts_with("'") ? Quoted(gap.table) : table;
  return names::SnapshotCommand(
      called, {table}, gap.condition.empty() ? "" : absl::StrCat(name, "=", gap.condition));
}

replication::CaptureFinding FindingOf(const Lack& lack, const names::Called& called) {
  const TableGap gap = GapOf(lack);
  const std::string name = NameOf(gap.table);
  const std::string reason = ReasonOf(lack.why);
  // One statement for all tables.
  const bool of_all = reason == "table_was_not_published" || reason == "topic_deleted";
  return {.reason = reason,
          .table = lack.partition.empty() ? name : lack.partition,
          .detail =
              lack.partition.empty() ? std::string(DetailOf(lack.why)) : absl::StrCat("of ", name),
          .statement = of_all ? "" : CommandFor(gap, called),
          .at_once = true,
          .argument = postgres::TableArgument(lack.schema, lack.table),
          .read_with = absl::StrCat(lack.schema, ".", lack.table)};
}

NewTables::NewTables(Parts parts, std::vector<postgres::TableName> captured)
    : parts_(std::move(parts)),
      captured_(std::move(captured)),
      lists_(SumOf(parts_.lists)),
      since_(parts_.since) {}

std::unique_ptr<NewTables> NewTables::Create(
    Parts parts, const std::optional<std::vector<postgres::TableName>>& captured,
    const std::string& stored) {
  if (!captured) return nullptr;
  auto tables = std::unique_ptr<NewTables>(new NewTables(std::move(parts), *captured));
  if (!stored.empty()) tables->Hold(stored);
  return tables;
}

std::string NewTables::Merge(const std::vector<std::string>& members) {
  KnownTables all;
  for (const std::string& member : members) {
    std::optional<KnownTables> one = DecodeKnownTables(member);
    if (!one) return "";
    MergeKnownTables(*std::move(one), &all);
  }
  return members.empty() ? "" : EncodeKnownTables(all);
}

void NewTables::Hold(const std::string& member) {
  std::optional<KnownTables> stored = DecodeKnownTables(member);
  compares_ = stored.has_value();
  if (!stored) {
    log::Warn("which tables were captured before is not known: walduct_tables is damaged");
    return;
  }
  known_ = *std::move(stored);
  Keep(member);
  if (!parts_.same_system) ForgetOids();
}

// Another system counts its OIDs anew.
void NewTables::ForgetOids() {
  bool had_some = false;
  for (auto& [name, table] : known_.tables) {
    had_some = had_some || table.relation != Oid{};
    table = {};
  }
  for (auto& [name, relation] : known_.left) relation = Oid{};
  known_.publication = Oid{};
  known_.called.clear();
  known_.names_others.clear();
  known_.settings.clear();
  if (!had_some) return;
  log::Info(
      "which tables were created anew since the position was stored is not known: the server is "
      "another system");
}

void NewTables::Begin(const std::optional<replication::Coverage>& coverage) {
  TellStored();
  TellDeleted();
  if (!coverage) return;
  Judge(captured_, *coverage);
  if (EncodeKnownTables(known_).empty()) {
    log::Info("tables that are captured only later will not be told of at the next start",
              {{"why", "too many to be kept with the position"}, {"tables", known_.tables.size()}});
  }
}

// Of what an earlier process has found; or the property is set by now that has it read.
void NewTables::TellStored() {
  if (!reads()) {
    for (const Lack& lack : known_.lacks) {
      if (parts_.lacks != nullptr) parts_.lacks(FindingOf(lack, parts_.called));
    }
    return;
  }
  std::vector<TableGap> gaps;
  for (const Lack& lack : std::exchange(known_.lacks, {})) gaps.push_back(GapOf(lack));
  if (!gaps.empty()) Take(gaps, true);
}

// Known ones: of others nothing is stored yet.
void NewTables::TellDeleted() {
  std::vector<TableGap> gaps;
  for (const postgres::TableName& table : parts_.without_topic) {
    const KnownTable* const known = FindKnown(known_, table);
    // One that is sent under other names may never have had a topic.
    if (known != nullptr && !known->is_elsewhere())
      gaps.push_back({.kind = Kind::kDeletedTopic, .table = table});
  }
  if (!gaps.empty()) Take(gaps, false);
}

void NewTables::WasRead(const std::string& table) {
  const auto known = known_.tables.find(table);
  if (known != known_.tables.end()) told_.erase(known->second.relation);
  const size_t erased = std::erase_if(known_.lacks, [&table](const Lack& lack) {
    return absl::StrCat(lack.schema, ".", lack.table) == table;
  });
  if (erased > 0 && asked_ == 0) Keep(EncodeKnownTables(known_));
}

// Of tables that are not captured any more.
void NewTables::ForgetLacks(KnownTables* now) const {
  std::erase_if(now->lacks, [&](const Lack& lack) {
    if (FindKnown(*now, {.relation = {}, .schema = lack.schema, .table = lack.table}) != nullptr)
      return false;
    if (parts_.lacks_no_more != nullptr)
      parts_.lacks_no_more(absl::StrCat(lack.schema, ".", lack.table));
    return true;
  });
}

// They were of a table that is gone; all of the one in its place is sent. A topic that was deleted
// had more than one of them.
bool NewTables::Replace(const TableGap& gap) {
  const size_t erased = std::erase_if(known_.lacks, [&gap](const Lack& lack) {
    return lack.schema == gap.table.schema && lack.table == gap.table.table &&
           lack.why != WhyOf(Kind::kDeletedTopic);
  });
  if (erased == 0) return false;
  if (parts_.lacks_no_more != nullptr)
    parts_.lacks_no_more(absl::StrCat(gap.table.schema, ".", gap.table.table));
  for (const Lack& lack : known_.lacks) {
    const bool is_left = lack.schema == gap.table.schema && lack.table == gap.table.table;
    if (is_left && parts_.lacks != nullptr) parts_.lacks(FindingOf(lack, parts_.called));
  }
  return true;
}

// True: it was not known to lack that.
bool NewTables::AddLack(const TableGap& gap) {
  Lack lack{.why = std::string(WhyOf(gap.kind)),
            .schema = gap.table.schema,
            .table = gap.table.table,
            .partition = gap.partition,
            .condition = gap.condition};
  const bool is_known =
      std::any_of(known_.lacks.begin(), known_.lacks.end(), [&lack](const Lack& one) {
        return ReasonOf(one.why) == ReasonOf(lack.why) && one.schema == lack.schema &&
               one.table == lack.table && one.partition == lack.partition;
      });
  if (!is_known) known_.lacks.push_back(std::move(lack));
  return !is_known;
}

void NewTables::Went(const postgres::TableName& was) {
  away_[was.relation] = NameOf(was);
  // Where the stream lags, looks have seen it come back already.
  if (parts_.look) parts_.look(/*again=*/true);
}

bool NewTables::IsBack(const postgres::TableName& table) {
  const auto away = away_.find(table.relation);
  if (away == away_.end() || away->second != NameOf(table)) return false;
  away_.erase(away);
  return true;
}

void NewTables::Saw(const std::vector<postgres::TableName>& captured,
                    const replication::Coverage& coverage, std::vector<Oid> left_out) {
  left_out_ = std::move(left_out);
  Judge(captured, coverage);
}

void NewTables::Judge(const std::vector<postgres::TableName>& captured,
                      const replication::Coverage& coverage) {
  const bool same_lists = known_.lists == lists_;
  std::vector<TableGap> gaps;
  if (compares_) {
    gaps = FindGaps(known_, same_lists, captured, coverage);
    AddNarrower(known_, captured, coverage, parts_.wanted, &gaps);
    LeaveOutRead(coverage, &gaps);
    TellSettings(coverage);
  }
  for (const postgres::TableName& table : captured) {
    if (!IsBack(table)) continue;
    const bool is_told = std::any_of(gaps.begin(), gaps.end(), [&table](const TableGap& gap) {
      return gap.table.relation == table.relation && gap.kind != Kind::kReplaced;
    });
    if (!is_told) gaps.push_back({.kind = Kind::kAway, .table = table});
  }
  KnownTables now = KnowNow(known_, captured, coverage);
  now.lists = lists_;
  KeepMissing(&now);
  KeepLeft(known_, left_out_ ? &*left_out_ : nullptr, &now);
  ForgetLacks(&now);
  whole_ = coverage.all_tables || !coverage.names_others.empty();
  const bool differs = !compares_ || !(now == known_);
  compares_ = true;
  known_ = std::move(now);
  Take(gaps, differs);
  if (parts_.seen != nullptr) parts_.seen(known_.seen);
  if (parts_.clock != nullptr) since_ = parts_.clock->Now();
}

// Who types what brings a table back and a snapshot of it at once is sooner than the look.
void NewTables::LeaveOutRead(const replication::Coverage& coverage,
                             std::vector<TableGap>* gaps) const {
  const auto was_read = [&](const TableGap& gap) {
    const auto read = read_.find(gap.table.relation);
    return read != read_.end() && EndedBefore(gap, coverage, read->second);
  };
  for (TableGap& gap : *gaps) {
    if (gap.kind == Kind::kAnew && was_read(gap)) gap.kind = Kind::kReplaced;
  }
  std::erase_if(*gaps, was_read);
}

void NewTables::TellSettings(const replication::Coverage& coverage) const {
  if (WasRenamed(known_, coverage)) {
    log::Info(
        "the publication has another name: if somebody has altered it, too, and altered it "
        "back, what it left out meanwhile is not sent",
        {{"was", known_.called}, {"is", coverage.name}, {"since", TimeText(since_)}});
  }
  const std::string what = DescribeSettings(known_, coverage, parts_.wanted);
  if (what.empty()) return;
  const std::string back = SettingsBack(known_, coverage, parts_.publication);
  log::Warn(what, {{"since", TimeText(since_)},
                   {"hint", absl::StrCat(back, back.empty() ? "" : "; ",
                                         "rows that were left out come with a snapshot: "
                                         "docs/catalog.md")}});
}

// Between its DROP and its CREATE a table is only missing. Those that stay away are forgotten: they
// may come back with rows. One that goes on under a name that the lists leave out has left them.
void NewTables::KeepMissing(KnownTables* now) {
  std::set<std::string> missing;
  if (now->lists == known_.lists) {
    for (const auto& [name, table] : known_.tables) {
      const auto same = now->tables.find(name);
      const bool is_there = same != now->tables.end();
      if (is_there ? same->second.relation != table.relation : missing_.contains(name))
        Leave(name, table.relation, now);
      if (is_there || missing_.contains(name)) continue;
      now->tables.emplace(name, table);
      missing.insert(name);
    }
  }
  missing_ = std::move(missing);
}

void NewTables::Leave(const std::string& name, Oid relation, KnownTables* now) const {
  const bool goes_on =
      left_out_ && std::binary_search(left_out_->begin(), left_out_->end(), relation);
  if (goes_on && now->left.size() < KnownTables::kMostLeft) now->left.emplace(name, relation);
}

void NewTables::Came(const postgres::TableName& table, bool renamed) {
  const KnownTable* const before = FindKnown(known_, table);
  const Oid was = before == nullptr ? Oid{} : before->relation;
  if (renamed && IsBack(table)) return Take({{.kind = Kind::kAway, .table = table}}, true);
  if (renamed ? told_.contains(table.relation) : was == table.relation) return;
  // What names it in the publication is not to be seen from here.
  if (!renamed && (whole_ || (parts_.look && parts_.look(/*again=*/false)))) return;
  known_.tables[NameOf(table)] = {.relation = table.relation};
  const Kind kind = renamed ? Kind::kPlaced : was == Oid{} ? Kind::kNew : Kind::kAnew;
  Take({{.kind = kind, .table = table, .was = was}}, true);
}

void NewTables::Take(const std::vector<TableGap>& gaps, bool differs) {
  for (const TableGap& gap : gaps) {
    if (absl::StrCat(gap.table.schema, ".", gap.table.table) == parts_.signal_table) continue;
    if (!gap.link.empty() && !links_.insert(gap.link).second) continue;
    if (gap.kind == Kind::kReplaced)
      differs = Replace(gap) || differs;
    else
      told_.insert(gap.table.relation);
    // The settings of a publication are of all tables, and may be as they were.
    const bool is_read = reads() && gap.kind != Kind::kReplaced && gap.kind != Kind::kLess &&
                         gap.kind != Kind::kDeletedTopic;
    const bool stands = gap.kind != Kind::kNew || (gap.listed && parts_.asked_for);
    if (stands && !is_read && !WhyOf(gap.kind).empty()) differs = AddLack(gap) || differs;
    Tell(gap, is_read);
    if (is_read) Ask(gap);
  }
  // What is asked for is known with positions behind the request alone.
  if (differs && asked_ == 0) Keep(EncodeKnownTables(known_));
}

void NewTables::Tell(const TableGap& gap, bool is_read) const {
  const std::string name = NameOf(gap.table), what = DescribeGap(gap.kind);
  const auto lack = std::find_if(known_.lacks.begin(), known_.lacks.end(), [&gap](const Lack& one) {
    return one.why == WhyOf(gap.kind) && one.schema == gap.table.schema &&
           one.table == gap.table.table && one.partition == gap.partition;
  });
  const bool is_shown = lack != known_.lacks.end() && parts_.lacks != nullptr &&
                        parts_.lacks(FindingOf(*lack, parts_.called));
  if (gap.kind == Kind::kNew) {
    if (is_read) return log::Info(absl::StrCat(what, " read beside the stream"), {{"table", name}});
    return log::Warn(absl::StrCat(what, " not sent"),
                     {{"table", name}, {"hint", HintFor(gap, parts_.called)}});
  }
  const bool is_of_all = gap.kind == Kind::kLess || gap.kind == Kind::kDeletedTopic;
  if (gap.kind == Kind::kAttached || gap.kind == Kind::kLogged || is_of_all) {
    const std::string reason = ReasonOf(WhyOf(gap.kind));
    const log::Field part = {"partition", gap.partition.empty() ? name : gap.partition};
    if (is_read)
      return log::Info(absl::StrCat(what, " read beside the stream"),
                       {{"table", name}, part, {"reason", reason}});
    if (is_shown || is_of_all) return;
    return log::Warn(
        absl::StrCat(what, " not sent"),
        {{"table", name}, part, {"reason", reason}, {"hint", HintFor(gap, parts_.called)}});
  }
  const log::Field table = {"table", name}, was = {"was", ToInteger(gap.was)},
                   is = {"is", ToInteger(gap.table.relation)}, since = {"since", TimeText(since_)};
  if (gap.kind == Kind::kReplaced)
    return log::Info(what, {table, was, is, since, {"hint", names::DeletesNote(parts_.called)}});
  if (is_read)
    return log::Info(absl::StrCat(what, " read beside the stream"), {table, was, is, since});
  log::Warn(absl::StrCat(what, " not sent"),
            {table, was, is, since, {"hint", HintFor(gap, parts_.called)}});
}

void NewTables::Ask(const TableGap& gap) {
  ++asked_;
  parts_.snapshots->Ask(
      {.id = parts_.new_id(), .type = "execute-snapshot", .data = ExecuteData(gap)}, [this] {
        if (--asked_ == 0) Keep(EncodeKnownTables(known_));
      });
}

// A position from before a request must not say that the tables are known: what was asked for has
// the newest mark.
void NewTables::Keep(std::string member) {
  parts_.ledger->Add(
      Ledger::Author::kNewTables,
      Ledger::One(event::kTablesMember, [member = std::move(member)] { return member; }));
}

}  // namespace walduct::slot
