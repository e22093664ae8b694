#include "operate/commands/table_check.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/edit_distance.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "postgres/open_session.h"

namespace walduct::operate {
namespace {

constexpr size_t kMostNamed = 5;

std::string WholeNameOf(const postgres::TableName& table) {
  return absl::StrCat(table.schema, ".", table.table);
}

// Written without its schema, or misspelt.
std::vector<std::string> NearNames(const std::string& table,
                                   const std::vector<std::string>& there) {
  std::vector<std::string> near;
  for (const std::string& one : there) {
    if (absl::EndsWith(one, "." + table)) near.push_back(one);
  }
  return near.empty() ? SimilarNames(table, there, kMostNamed) : near;
}

}  // namespace

absl::Status TableNotFound(const std::string& table, const std::string& database,
                           const std::vector<std::string>& there) {
  std::vector<std::string> named = NearNames(table, there);
  const bool near = !named.empty();
  if (!near) {
    named = there;
    if (named.size() > kMostNamed) named.resize(kMostNamed);
  }
  return Error(absl::StatusCode::kInvalidArgument, "table_not_found",
               absl::StrCat("--table ", table.empty() ? "''" : table,
                            " matches no table of database \"", database, "\""),
               named.empty()
                   ? "the database has no table that could be captured"
                   : absl::StrCat(near ? "did you mean " : "there are ", absl::StrJoin(named, ", "),
                                  !near && there.size() > named.size() ? ", …" : "",
                                  near ? "? It is" : "; it is",
                                  " written schema.table, a regular expression"));
}

absl::Status CheckTables(const postgres::DatabaseOptions& database,
                         const names::TableFilterOptions& filter,
                         const std::vector<std::string>& tables, const Environment& environment) {
  ASSIGN_OR_RETURN(const auto connection,
                   postgres::OpenSession(database, "walduct tail", environment));
  names::TableFilterOptions all = filter;
  all.table_include = all.table_exclude = nullptr;
  all.signal_table.clear();
  ASSIGN_OR_RETURN(const std::vector<postgres::TableName> found,
                   postgres::Catalog(*connection).CapturedTables(names::TableFilter(all)));
  for (const std::string& table : tables) {
    names::TableFilterOptions one = all;
    ASSIGN_OR_RETURN(java::RegexList list, java::RegexList::Parse(table));
    one.table_include = std::make_shared<const java::RegexList>(std::move(list));
    const names::TableFilter matching(one);
    const bool matches = std::any_of(found.begin(), found.end(), [&](const auto& name) {
      return matching.Includes(name.schema, name.table);
    });
    if (matches) continue;
    std::vector<std::string> there;
    for (const postgres::TableName& name : found) there.push_back(WholeNameOf(name));
    return TableNotFound(table, connection->database(), there);
  }
  return absl::OkStatus();
}

}  // namespace walduct::operate
