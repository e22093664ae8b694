#include "offset/compaction.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "kafka/topic_policy.h"

namespace walduct::offset {

absl::Status CheckCompacted(kafka::Client& client, const std::string& bootstrap_servers,
                            const std::string& topic) {
  const std::optional<std::string> policy =
      kafka::ReadTopicProperty(client, topic, "cleanup.policy", absl::Seconds(5));
  if (!policy || *policy == "compact") return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "offset_topic_not_compacted",
               absl::StrCat("the offset topic ", topic, " has cleanup.policy=", *policy,
                            ": the broker would remove the stored position when it gets old"),
               absl::StrCat("kafka-configs.sh --bootstrap-server ", bootstrap_servers,
                            " --alter --entity-type topics --entity-name ", topic,
                            " --add-config cleanup.policy=compact"));
}

}  // namespace walduct::offset
