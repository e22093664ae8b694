#include "http/client.h"

#include <httplib.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"

namespace walduct::http {

absl::StatusOr<Response> Get(const std::string& base, const std::string& path,
                             absl::Duration timeout) {
  absl::string_view place = base;
  if (!absl::ConsumePrefix(&place, "http://") || place.empty() ||
      absl::StrContains(absl::StripSuffix(place, "/"), "/")) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", base, "' is no URL of a listener; write http://HOST:PORT"));
  }
  httplib::Client client(absl::StrCat("http://", absl::StripSuffix(place, "/")));
  const auto milliseconds = absl::ToChronoMilliseconds(timeout);
  client.set_connection_timeout(milliseconds);
  client.set_read_timeout(milliseconds);
  const httplib::Result result = client.Get(path);
  if (!result) {
    return Error(absl::StatusCode::kUnavailable, "status_unreachable",
                 absl::StrCat("nobody answers at ", base, ": ", httplib::to_string(result.error())),
                 "start walduct with --listen HOST:PORT, and name that with --url");
  }
  return Response{.status = result->status,
                  .content_type = result->get_header_value("Content-Type"),
                  .body = result->body};
}

}  // namespace walduct::http
