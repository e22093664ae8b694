#include "slot/start/no_tables.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"

namespace walduct::slot {

bool RefusesNoTables(replication::PublicationAutocreate mode, bool allow_empty, bool come) {
  using enum replication::PublicationAutocreate;
  return (mode == kDisabled || mode == kNoTables) && !allow_empty && !come;
}

absl::Status JudgeNoTables(absl::string_view database, bool refuses) {
  const std::string what = absl::StrCat("no table of database \"", database,
                                        "\" is captured: the include and exclude lists match none");
  constexpr absl::string_view kHint =
      "check database.dbname, and the spelling of the lists (schema.table, regular expressions)";
  if (!refuses) {
    log::Warn(what, {{"hint", std::string(kHint)}});
    return absl::OkStatus();
  }
  return Error(absl::StatusCode::kFailedPrecondition, "no_tables_captured", what,
               absl::StrCat(kHint, "; walduct.allow.empty=true waits for tables"));
}

}  // namespace walduct::slot
