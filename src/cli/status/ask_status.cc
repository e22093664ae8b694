#include "cli/status/ask_status.h"

#include <rapidjson/document.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/json.h"
#include "base/percent.h"
#include "cli/running_process.h"
#include "cli/status/group_lines.h"

namespace walduct::cli {

absl::StatusOr<std::string> AskStatus(const http::Server& server, const std::string& connector) {
  absl::StatusOr<std::string> all = Ask(server, "/status");
  if (!all.ok() || connector.empty()) return all;
  const rapidjson::Document document = json::Parse(*all);
  if (document.HasParseError() || PlaceIn(document, connector) != Place::kElsewhere) return all;
  absl::StatusOr<std::string> one =
      Ask(server, absl::StrCat("/status?connector=", EncodePercent(connector)));
  // Of an answer there is a message; one without it has a reason of its own.
  if (one.ok() || !ErrorReason(one.status()).empty()) return one;
  return Error(absl::StatusCode::kUnavailable, "owner_silent",
               absl::StrCat("connector ", connector, " runs at another worker of the group: ",
                            MessageIn(std::string(one.status().message()), 503)),
               absl::StrCat(Typed(server, "status", ""), " says who is a member"));
}

}  // namespace walduct::cli
