#include "offset/topic/compaction.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "kafka/look/topic_policy.h"

namespace walduct::offset {

namespace {

absl::Status Judge(const std::optional<std::string>& policy, const std::string& bootstrap_servers,
                   const std::string& topic) {
  if (!policy || *policy == "compact") return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "offset_topic_not_compacted",
               absl::StrCat("the offset topic ", topic, " has cleanup.policy=", *policy,
                            ": the broker would remove the stored position when it gets old"),
               absl::StrCat("kafka-configs.sh --bootstrap-server ", bootstrap_servers,
                            " --alter --entity-type topics --entity-name ", topic,
                            " --add-config cleanup.policy=compact"));
}

}  // namespace

absl::Status CheckCompacted(kafka::Client& client, const std::string& bootstrap_servers,
                            const std::string& topic) {
  return CheckCompacted(client, bootstrap_servers, std::vector<std::string>{topic}).front();
}

std::vector<absl::Status> CheckCompacted(kafka::Client& client,
                                         const std::string& bootstrap_servers,
                                         const std::vector<std::string>& topics) {
  const auto policies =
      kafka::ReadTopicProperties(client, topics, "cleanup.policy", absl::Seconds(5));
  std::vector<absl::Status> all;
  for (size_t i = 0; i < topics.size(); ++i)
    all.push_back(Judge(policies[i], bootstrap_servers, topics[i]));
  return all;
}

}  // namespace walduct::offset
