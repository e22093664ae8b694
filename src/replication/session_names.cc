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

absl::string_view WholeCharacters(absl::string_view name) {
  size_t bytes = std::min(name.size(), kNameBytes);
  while (bytes > 0 && bytes < name.size() &&
         (static_cast<unsigned char>(name[bytes]) & 0xC0) == 0x80)
    --bytes;
  return name.substr(0, bytes);
}

}  // namespace

std::string SessionName(absl::string_view connector, absl::string_view what) {
  return absl::StrCat("walduct ", connector, what);
}

std::string StreamSession(absl::string_view connector) { return SessionName(connector, " stream"); }

std::vector<std::string> ShownNames(absl::string_view name) {
  std::vector<std::string> shown;
  const auto add = [&shown](std::string one) {
    if (one.size() > kNameBytes) one.resize(kNameBytes);
    if (std::find(shown.begin(), shown.end(), one) == shown.end()) shown.push_back(std::move(one));
  };
  // It is cut first: a UTF-8 server keeps characters whole, others know none.
  for (const absl::string_view cut : {WholeCharacters(name), name.substr(0, kNameBytes)}) {
    std::string marked, escaped;
    for (const char c : cut) {
      const bool stays = absl::ascii_isprint(static_cast<unsigned char>(c));
      const absl::string_view one(&c, 1);
      absl::StrAppend(&marked, stays ? one : "?");
      absl::StrAppend(&escaped,
                      stays ? std::string(one) : absl::StrCat("\\x", absl::BytesToHexString(one)));
    }
    add(std::move(marked));
    add(std::move(escaped));
  }
  return shown;
}

bool SameSession(absl::string_view name, absl::string_view shown) {
  const std::vector<std::string> names = ShownNames(name);
  return std::find(names.begin(), names.end(), shown) != names.end();
}

}  // namespace walduct::replication
