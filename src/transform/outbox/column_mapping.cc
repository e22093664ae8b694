#include "transform/outbox/column_mapping.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/error.h"

namespace walduct::transform {
namespace {

struct Part {
  absl::string_view meaning;
  absl::string_view option;
  ColumnOption OutboxColumnOptions::*wanted;
  std::string OutboxColumns::*found;
  absl::string_view aliases;  // as tables in the wild have them
};

constexpr Part kParts[] = {
    {"event id", "table.field.event.id", &OutboxColumnOptions::id, &OutboxColumns::id,
     "event_id,message_id,uuid"},
    {"key", "table.field.event.key", &OutboxColumnOptions::key, &OutboxColumns::key,
     "aggregate_id,partition_key,key"},
    {"routed value", "route.by.field", &OutboxColumnOptions::route, &OutboxColumns::route,
     "event_type,aggregate_type,topic,channel"},
    {"payload", "table.field.event.payload", &OutboxColumnOptions::payload, &OutboxColumns::payload,
     "data,body,event"},
};

bool Has(absl::Span<const std::string> columns, absl::string_view name) {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

// The name that is wanted itself, but for an underscore, goes before all others.
std::vector<std::string> Candidates(const Part& part, absl::string_view wanted,
                                    absl::Span<const std::string> columns) {
  std::vector<std::string> found;
  for (const absl::string_view alias : absl::StrSplit(part.aliases, ',')) {
    if (!Has(columns, alias)) continue;
    if (absl::StrReplaceAll(alias, {{"_", ""}}) == wanted) return {std::string(alias)};
    found.emplace_back(alias);
  }
  return found;
}

std::string OptionLine(const MappingRequest& request, const Part& part, absl::string_view column) {
  return absl::StrCat("transforms.", request.transform, ".", part.option, "=", column);
}

std::string Problem(const MappingRequest& request, const Part& part,
                    const std::vector<std::string>& candidates) {
  const std::string missing = absl::StrCat("no column '", (request.options.*part.wanted).column,
                                           "' for the ", part.meaning);
  if (candidates.empty())
    return absl::StrCat(missing, ", set ", OptionLine(request, part, "<column>"));
  return absl::StrCat(missing, ", set ",
                      OptionLine(request, part, absl::StrJoin(candidates, " or ")));
}

}  // namespace

absl::StatusOr<OutboxColumns> MapOutboxColumns(const MappingRequest& request) {
  OutboxColumns mapped;
  std::vector<std::string> problems;
  for (const Part& part : kParts) {
    const ColumnOption& wanted = request.options.*part.wanted;
    std::string& found = mapped.*part.found;
    found = wanted.column;
    if (Has(request.columns, wanted.column)) continue;
    const std::vector<std::string> candidates = Candidates(part, wanted.column, request.columns);
    if (wanted.given || candidates.size() != 1) {
      problems.push_back(Problem(request, part, candidates));
      continue;
    }
    found = candidates.front();
    mapped.guesses.push_back(
        {absl::StrCat("table ", request.table, " has no column '", wanted.column, "'; '", found,
                      "' is used for the ", part.meaning),
         OptionLine(request, part, found)});
  }
  if (!problems.empty()) {
    return Error(absl::StatusCode::kInvalidArgument, "outbox_columns",
                 absl::StrCat("outbox table ", request.table, ": ", absl::StrJoin(problems, "; "),
                              "; its columns are ", absl::StrJoin(request.columns, ", ")),
                 request.listed
                     ? "if it is not an outbox table: take it out of walduct.outbox.tables"
                     : "if it is not an outbox table: list the outbox tables in "
                       "walduct.outbox.tables, or give the transform a predicate that excludes "
                       "other tables");
  }
  if (request.strict && !mapped.guesses.empty())
    return RefuseGuesses(absl::StrCat("outbox table ", request.table), mapped.guesses);
  return mapped;
}

}  // namespace walduct::transform
