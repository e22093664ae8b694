#include "postgres/connection_url.h"

#include <libpq-fe.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace walduct::postgres {

absl::StatusOr<ConnectionUrl> ParseConnectionUrl(const std::string& url) {
  const bool is_url =
      absl::StartsWith(url, "postgres://") || absl::StartsWith(url, "postgresql://");
  char* error = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
      is_url ? PQconninfoParse(url.c_str(), &error) : nullptr, &PQconninfoFree);
  if (parsed == nullptr) {
    const std::string why = error == nullptr ? "it begins with postgres://" : std::string(error);
    PQfreemem(error);
    return absl::InvalidArgumentError(
        absl::StrCat("--url: not an address as postgres://HOST:PORT/DATABASE: ",
                     absl::StripAsciiWhitespace(why)));
  }
  ConnectionUrl found;
  for (const PQconninfoOption* one = parsed.get(); one->keyword != nullptr; ++one) {
    if (one->val == nullptr) continue;
    const absl::string_view name = one->keyword;
    if (name == "host") found.host = one->val;
    if (name == "port") found.port = one->val;
    if (name == "dbname") found.database = one->val;
    if (name == "user") found.user = one->val;
    if (name == "password") found.password = one->val;
    if (name == "sslmode") found.sslmode = one->val;
  }
  return found;
}

}  // namespace walduct::postgres
