#include "replication/capture/idle_entries.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/edit_distance.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "postgres/table_argument.h"
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

}  // namespace

std::string OnlyIncludeList(const names::TableFilterOptions& lists) {
  const bool others = lists.schema_include || lists.schema_exclude || lists.table_exclude;
  return others || !lists.table_include ? "" : lists.table_include->text();
}

std::vector<CaptureFinding> FindIdleEntries(const names::TableFilterOptions& lists,
                                            const std::vector<SchemaTable>& tables,
                                            const std::vector<std::string>& came, bool may_come) {
  std::vector<CaptureFinding> findings;
  const auto look = [&](const java::RegexList& list, absl::string_view property,
                        std::vector<std::string> there, const std::vector<std::string>& gone) {
    std::sort(there.begin(), there.end());
    there.erase(std::unique(there.begin(), there.end()), there.end());
    std::vector<std::string> all = there;
    all.insert(all.end(), gone.begin(), gone.end());
    for (java::RegexList::Idle& idle : list.FindIdle(all, kMostNamed)) {
      CaptureFinding finding{.reason = "list_matches_nothing",
                             .table = std::move(idle.entry),
                             .detail = std::string(property),
                             .loses = !idle.name.empty() && !may_come};
      if (!idle.name.empty()) {
        const std::vector<std::string> meant = Meant(idle.name, list, there);
        if (!meant.empty())
          absl::StrAppend(&finding.detail, ": did you mean ", absl::StrJoin(meant, ", "), "?");
        if (meant.size() == 1) finding.renamed_to = meant.front();
      }
      findings.push_back(std::move(finding));
    }
  };
  if (lists.table_include != nullptr) {
    std::vector<std::string> names;
    for (const SchemaTable& one : tables) names.push_back(absl::StrCat(one.schema, ".", one.table));
    look(*lists.table_include, "table.include.list", std::move(names), came);
    for (CaptureFinding& finding : findings) {
      const auto meant =
          std::find_if(tables.begin(), tables.end(), [&finding](const SchemaTable& one) {
            return absl::StrCat(one.schema, ".", one.table) == finding.renamed_to;
          });
      if (meant != tables.end())
        finding.argument = postgres::TableArgument(meant->schema, meant->table);
    }
  }
  if (lists.schema_include != nullptr) {
    std::vector<std::string> schemas, gone;
    for (const SchemaTable& one : tables) schemas.push_back(one.schema);
    for (const std::string& one : came) gone.push_back(one.substr(0, one.find('.')));
    look(*lists.schema_include, "schema.include.list", std::move(schemas), gone);
  }
  return findings;
}

}  // namespace walduct::replication
