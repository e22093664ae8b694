#include "sink/vanished_topic.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "kafka/acked/acked_topic.h"
#include "kafka/topic_admin.h"

namespace walduct::sink {
namespace {

// The data thread waits for it.
constexpr absl::Duration kTimeout = absl::Seconds(2);
// A broker that has just started may not know its topics yet.
constexpr absl::Duration kAgain = absl::Seconds(2);

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

bool IsOfTopic(const absl::Status& error) {
  const std::string reason = ErrorReason(error);
  return reason == "partition_missing" || reason == "topic_gone" || reason == "topic_missing";
}

}  // namespace

absl::Status ExplainVanished(kafka::Client* client, Poller& poller, const TopicBefore& before,
                             const TopicFailure& failure) {
  const auto& [error, of_batch] = failure;
  if (ErrorReason(error) == "fenced") return error;  // for good: nothing begins anew
  if (ErrorReason(of_batch) == "topic_deleted") return of_batch;
  const absl::Status& own = IsOfTopic(of_batch) ? of_batch : error;
  if (!IsOfTopic(own) || (!before.taken && before.id.empty())) return error;
  kafka::TopicAdmin admin(client, nullptr);
  kafka::TopicAnswer answer = Ask(&admin, before.name);
  if (IsMissing(answer)) {
    poller.WaitReadable({}, kAgain);
    answer = Ask(&admin, before.name);
  }
  const bool is_another =
      answer.status.ok() && !before.id.empty() && !answer.id.empty() && before.id != answer.id;
  // Partitions are never taken away, and the client chooses among those that there are: whatever
  // the brokers say by now. A topic of that name is there.
  const bool has_fewer = ErrorReason(own) == "partition_missing" && !before.placed && before.taken;
  if (!IsMissing(answer) && !is_another && !has_fewer) return error;
  return Error(
      absl::StatusCode::kUnavailable, "topic_deleted",
      absl::StrCat("topic ", before.name,
                   IsMissing(answer) ? " was deleted" : " was deleted and created anew", ": ",
                   kafka::kConsumersLose),
      IsMissing(answer)
          ? absl::StrCat("it is created anew by topic.creation.* or by the broker's "
                         "auto.create.topics.enable; else: kafka-topics.sh --bootstrap-server ",
                         client->bootstrap_servers(), " --create --topic ", before.name)
          : "");
}

}  // namespace walduct::sink
