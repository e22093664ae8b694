#include "replication/session_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace walduct::replication {
namespace {

constexpr size_t kNameBytes = 63;  // NAMEDATALEN - 1

}  // namespace

std::string SessionName(absl::string_view connector, absl::string_view what) {
  return absl::StrCat("walduct ", connector, what);
}

std::string StreamSession(absl::string_view connector) { return SessionName(connector, " stream"); }

std::vector<std::string> ShownNames(absl::string_view name) {
  std::string marked, escaped;
  for (const char c : name) {
    const bool stays = absl::ascii_isprint(static_cast<unsigned char>(c));
    const absl::string_view one(&c, 1);
    absl::StrAppend(&marked, stays ? one : "?");
    absl::StrAppend(&escaped,
                    stays ? std::string(one) : absl::StrCat("\\x", absl::BytesToHexString(one)));
  }
  std::vector<std::string> shown;
  for (std::string& one : std::vector<std::string>{std::string(name), marked, escaped}) {
    if (one.size() > kNameBytes) one.resize(kNameBytes);
    if (std::find(shown.begin(), shown.end(), one) == shown.end()) shown.push_back(std::move(one));
  }
  return shown;
}

bool SameSession(absl::string_view name, absl::string_view shown) {
  const std::vector<std::string> names = ShownNames(name);
  return std::find(names.begin(), names.end(), shown) != names.end();
}

}  // namespace walduct::replication
