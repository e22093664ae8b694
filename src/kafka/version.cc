#include "kafka/version.h"

#include <librdkafka/rdkafka.h>

#include <memory>

#include "absl/strings/str_split.h"
#include "base/freed_by.h"

namespace walduct::kafka {

std::string LibraryVersion() { return rd_kafka_version_str(); }

bool HasFeature(absl::string_view feature) {
  const std::unique_ptr<rd_kafka_conf_t, FreedBy<rd_kafka_conf_destroy>> conf(rd_kafka_conf_new());
  char features[512] = "";
  size_t size = sizeof(features);
  rd_kafka_conf_get(conf.get(), "builtin.features", features, &size);
  for (const absl::string_view present : absl::StrSplit(features, ',')) {
    if (present == feature) return true;
  }
  return false;
}

}  // namespace walduct::kafka
