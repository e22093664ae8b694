#include "sink/vanished_topic.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "kafka/topic_admin.h"

namespace walduct::sink {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(5);
// A broker that has just started may not know its topics yet.
constexpr absl::Duration kAgain = absl::Seconds(2);

constexpr absl::string_view kMeans =
    ": what consumers had not read of it is gone, and what was in it does not come again";

// Unavailable: nobody answers.
kafka::TopicAnswer Ask(kafka::TopicAdmin* admin, const std::string& topic) {
  admin->StartExists({topic}, kTimeout);
  const std::vector<kafka::TopicAnswer> answers = admin->Poll(kTimeout);
  if (!answers.empty()) return answers.front();
  return {.question = kafka::TopicAnswer::Question::kExists,
          .topic = topic,
          .status = absl::UnavailableError("no answer")};
}

bool IsMissing(const kafka::TopicAnswer& answer) {
  return ErrorReason(answer.status) == "topic_missing";
}

}  // namespace

absl::Status ExplainVanished(kafka::Client* client, Poller& poller, const TopicBefore& before,
                             const absl::Status& error) {
  const std::string reason = ErrorReason(error);
  const bool lacks_partition = reason == "partition_missing";
  const bool is_of_topic = lacks_partition || reason == "topic_gone" || reason == "topic_missing";
  if (!is_of_topic || (!before.taken && before.id.empty())) return error;
  kafka::TopicAdmin admin(client, nullptr);
  kafka::TopicAnswer answer = Ask(&admin, before.name);
  if (IsMissing(answer)) {
    poller.WaitReadable({}, kAgain);
    answer = Ask(&admin, before.name);
  }
  const bool is_another =
      answer.status.ok() && !before.id.empty() && !answer.id.empty() && before.id != answer.id;
  // Partitions are never taken away, and the client chooses among those that there are: whatever
  // the brokers say by now.
  const bool has_fewer = lacks_partition && !before.placed && before.taken;
  if (!IsMissing(answer) && !is_another && !has_fewer) return error;
  return Error(
      absl::StatusCode::kUnavailable, "topic_deleted",
      absl::StrCat("topic ", before.name,
                   answer.status.ok() ? " was deleted and created anew" : " was deleted", kMeans),
      !answer.status.ok()
          ? absl::StrCat("it is created anew by topic.creation.* or by the broker's "
                         "auto.create.topics.enable; else: kafka-topics.sh --bootstrap-server ",
                         client->bootstrap_servers(), " --create --topic ", before.name)
          : "");
}

}  // namespace walduct::sink
