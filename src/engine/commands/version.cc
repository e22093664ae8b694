#include "engine/commands/version.h"

#include "absl/strings/str_cat.h"
#include "encode/schema/record_layout.h"
#include "kafka/version.h"
#include "postgres/version.h"

namespace walduct::engine {

std::string VersionText() {
  return absl::StrCat("walduct ", WALDUCT_VERSION, "\n", "records as Debezium ",
                      encode::kSourceVersion, "\n", "librdkafka ", kafka::LibraryVersion(), "\n",
                      "libpq ", postgres::LibraryVersion(), "\n");
}

}  // namespace walduct::engine
