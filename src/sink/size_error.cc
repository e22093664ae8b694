#include "sink/size_error.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::sink {
namespace {

// The default of brokers, which takes whole batches of a producer with defaults: what is less
// refuses batches of small records.
constexpr size_t kLeastOfTopic = 1'048'588;

}  // namespace

absl::Status WithSize(const absl::Status& error, const RefusedRecord& record) {
  if (!absl::IsInvalidArgument(error)) return error;
  const std::string reason = ErrorReason(error);
  const std::string size = absl::StrCat(record.bytes, " bytes of key and value");
  if (reason != "record_too_large") {
    return Error(error.code(), reason, absl::StrCat(error.message(), ": ", size), ErrorHint(error));
  }
  // With room for headers, and for the next ones, which are rarely of the same size.
  const size_t limit = std::bit_ceil(record.bytes + record.bytes / 8 + 1024);
  const std::string topic =
      absl::StrCat("kafka-configs.sh --bootstrap-server ", record.servers,
                   " --alter --entity-type topics --entity-name ", record.topic,
                   " --add-config max.message.bytes=", std::max(limit, kLeastOfTopic));
  if (!record.by_client) {
    return Error(error.code(), reason, absl::StrCat(error.message(), ": ", size),
                 absl::StrCat("the topic takes it with: ", topic));
  }
  return Error(error.code(), reason,
               absl::StrCat("topic ", record.topic, ": the record is larger than the producer's ",
                            "max.request.size allows: ", size),
               absl::StrCat("set producer.override.max.request.size=", limit,
                            "; the topic has to take it, too: ", topic));
}

}  // namespace walduct::sink
