#include "replication/capture/capture_judge.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "names/table_filter.h"
#include "postgres/connection.h"
#include "postgres/table_argument.h"
#include "replication/capture/capture_map.h"
#include "replication/capture/capture_sql.h"
#include "replication/capture/idle_entries.h"
#include "replication/capture/publication_owner.h"
#include "replication/capture/written_tables.h"
#include "replication/publication/renamed_publication.h"
#include "replication/slot_share.h"
#include "replication/slots/distribution.h"

namespace walduct::replication {
namespace {

constexpr absl::string_view kNotAdded =
    "not added: without replica identity the server would refuse its UPDATE and DELETE";

// By which tables go to slots.
std::string JoinedName(const TableFacts& table) {
  return absl::StrCat(table.schema, ".", table.table);
}

std::string OidText(Oid relation) { return absl::StrCat("OID ", ToInteger(relation)); }

// What one publication's rows are like under each name that they come under.
struct ComesAs {
  const TableFacts* as = nullptr;
  const TableFacts* weakest = nullptr;  // of those with rows, by its identity
  const TableFacts* refused = nullptr;  // one that has an identity, and may not be written to
};

class Judge {
 public:
  Judge(const CaptureFacts& facts, const CaptureWish& wish, const CaptureMemory& memory)
      : facts_(facts),
        wish_(wish),
        memory_(memory),
        own_(facts.publications[static_cast<size_t>(wish.share->several() ? wish.share->number - 1
                                                                          : 0)]),
        map_(facts) {}

  CaptureVerdict Run() {
    Admit();
    LookForIdle();
    Spread();
    if (!own_.exists) {
      const auto renamed = facts_.names.find(memory_.publication);
      const bool listed = wish_.lists_given || wish_.filtered;
      Find({.reason = "publication_missing",
            .detail = postgres::QuoteIdentifier(own_.name),
            .statement =
                renamed == facts_.names.end()
                    ? CreateAgain(own_, facts_, memory_, listed ? admitted_ : std::set<Oid>())
                    : RenamedHint(renamed->second)});
      return std::move(verdict_);
    }
    for (const TableFacts& table : facts_.tables) {
      if (!table.partitioned) {
        LookAt(table);
      } else if (wish_.follows && map_.Leaves(table).empty()) {
        LookAtEmpty(table);
      }
    }
    for (const auto& [name, comes] : comes_) Compare(name, comes);
    for (const auto& [name, known] : memory_.tables) {
      LookForRenamed(name, known.relation, false);
      LookForDropped(name, known);
    }
    for (const auto& [name, relation] : memory_.before)
      if (!HasCome(name)) LookForRenamed(name, relation, wish_.filtered);
    LookAtOperations();
    LookAtSignals();
    LookForAny();
    for (CaptureFinding& finding : idle_) Find(std::move(finding));
    return std::move(verdict_);
  }

 private:
  void Find(CaptureFinding finding) {
    finding.on_standby = own_.on_standby;
    TellWhose(facts_, wish_, memory_, own_, &finding);
    if (said_.emplace(finding.reason, finding.table).second)
      verdict_.findings.push_back(std::move(finding));
  }

  void Admit() {
    for (const TableFacts& table : facts_.tables) {
      if ((*wish_.admits)(table)) admitted_.insert(table.relation);
    }
  }
  bool Admits(const TableFacts& table) const { return admitted_.contains(table.relation); }

  // Over the connector's slots.
  void Spread() {
    if (!wish_.share->several()) return;
    std::vector<TableOfSlots> tables;
    for (const TableFacts& table : facts_.tables) {
      if (!Admits(table)) continue;
      TableOfSlots one{.relation = table.relation,
                       .name = JoinedName(table),
                       .parents = {},
                       .root_name = JoinedName(table)};
      for (const TableFacts* const parent : map_.Ancestors(table)) {
        one.parents.push_back(parent->relation);
        one.root_name = JoinedName(*parent);
      }
      tables.push_back(std::move(one));
    }
    NamedIn named;
    for (size_t i = 0; i < facts_.publications.size(); ++i) {
      for (const auto& [relation, member] : facts_.publications[i].members)
        named[relation].insert(static_cast<int>(i) + 1);
    }
    for (const TableOfSlots& table : tables) {
      const auto slots = Distribute({table}, named, *wish_.share);
      if (slots.ok()) {
        slots_[table.relation] = slots->front();
        if (slots->front() != wish_.share->number) verdict_.elsewhere.insert(table.relation);
      } else if (named[table.relation].contains(wish_.share->number)) {
        Find({.reason = "table_in_two_publications",
              .table = table.name,
              .statement = ErrorHint(slots.status()),
              .at_once = true});
      }
    }
  }
  bool IsElsewhere(const TableFacts& table) const {
    return verdict_.elsewhere.contains(table.relation);
  }

  // The first slot says it of all.
  void LookForIdle() {
    if (wish_.lists == nullptr || (wish_.share->several() && wish_.share->number != 1)) return;
    if (wish_.lists->table_include == nullptr && wish_.lists->schema_include == nullptr) return;
    idle_ = FindIdleEntries(facts_, wish_, memory_);
  }

  // A list that is misspelt looks like one of tables that are still to come.
  void LookForAny() {
    if (admitted_.empty() && wish_.lists_given && !wish_.may_be_empty)
      Find({.reason = "no_tables_captured"});
  }

  // As it is configured.
  bool IsSignalTable(const TableFacts& table) const {
    return wish_.signal_table == JoinedName(table);
  }
  bool HasCome(const std::string& name) const { return memory_.tables.contains(name); }
  bool IsAskedFor(const std::string& name) const {
    return wish_.lists_given || wish_.filtered || HasCome(name);
  }

  // leaf: with rows.
  void LookAt(const TableFacts& leaf) {
    const TableFacts* const as = map_.SentAs(leaf, own_);
    if (as != nullptr && Admits(*as) && !IsElsewhere(*as)) return Comes(leaf, *as);
    std::vector<const TableFacts*> wanted;
    if (Admits(leaf) && !IsElsewhere(leaf)) wanted.push_back(&leaf);
    for (const TableFacts* const ancestor : map_.Ancestors(leaf)) {
      if (Admits(*ancestor) && !IsElsewhere(*ancestor)) wanted.push_back(ancestor);
    }
    if (wanted.empty()) {
      if (as != nullptr && !Admits(*as) && own_.members.contains(as->relation)) SentForNothing(*as);
      return;
    }
    // Of another slot's publication.
    if (ComesElsewhere(leaf)) return;
    Lacks(leaf, as, *wanted.back());
  }

  void Comes(const TableFacts& leaf, const TableFacts& as) {
    verdict_.captured.emplace(leaf.relation, as.relation);
    ComesAs& comes = comes_[NameOf(as)];
    comes.as = &as;
    if (comes.weakest == nullptr || Weaker(leaf, *comes.weakest)) comes.weakest = &leaf;
    if (comes.refused == nullptr && own_.refusals.contains(leaf.relation)) comes.refused = &leaf;
    LookForTwice(leaf, as);
  }

  const TableFacts* SentByOther(const TableFacts& leaf) const {
    for (size_t i = 0; i < facts_.publications.size(); ++i) {
      if (&facts_.publications[i] == &own_) continue;
      const TableFacts* const as = map_.SentAs(leaf, facts_.publications[i]);
      const auto slot = as == nullptr ? slots_.end() : slots_.find(as->relation);
      if (slot != slots_.end() && slot->second == static_cast<int>(i) + 1) return as;
    }
    return nullptr;
  }
  bool ComesElsewhere(const TableFacts& leaf) const {
    return wish_.share->several() && SentByOther(leaf) != nullptr;
  }

  // Whoever has the lower one says it.
  void LookForTwice(const TableFacts& leaf, const TableFacts& as) {
    if (!wish_.share->several()) return;
    const TableFacts* const other = SentByOther(leaf);
    if (other == nullptr) return;
    const std::vector<const TableFacts*> above = map_.Ancestors(as);
    if (std::find(above.begin(), above.end(), other) == above.end()) return;
    Find({.reason = "partition_apart",
          .table = NameOf(as),
          .detail = absl::StrCat("also as ", NameOf(*other)),
          .statement = DropSql(own_, as),
          .at_once = true});
  }

  void SentForNothing(const TableFacts& as) {
    if (IsSignalTable(as) || Writes(wish_.heartbeat_query, as.schema, as.table)) return;
    if (wish_.others_admit != nullptr && (*wish_.others_admit)(as)) return;
    Find({.reason = "publication_sends_more",
          .table = NameOf(as),
          .statement = DropSql(own_, as),
          .loses = false,
          .lists_first = std::any_of(idle_.begin(), idle_.end(), [](const CaptureFinding& one) {
            return one.loses || !one.renamed_to.empty();
          })});
  }

  // as: what its rows come as, and are left out; null: they do not come. wanted: the topmost that
  // the lists admit.
  void Lacks(const TableFacts& leaf, const TableFacts* as, const TableFacts& wanted) {
    const std::string name = NameOf(wanted);
    if (IsSignalTable(wanted)) return;
    if (leaf.unlogged) {
      return Find({.reason = "unlogged_table",
                   .table = NameOf(leaf),
                   .statement = absl::StrCat("ALTER TABLE ", Quoted(leaf), " SET LOGGED"),
                   .loses = HasCome(NameOf(leaf)) || HasCome(name)});
    }
    if (as == &leaf) {
      return Find({.reason = "publication_without_partitions",
                   .table = name,
                   .statement = ViaRootSql(own_, true),
                   .loses = IsAskedFor(name),
                   .argument = postgres::TableArgument(wanted.schema, wanted.table)});
    }
    if (as != nullptr && !Admits(leaf)) return ComesAsAnother(*as, wanted);
    if (as != nullptr) {
      return Find({.reason = "partition_sent_as_root",
                   .table = NameOf(leaf),
                   .detail = absl::StrCat("sent as ", NameOf(*as)),
                   .statement = ViaRootSql(own_, false),
                   .loses = IsAskedFor(NameOf(leaf))});
    }
    IsNotSent(leaf, wanted);
  }

  // Rows come as the topmost table that is published; the lists admit one above it, or below.
  void ComesAsAnother(const TableFacts& as, const TableFacts& wanted) {
    const std::vector<const TableFacts*> above = map_.Ancestors(as);
    const bool is_above = std::find(above.begin(), above.end(), &wanted) != above.end();
    CaptureFinding finding{.reason = "publication_lacks_tables",
                           .table = NameOf(wanted),
                           .detail = absl::StrCat("its rows are sent as ", NameOf(as)),
                           .loses = IsAskedFor(NameOf(wanted)),
                           .argument = postgres::TableArgument(wanted.schema, wanted.table),
                           .role_may = own_.owned && wanted.owned};
    if (is_above) {
      finding.statement = AddSql(own_, wanted);
    } else if (own_.members.contains(as.relation)) {
      finding.statement =
          absl::StrCat("BEGIN; ", DropSql(own_, as), "; ", AddSql(own_, wanted), "; COMMIT");
    } else {
      finding.statement =
          absl::StrCat("a publication that names ", NameOf(wanted), ", and not ", NameOf(as));
    }
    Find(std::move(finding));
  }

  void IsNotSent(const TableFacts& leaf, const TableFacts& wanted) {
    const std::string name = NameOf(wanted);
    CaptureFinding finding{.reason = "publication_lacks_tables",
                           .table = name,
                           .statement = AddSql(own_, wanted),
                           .loses = IsAskedFor(name),
                           .argument = postgres::TableArgument(wanted.schema, wanted.table),
                           .relation = wanted.relation,
                           .role_may = own_.owned && wanted.owned};
    if (!own_.via_root && !Admits(leaf))
      absl::StrAppend(&finding.statement, "; ", ViaRootSql(own_, true));
    if (const auto known = memory_.tables.find(name);
        known != memory_.tables.end() && known->second.relation != wanted.relation) {
      const TableFacts* const before = map_.Find(known->second.relation);
      finding.reason = "table_created_anew";
      finding.detail =
          absl::StrCat(OidText(wanted.relation), " now; ", OidText(known->second.relation),
                       ", which was captured, is ",
                       before == nullptr ? "gone" : absl::StrCat(NameOf(*before), " now"));
    }
    if (said_.contains({finding.reason, finding.table})) return;
    const TableFacts* const bare = WithoutIdentity(wanted);
    if (wish_.follows && bare != nullptr) {
      finding.detail = std::string(kNotAdded);
      finding.statement = IdentitySql(own_, *bare, wanted) + "; it is then added";
    } else if (wish_.follows) {
      Uncovered(wanted);
    }
    Find(std::move(finding));
  }

  // It, or one of its partitions, where the server would then refuse UPDATE and DELETE; else null.
  const TableFacts* WithoutIdentity(const TableFacts& table) const {
    if (!own_.refuses_without_identity()) return nullptr;
    for (const TableFacts* const leaf : map_.Leaves(table)) {
      if (leaf->identity == SentIdentity::kNone) return leaf;
    }
    return table.identity == SentIdentity::kNone && map_.Leaves(table).empty() ? &table : nullptr;
  }

  // A partitioned table that has no partition yet: the first one's rows are to come, too.
  void LookAtEmpty(const TableFacts& root) {
    if (!Admits(root) || IsElsewhere(root) || own_.all_tables || Names(own_, root)) return;
    for (const TableFacts* const above : map_.Ancestors(root)) {
      if (Admits(*above) || Names(own_, *above)) return;
    }
    if (WithoutIdentity(root) != nullptr) return;
    Uncovered(root);
  }

  void Uncovered(const TableFacts& table) {
    verdict_.uncovered.push_back({.relation = table.relation,
                                  .schema = table.schema,
                                  .table = table.table,
                                  .has_children = table.has_children});
  }

  // Of what comes: whether less comes than before.
  void Compare(const std::string& name, const ComesAs& comes) {
    const auto found = memory_.tables.find(name);
    const bool refuses =
        own_.refuses_without_identity() && comes.weakest->identity == SentIdentity::kNone;
    const bool refused =
        found != memory_.tables.end() && (found->second.identity == SentIdentity::kNone ||
                                          found->second.refuses || found->second.bare);
    if (comes.refused != nullptr) {
      CaptureFinding finding = Refused(*comes.refused, *comes.as);
      finding.loses = found != memory_.tables.end() && !refused;
      Find(std::move(finding));
    }
    if (refuses) {
      Find({.reason = "publication_refuses_writes",
            .table = NameOf(*comes.weakest),
            .statement = IdentitySql(own_, *comes.weakest, *comes.as),
            // Who takes it from a table that has a key for it has done so on the way.
            .loses = comes.weakest->has_key || (found != memory_.tables.end() && !refused)});
    }
    if (found == memory_.tables.end() || found->second.bare) return;
    const CaptureMemory::Table& known = found->second;
    if (known.identity == SentIdentity::kFull && comes.weakest->identity != SentIdentity::kFull) {
      Find({.reason = "replica_identity_weaker",
            .table = NameOf(*comes.weakest),
            .statement = FullSql(own_, *comes.weakest, *comes.as)});
    }
    const MemberFacts member = MemberOf(*comes.as);
    if (!member.filter.empty() && member.filter != known.filter) {
      Find({.reason = "publication_row_filter",
            .table = name,
            .statement = AnewSql(own_, *comes.as)});
    }
    if (!member.all_columns && known.all_columns) {
      Find({.reason = "publication_column_list",
            .table = name,
            .statement = AnewSql(own_, *comes.as)});
    }
  }

  CaptureFinding Refused(const TableFacts& leaf, const TableFacts& as) const {
    CaptureFinding finding{.reason = "publication_refuses_writes", .table = NameOf(leaf)};
    switch (own_.refusals.at(leaf.relation)) {
      case Refusal::kGenerated:
        finding.detail = "its replica identity has generated columns that are not sent";
        finding.statement = absl::StrCat("ALTER TABLE ", Quoted(leaf), " REPLICA IDENTITY DEFAULT",
                                         ", with a primary key of other columns; or, where none of "
                                         "them is VIRTUAL, ",
                                         GeneratedSql(own_));
        break;
      case Refusal::kList:
        finding.detail = "the column list lacks columns of its replica identity";
        finding.statement = AnewSql(own_, as);
        break;
      case Refusal::kFilter:
        finding.detail = "the row filter reads columns outside of its replica identity";
        finding.statement = AnewSql(own_, as);
        break;
    }
    return finding;
  }

  MemberFacts MemberOf(const TableFacts& table) const {
    const auto member = own_.members.find(table.relation);
    return member == own_.members.end() ? MemberFacts() : member->second;
  }

  // dropped: out of the publication, by a start that found it under its new name.
  void LookForRenamed(const std::string& name, Oid relation, bool dropped) {
    const TableFacts* const now = map_.Find(relation);
    if (now == nullptr || NameOf(*now) == name || Admits(*now) || map_.Find(name)) return;
    const std::vector<const TableFacts*> leaves = map_.Leaves(*now);
    const bool sent = std::any_of(leaves.begin(), leaves.end(), [this](const TableFacts* leaf) {
      return map_.SentAs(*leaf, own_) != nullptr;
    });
    // It is out of use where it was taken out of the publication, too; out of a schema it goes so.
    if (!sent && !dropped && own_.schemas.empty()) return;
    Find({.reason = "captured_table_renamed",
          .table = name,
          .detail = absl::StrCat(NameOf(*now), " now"),
          .statement = own_.members.contains(now->relation) ? DropSql(own_, *now) : "",
          .argument = postgres::TableArgument(now->schema, now->table),
          .renamed_to = absl::StrCat(now->schema, ".", now->table)});
  }

  // PostgreSQL sends nothing for its rows. One of that name is another finding, or none.
  void LookForDropped(const std::string& name, const CaptureMemory::Table& known) {
    const bool passing = !known.from_start || known.partition || name == wish_.signal_table;
    if (passing || map_.Find(known.relation) != nullptr || map_.Find(name) != nullptr) return;
    Find({.reason = "captured_table_dropped", .table = name});
  }

  void LookAtOperations() {
    if (!memory_.begun) return;
    if (memory_.generated && !own_.generated) {
      Find({.reason = "publication_column_list",
            .detail = "generated columns",
            .statement = GeneratedSql(own_)});
    }
    std::vector<std::string> lost;
    const auto look = [&](bool wanted, bool before, bool now, absl::string_view what) {
      if (wanted && before && !now) lost.emplace_back(what);
    };
    look(wish_.inserts, memory_.inserts, own_.inserts, "inserts");
    look(wish_.updates, memory_.updates, own_.updates, "updates");
    look(wish_.deletes, memory_.deletes, own_.deletes, "deletes");
    look(wish_.truncates, memory_.truncates, own_.truncates, "truncates");
    if (lost.empty()) return;
    Find({.reason = "publication_lacks_operations",
          .detail = absl::StrJoin(lost, ", "),
          .statement = OperationsSql(own_, memory_)});
  }

  void LookAtSignals() {
    if (wish_.signal_table.empty()) return;
    const auto found =
        std::find_if(facts_.tables.begin(), facts_.tables.end(),
                     [this](const TableFacts& table) { return IsSignalTable(table); });
    const TableFacts* const table = found == facts_.tables.end() ? nullptr : &*found;
    if (table == nullptr) {
      return Find({.reason = "signal_table_missing",
                   .table = wish_.signal_table,
                   .statement = SignalTableSql(own_, wish_)});
    }
    if (IsElsewhere(*table)) return;
    bool comes = !table->partitioned || own_.all_tables || Names(own_, *table);
    for (const TableFacts* const leaf : map_.Leaves(*table)) {
      const TableFacts* const as = map_.SentAs(*leaf, own_);
      if (as == nullptr) {
        comes = false;
      } else if (as != table) {
        Find({.reason = "signal_table_partitioned",
              .table = wish_.signal_table,
              .statement = ViaRootSql(own_, true)});
      }
    }
    if (comes) return;
    Find({.reason = "signal_table_not_published",
          .table = wish_.signal_table,
          .statement = table->unlogged ? absl::StrCat("ALTER TABLE ", Quoted(*table), " SET LOGGED")
                                       : AddSql(own_, *table)});
  }

  const CaptureFacts& facts_;
  const CaptureWish& wish_;
  const CaptureMemory& memory_;
  const PublicationFacts& own_;
  const CaptureMap map_;
  std::set<Oid> admitted_;
  std::vector<CaptureFinding> idle_;
  std::map<Oid, int> slots_;  // of admitted tables, where there are several
  std::map<std::string, ComesAs> comes_;
  std::set<std::pair<std::string, std::string>> said_;
  CaptureVerdict verdict_;
};

}  // namespace

CaptureVerdict JudgeCapture(const CaptureFacts& facts, const CaptureWish& wish,
                            const CaptureMemory& memory) {
  return Judge(facts, wish, memory).Run();
}

}  // namespace walduct::replication
