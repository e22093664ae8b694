#include "operate/commands/version.h"

#include "absl/strings/str_cat.h"
#include "encode/schema/record_layout.h"
#include "kafka/version.h"
#include "postgres/version.h"

namespace walduct::operate {

Versions LibraryVersions() {
  return {.walduct = WALDUCT_VERSION,
          .debezium = std::string(encode::kSourceVersion),
          .librdkafka = std::string(kafka::LibraryVersion()),
          .libpq = std::string(postgres::LibraryVersion())};
}

std::string VersionText() {
  const Versions versions = LibraryVersions();
  return absl::StrCat("walduct ", versions.walduct, "\n", "records as Debezium ", versions.debezium,
                      "\n", "librdkafka ", versions.librdkafka, "\n", "libpq ", versions.libpq,
                      "\n");
}

}  // namespace walduct::operate
