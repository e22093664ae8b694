#include "operate/commands/sqlstate.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "postgres/errors/error_rules.h"

namespace walduct::operate {

bool IsSqlState(absl::string_view text) {
  return text.size() == 5 && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isdigit(static_cast<unsigned char>(c)) ||
                  absl::ascii_isupper(static_cast<unsigned char>(c));
         });
}

std::vector<std::string> ReasonsOfSqlState(absl::string_view sqlstate) {
  std::vector<std::string> reasons;
  for (const postgres::ErrorRule& rule : postgres::SqlStateRules()) {
    const absl::string_view code(rule.sqlstate);
    if (code.empty() || !absl::StartsWith(sqlstate, code)) continue;
    const std::string reason(rule.reason);
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(reason);
    // What fits always comes before what is left of its class.
    if (absl::string_view(rule.text).empty() && absl::string_view(rule.functions).empty()) break;
  }
  // The usual one first, those of a certain text behind it.
  if (!reasons.empty()) std::rotate(reasons.begin(), reasons.end() - 1, reasons.end());
  for (const postgres::Becomes& later : postgres::LaterReasons()) {
    const auto of = std::find(reasons.begin(), reasons.end(), later.reason);
    const bool known = std::find(reasons.begin(), reasons.end(), later.becomes) != reasons.end();
    if (of != reasons.end() && !known) reasons.insert(of + 1, later.becomes);
  }
  return reasons;
}

}  // namespace walduct::operate
