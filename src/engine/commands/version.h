// What `walduct version` prints: walduct, the Debezium release whose records it writes, and the
// libraries in use.
#pragma once

#include <string>

namespace walduct::engine {

std::string VersionText();

}  // namespace walduct::engine
