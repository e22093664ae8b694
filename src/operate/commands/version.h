// What `walduct version` prints: walduct, the Debezium release whose records it writes, and the
// libraries in use.
#pragma once

#include <string>

namespace walduct::operate {

std::string VersionText();

// The same, one by one.
struct Versions {
  std::string walduct, debezium, librdkafka, libpq;
};
Versions LibraryVersions();

}  // namespace walduct::operate
