#include "replication/capture/idle_entries.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/edit_distance.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "postgres/table_argument.h"
#include "replication/capture/capture_map.h"
#include "replication/capture/capture_words.h"

namespace walduct::replication {
namespace {

constexpr size_t kMostMeant = 3;

// Those that end so.
std::vector<std::string> EndingWith(const std::string& end, const std::vector<std::string>& there) {
  std::vector<std::string> found;
  for (const std::string& one : there) {
    if (absl::EndsWithIgnoreCase(one, end)) found.push_back(one);
  }
  return found;
}

// Written without its schema, misspelt, or with another schema; nothing that another entry matches.
std::vector<std::string> Meant(const std::string& name, const java::RegexList& list,
                               const std::vector<std::string>& there) {
  std::vector<std::string> meant = EndingWith(absl::StrCat(".", name), there);
  if (meant.empty()) meant = SimilarNames(name, there, kMostNamed);
  if (const size_t dot = name.rfind('.'); meant.empty() && dot != std::string::npos)
    meant = EndingWith(name.substr(dot), there);
  std::erase_if(meant, [&list](const std::string& one) { return list.Matches(one); });
  if (meant.size() > kMostMeant) meant.resize(kMostMeant);
  return meant;
}

std::string NameInLists(const std::string& schema, const std::string& table) {
  return absl::StrCat(schema, ".", table);
}

// Those of them that are in the database and no entry matches.
std::vector<std::string> NotMatched(const std::vector<std::string>& names,
                                    const java::RegexList& list,
                                    const std::vector<std::string>& there) {
  const absl::flat_hash_set<absl::string_view> wanted(names.begin(), names.end());
  std::vector<std::string> found;
  for (const std::string& name : there) {
    if (wanted.contains(name) && !list.Matches(name)) found.push_back(name);
  }
  return found;
}

std::string FirstNames(std::vector<std::string> names) {
  const bool more = names.size() > kMostMeant;
  if (more) names.resize(kMostMeant);
  return absl::StrCat(absl::StrJoin(names, ", "), more ? ", …" : "");
}

// What an entry of a list may mean.
class Meaning {
 public:
  // there: sorted. alone: no other entry of the list matches nothing.
  Meaning(const java::RegexList& list, const std::vector<std::string>& there,
          const LikelyTables& likely, bool alone)
      : list_(list), there_(there), left_(NotMatched(likely.left, list, there)), alone_(alone) {
    if (!likely.published) return;
    published_ = NotMatched(*likely.published, list, there);
    likely_ = *published_;
    likely_.insert(likely_.end(), left_.begin(), left_.end());
    std::sort(likely_.begin(), likely_.end());
    likely_.erase(std::unique(likely_.begin(), likely_.end()), likely_.end());
  }

  // One that is written like the entry, a name; false: none is.
  bool TellLike(const std::string& name, CaptureFinding* finding) {
    const std::vector<std::string> captured = Meant(name, list_, left_);
    const std::vector<std::string> meant =
        captured.empty() ? Meant(name, list_, published_ ? likely_ : there_) : captured;
    if (meant.empty()) return false;
    absl::StrAppend(&finding->detail, ": did you mean ", absl::StrJoin(meant, ", "), "?");
    if (meant.size() == 1) finding->renamed_to = meant.front();
    const auto is_meant = [&meant](const std::string& one) {
      return std::find(meant.begin(), meant.end(), one) != meant.end();
    };
    std::erase_if(left_, is_meant);
    if (published_) std::erase_if(*published_, is_meant);
    return true;
  }

  // Of one that is like none: those that no other entry means.
  void TellOthers(CaptureFinding* finding) const {
    if (!left_.empty()) {
      absl::StrAppend(&finding->detail, ": what was captured before is ", FirstNames(left_));
      if (alone_ && left_.size() == 1) finding->renamed_to = left_.front();
    } else if (published_ && !published_->empty()) {
      absl::StrAppend(&finding->detail, ": the publication has ", FirstNames(*published_));
    }
  }

 private:
  const java::RegexList& list_;
  const std::vector<std::string>& there_;
  std::vector<std::string> left_;
  std::optional<std::vector<std::string>> published_;
  std::vector<std::string> likely_;
  const bool alone_;
};

std::vector<CaptureFinding> Look(const java::RegexList& list, absl::string_view property,
                                 std::vector<std::string> there, const LikelyTables& likely,
                                 bool may_come) {
  std::sort(there.begin(), there.end());
  there.erase(std::unique(there.begin(), there.end()), there.end());
  std::vector<std::string> all = there;
  all.insert(all.end(), likely.came.begin(), likely.came.end());
  std::vector<java::RegexList::Idle> idle = list.FindIdle(all, kMostNamed);
  if (idle.empty()) return {};
  Meaning meaning(list, there, likely, idle.size() == 1);
  std::vector<CaptureFinding> findings;
  std::vector<size_t> unlike;
  for (java::RegexList::Idle& one : idle) {
    CaptureFinding finding{.reason = "list_matches_nothing",
                           .table = std::move(one.entry),
                           .detail = std::string(property),
                           .loses = !one.name.empty() && !may_come};
    if (!one.name.empty() && !meaning.TellLike(one.name, &finding))
      unlike.push_back(findings.size());
    findings.push_back(std::move(finding));
  }
  for (const size_t index : unlike) meaning.TellOthers(&findings[index]);
  return findings;
}

// By itself, by its schema, or as a partition of such a table.
bool IsPublished(const PublicationFacts& publication, const CaptureMap& map,
                 const TableFacts& table) {
  if (Names(publication, table)) return true;
  const std::vector<const TableFacts*> above = map.Ancestors(table);
  return std::any_of(above.begin(), above.end(),
                     [&publication](const TableFacts* one) { return Names(publication, *one); });
}

LikelyTables Remembered(const CaptureMemory& memory) {
  LikelyTables likely;
  for (const auto& [name, known] : memory.tables) likely.came.push_back(name);
  for (const auto& [name, relation] : memory.before) likely.came.push_back(name);
  for (const auto& [name, relation] : memory.left) likely.left.push_back(name);
  return likely;
}

// Asks of each table whether a publication names it.
void AddPublished(const CaptureFacts& facts, const CaptureWish& wish, LikelyTables* likely) {
  const bool names_few =
      std::all_of(facts.publications.begin(), facts.publications.end(),
                  [](const PublicationFacts& one) { return one.exists && !one.all_tables; });
  if (wish.filtered || !names_few || facts.publications.empty()) return;
  const CaptureMap map(facts);
  likely->published.emplace();
  for (const TableFacts& table : facts.tables) {
    const auto names = [&](const PublicationFacts& one) { return IsPublished(one, map, table); };
    if (std::any_of(facts.publications.begin(), facts.publications.end(), names))
      likely->published->push_back(NameInLists(table.schema, table.table));
  }
}

}  // namespace

std::string OnlyIncludeList(const names::TableFilterOptions& lists) {
  const bool others = lists.schema_include || lists.schema_exclude || lists.table_exclude;
  return others || !lists.table_include ? "" : lists.table_include->text();
}

LikelyTables LikelyOf(const CaptureFacts& facts, const CaptureWish& wish,
                      const CaptureMemory& memory) {
  LikelyTables likely = Remembered(memory);
  AddPublished(facts, wish, &likely);
  return likely;
}

std::vector<CaptureFinding> FindIdleEntries(const names::TableFilterOptions& lists,
                                            const std::vector<SchemaTable>& tables,
                                            const LikelyTables& likely, bool may_come) {
  std::vector<CaptureFinding> findings;
  if (lists.table_include != nullptr) {
    std::vector<std::string> names;
    for (const SchemaTable& one : tables) names.push_back(NameInLists(one.schema, one.table));
    findings = Look(*lists.table_include, "table.include.list", std::move(names), likely, may_come);
    for (CaptureFinding& finding : findings) {
      const auto meant =
          std::find_if(tables.begin(), tables.end(), [&finding](const SchemaTable& one) {
            return NameInLists(one.schema, one.table) == finding.renamed_to;
          });
      if (meant != tables.end())
        finding.argument = postgres::TableArgument(meant->schema, meant->table);
    }
  }
  if (lists.schema_include != nullptr) {
    std::vector<std::string> schemas;
    LikelyTables gone;
    for (const SchemaTable& one : tables) schemas.push_back(one.schema);
    for (const std::string& one : likely.came) gone.came.push_back(one.substr(0, one.find('.')));
    for (CaptureFinding& finding :
         Look(*lists.schema_include, "schema.include.list", std::move(schemas), gone, may_come))
      findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<CaptureFinding> FindIdleEntries(const CaptureFacts& facts, const CaptureWish& wish,
                                            const CaptureMemory& memory) {
  std::vector<SchemaTable> tables;
  for (const TableFacts& table : facts.tables) tables.push_back({table.schema, table.table});
  LikelyTables likely = Remembered(memory);
  std::vector<CaptureFinding> idle =
      FindIdleEntries(*wish.lists, tables, likely, wish.may_be_empty);
  if (idle.empty()) return idle;  // as a rule
  AddPublished(facts, wish, &likely);
  return FindIdleEntries(*wish.lists, tables, likely, wish.may_be_empty);
}

}  // namespace walduct::replication
