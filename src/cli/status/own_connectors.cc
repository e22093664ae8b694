#include "cli/status/own_connectors.h"

#include <rapidjson/document.h>

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/json.h"

namespace walduct::cli {
namespace {

// Of a connector that reads several slots the files name each lane: shop-1, shop-2.
bool IsNamed(const std::string& shown, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](absl::string_view name) {
    if (!absl::ConsumePrefix(&name, shown)) return false;
    return name.empty() || (absl::ConsumePrefix(&name, "-") && !name.empty() &&
                            absl::c_all_of(name, absl::ascii_isdigit));
  });
}

}  // namespace

absl::StatusOr<std::string> OwnConnectors(absl::string_view json,
                                          const std::vector<std::string>& names,
                                          absl::string_view url) {
  rapidjson::Document document = json::Parse(json);
  if (names.empty() || !document.IsObject()) return std::string(json);
  std::vector<std::string> others;
  size_t own = 0;
  for (const char* const which : {"connectors", "resting"}) {
    if (!document.HasMember(which) || !document[which].IsArray()) continue;
    rapidjson::Value& all = document[which];
    for (auto one = all.Begin(); one != all.End();) {
      const bool named = json::FindString(*one, "name") != nullptr;
      const std::string text = json::TextIn(*one, "name");
      if (named && IsNamed(text, names)) {
        ++own;
        ++one;
      } else {
        others.push_back(text);
        one = all.Erase(one);
      }
    }
  }
  if (own == 0) {
    return Error(absl::StatusCode::kUnavailable, "other_process_answers",
                 absl::StrCat("the process that answers at ", url, " does not run ",
                              absl::StrJoin(names, ", "), "; it runs ",
                              others.empty() ? "no connector" : absl::StrJoin(others, ", ")),
                 "--url names another process; without -f this one is shown");
  }
  if (others.empty()) return std::string(json);
  return absl::StrCat(json::Print(document), "\n");
}

}  // namespace walduct::cli
