#include "sink/vanished_topic.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/error.h"
#include "kafka/acked/acked_topic.h"
#include "kafka/look/topic_description.h"
#include "kafka/topic_admin.h"

namespace walduct::sink {
namespace {

// The data thread waits for it.
constexpr absl::Duration kTimeout = absl::Seconds(2);
// A broker that has just started may not know its topics yet.
constexpr absl::Duration kAgain = absl::Seconds(2);

bool IsMissing(const kafka::TopicAnswer& answer) {
  return ErrorReason(answer.status) == "topic_missing";
}

using Answers = std::map<std::string, kafka::TopicAnswer>;  // by name

// Those of which nobody answers have none, or are Unavailable.
void AskOnce(kafka::TopicAdmin* admin, absl::Span<const std::string> topics, Answers* answers) {
  admin->StartExists(topics, kTimeout);
  for (const kafka::TopicAnswer& answer : admin->Poll(kTimeout))
    answers->insert_or_assign(answer.topic, answer);
}

Answers Ask(const Inquirer& inquirer, const std::vector<std::string>& topics) {
  kafka::TopicAdmin admin(inquirer.client(), nullptr);
  Answers answers;
  AskOnce(&admin, topics, &answers);
  std::vector<std::string> missing;
  for (const auto& [name, answer] : answers) {
    if (IsMissing(answer)) missing.push_back(name);
  }
  if (missing.empty()) return answers;
  inquirer.poller->WaitReadable({}, kAgain);
  AskOnce(&admin, missing, &answers);
  return answers;
}

bool IsAnother(const TopicBefore& before, const kafka::TopicAnswer& answer) {
  return answer.status.ok() && !before.id.empty() && !answer.id.empty() && before.id != answer.id;
}

std::string CreateCommand(const Inquirer& inquirer, const std::string& topic) {
  return absl::StrCat("kafka-topics.sh --bootstrap-server ", inquirer.bootstrap_servers,
                      " --create --topic ", topic);
}

// others: that were deleted, too.
absl::Status Deleted(const Inquirer& inquirer, const std::string& topic, bool is_missing,
                     absl::Span<const std::string> others = {}) {
  return Error(
      absl::StatusCode::kUnavailable, "topic_deleted",
      absl::StrCat("topic ", topic, is_missing ? " was deleted" : " was deleted and created anew",
                   others.empty() ? "" : ", and so were others (", absl::StrJoin(others, ", "),
                   others.empty() ? ": " : "): ", kafka::kConsumersLose),
      is_missing ? absl::StrCat("it is created anew by topic.creation.* or by the broker's "
                                "auto.create.topics.enable; else: ",
                                CreateCommand(inquirer, topic))
                 : "");
}

bool IsOfTopic(const absl::Status& error) {
  const std::string reason = ErrorReason(error);
  return reason == "partition_missing" || reason == "topic_gone" || reason == "topic_missing";
}

// It names the topic, and whose it is; what is to be typed is known here alone.
absl::Status WithCommand(const absl::Status& error, const Inquirer& inquirer,
                         const std::string& topic) {
  constexpr absl::string_view kCreate = "create the topic";
  const std::string hint = ErrorHint(error);
  if (ErrorReason(error) != "topic_missing" || !absl::StartsWith(hint, kCreate) ||
      !absl::StrContains(error.message(), topic))
    return error;
  return WithChange(Error(error.code(), "topic_missing", error.message(),
                          absl::StrCat(kCreate, ": ", CreateCommand(inquirer, topic),
                                       hint.substr(kCreate.size()))),
                    ErrorChange(error));
}

// Brokers that begin do not know their topics yet, and are slow to say anything.
absl::Status NobodySays(const std::string& topic) {
  return Error(absl::StatusCode::kUnavailable, "topic_gone",
               absl::StrCat("whether topic ", topic, " is there no broker says now"),
               "nothing to do: its records are sent again, and it is asked again");
}

bool IsAnswered(const Answers& answers, const std::string& topic) {
  const auto answer = answers.find(topic);
  return answer != answers.end() && !absl::IsUnavailable(answer->second.status);
}

// Brokers create a topic by themselves when it is asked for, one after the other: many at once take
// longer than librdkafka waits for one of them.
absl::Status NotYetThere(const Inquirer& inquirer, const std::string& topic,
                         const TopicFailure& failure) {
  const Answers answers = Ask(inquirer, {topic});
  if (!IsAnswered(answers, topic)) return NobodySays(topic);
  const kafka::TopicAnswer& answer = answers.at(topic);
  const bool is_there = answer.status.ok();
  const auto is_created = [&] {
    return kafka::ReadBrokerProperty(*inquirer.client(), "auto.create.topics.enable", kTimeout) ==
           "true";
  };
  if ((!is_there && !(IsMissing(answer) && is_created())) || !failure.may_wait())
    return WithCommand(failure.error, inquirer, topic);
  return Error(absl::StatusCode::kUnavailable, "topic_gone",
               absl::StrCat("topic ", topic, is_there ? " is there only now" : " is not there yet",
                            ": the brokers create it by themselves, one after the other"),
               "nothing to do: its records are sent again; topic.creation.default.partitions=1 and "
               "topic.creation.default.replication.factor=-1 have walduct create topics, which "
               "takes less time");
}

}  // namespace

absl::Status ExplainVanished(const Inquirer& inquirer, const TopicBefore& before,
                             const TopicFailure& failure) {
  const absl::Status& error = failure.error;
  const absl::Status& of_batch = failure.of_batch;
  if (ErrorReason(error) == "fenced") return error;  // for good: nothing begins anew
  if (ErrorReason(of_batch) == "topic_deleted") return of_batch;
  const absl::Status& own = IsOfTopic(of_batch) ? of_batch : error;
  const bool was = before.taken || !before.id.empty();
  if (!was && failure.may_wait && ErrorReason(own) == "topic_missing")
    return NotYetThere(inquirer, before.name, failure);
  if (!IsOfTopic(own) || !was) return WithCommand(error, inquirer, before.name);
  const Answers answers = Ask(inquirer, {before.name});
  const auto answer = answers.find(before.name);
  const bool is_answered = IsAnswered(answers, before.name);
  if (!is_answered && ErrorReason(own) == "topic_missing") return NobodySays(before.name);
  const bool is_another = is_answered && IsAnother(before, answer->second);
  // Nobody knows of another one: the one that is there, by its id, is being deleted.
  const bool is_same = is_answered && answer->second.status.ok() && !before.id.empty() &&
                       before.id == answer->second.id;
  const bool is_missing = !is_answered || is_same || IsMissing(answer->second);
  // Partitions are never taken away, and the client chooses among those that there are: whatever
  // the brokers say by now.
  const bool has_fewer = ErrorReason(own) == "partition_missing" && !before.placed && before.taken;
  const bool is_gone = is_answered && IsMissing(answer->second);
  if (!is_gone && !is_another && !has_fewer) return WithCommand(error, inquirer, before.name);
  return Deleted(inquirer, before.name, is_missing);
}

Unnamed ExplainUnnamed(const Inquirer& inquirer, const std::vector<TopicBefore>& topics,
                       const absl::Status& error) {
  if (!IsOfTopic(error) || topics.empty()) return {error};
  std::vector<std::string> names;
  for (const TopicBefore& topic : topics) names.push_back(topic.name);
  const Answers answers = Ask(inquirer, names);
  Unnamed told{.error = error, .deleted = {}};
  std::string never_was, unknown;
  for (const TopicBefore& topic : topics) {
    const auto answer = answers.find(topic.name);
    if (!IsAnswered(answers, topic.name)) unknown = topic.name;
    if (answer == answers.end()) continue;
    if (!IsMissing(answer->second) && !IsAnother(topic, answer->second)) continue;
    if (topic.taken || !topic.id.empty())
      told.deleted.push_back(topic.name);
    else
      never_was = topic.name;
  }
  if (!told.deleted.empty()) {
    const std::string& first = told.deleted.front();
    told.error = Deleted(inquirer, first, IsMissing(answers.at(first)),
                         absl::MakeConstSpan(told.deleted).subspan(1));
  } else if (!never_was.empty()) {
    told.error = Error(error.code(), ErrorReason(error),
                       absl::StrCat("topic ", never_was, " is not there: ", error.message()),
                       absl::StrCat(CreateCommand(inquirer, never_was), "; ", ErrorHint(error)));
  } else if (!unknown.empty() && ErrorReason(error) == "topic_missing") {
    told.error = NobodySays(unknown);
  }
  return told;
}

}  // namespace walduct::sink
