#include "operate/commands/client_environment.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/log.h"
#include "postgres/client_environment.h"

namespace walduct::operate {

void IgnoreClientEnvironment(bool tell) {
  const std::vector<std::string> ignored = postgres::RemoveEnvironment();
  if (ignored.empty() || !tell) return;
  log::Info(
      "environment variables of PostgreSQL's client are ignored: what counts is database.* "
      "properties, which may name them, as in ${env:PGHOST}",
      {{"names", absl::StrJoin(ignored, ", ")}});
}

}  // namespace walduct::operate
