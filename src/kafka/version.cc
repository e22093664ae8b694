#include "kafka/version.h"

#include <librdkafka/rdkafka.h>

namespace walduct::kafka {

std::string LibraryVersion() { return rd_kafka_version_str(); }

}  // namespace walduct::kafka
