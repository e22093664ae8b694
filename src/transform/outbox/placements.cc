#include "transform/outbox/placements.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "java/text/text_lists.h"

namespace walduct::transform {
namespace {

constexpr std::pair<absl::string_view, Placement> kPlacements[] = {
    {"header", Placement::kHeader},
    {"envelope", Placement::kEnvelope},
    {"partition", Placement::kPartition},
    {"headers", Placement::kMembers}};

std::optional<Placement> FindPlacement(absl::string_view word) {
  for (const auto& [name, placement] : kPlacements) {
    if (absl::EqualsIgnoreCase(word, name)) return placement;
  }
  return std::nullopt;
}

absl::string_view NameOf(Placement placement) {
  for (const auto& [name, value] : kPlacements) {
    if (value == placement) return name;
  }
  return "";
}

// What the transform itself understands.
std::string Canonical(const std::vector<PlacedColumn>& columns) {
  return absl::StrJoin(columns, ",", [](std::string* out, const PlacedColumn& placed) {
    absl::StrAppend(out, placed.column, ":", NameOf(placed.placement));
    if (placed.alias != placed.column) absl::StrAppend(out, ":", placed.alias);
  });
}

class PlacementParser {
 public:
  // False: the item cannot be read.
  bool Add(absl::string_view item) {
    std::vector<std::string> parts;
    for (const absl::string_view part : absl::StrSplit(item, ':'))
      parts.emplace_back(absl::StripAsciiWhitespace(part));
    const std::optional<Placement> placement =
        parts.size() > 1 ? FindPlacement(parts[1]) : std::nullopt;
    // Its members have names of their own.
    if (placement == Placement::kMembers && parts.size() > 2) return false;
    if (placement) return Append(parts, 2, *placement);
    if (parts.size() > 1 && absl::EqualsIgnoreCase(parts[0], "headers")) {
      after_headers_ = true;
      parts.erase(parts.begin());
    }
    return after_headers_ && Append(parts, 1, Placement::kHeader);
  }

  std::vector<PlacedColumn> columns;
  bool guessed() const { return after_headers_; }

 private:
  bool Append(const std::vector<std::string>& parts, size_t alias_at, Placement placement) {
    if (parts.size() > alias_at + 1 || parts[0].empty()) return false;
    const bool has_alias = parts.size() > alias_at && !parts[alias_at].empty();
    columns.push_back({parts[0], placement, has_alias ? parts[alias_at] : parts[0]});
    return true;
  }

  bool after_headers_ = false;
};

}  // namespace

absl::StatusOr<PlacedColumns> ParsePlacements(absl::string_view list, absl::string_view alias) {
  const std::string option =
      absl::StrCat("transforms.", alias, ".table.fields.additional.placement");
  PlacementParser parser;
  for (const std::string& item : java::SplitCommaList(list)) {
    if (parser.Add(item)) continue;
    return Error(absl::StatusCode::kInvalidArgument, "outbox_placement",
                 absl::StrCat("property '", option, "': '", item,
                              "' is not column:placement[:alias] with the placement header, "
                              "headers, envelope or partition"),
                 absl::StrCat("for example ", option, "=type:header:eventType"));
  }
  PlacedColumns placed;
  placed.columns = std::move(parser.columns);
  if (parser.guessed()) {
    const std::string canonical = Canonical(placed.columns);
    placed.guess =
        Guess{absl::StrCat("'headers:' is not a column; '", list, "' is read as '", canonical, "'"),
              absl::StrCat(option, "=", canonical)};
  }
  return placed;
}

}  // namespace walduct::transform
