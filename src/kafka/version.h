// Version of the linked librdkafka, e.g. "2.15.1".
#pragma once

#include <string>

namespace walduct::kafka {

std::string LibraryVersion();

}  // namespace walduct::kafka
