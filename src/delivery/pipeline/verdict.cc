#include "delivery/pipeline/verdict.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "engine/configuration/record_error_options.h"

namespace walduct::delivery {
namespace {

using Policy = engine::RecordErrorOptions::Policy;

struct Cause {
  absl::string_view reason;
  Policy engine::RecordErrorOptions::*policy;
  absl::string_view java;
};
constexpr Cause kCauses[] = {
    {"record_too_large", &engine::RecordErrorOptions::too_large,
     "org.apache.kafka.common.errors.RecordTooLargeException"},
    {"record_refused", &engine::RecordErrorOptions::refused,
     "org.apache.kafka.common.InvalidRecordException"},
    {"record_timestamp_refused", &engine::RecordErrorOptions::refused,
     "org.apache.kafka.common.errors.InvalidTimestampException"},
    {"receiver_refuses", &engine::RecordErrorOptions::refused,
     "org.apache.kafka.common.InvalidRecordException"},
    {"rabbitmq_unroutable", &engine::RecordErrorOptions::refused,
     "org.apache.kafka.common.InvalidRecordException"},
    {"topic_missing", &engine::RecordErrorOptions::topic_missing,
     "org.apache.kafka.common.errors.UnknownTopicOrPartitionException"},
    {"topic_authorization_failed", &engine::RecordErrorOptions::topic_denied,
     "org.apache.kafka.common.errors.TopicAuthorizationException"},
    {"receiver_gone", &engine::RecordErrorOptions::gone,
     "org.apache.kafka.connect.errors.ConnectException"},
    {"attempts_used_up", &engine::RecordErrorOptions::exhausted,
     "org.apache.kafka.connect.errors.ConnectException"},
    {"topic_name_invalid", nullptr, "org.apache.kafka.common.errors.InvalidTopicException"},
};

const Cause* CauseOf(const absl::Status& error) {
  const std::string reason = ErrorReason(error);
  for (const Cause& cause : kCauses) {
    if (cause.reason == reason) return &cause;
  }
  return nullptr;
}

}  // namespace

Verdict Judge(const engine::RecordErrorOptions& policy, const absl::Status& error, bool of_sink) {
  const Cause* const cause = of_sink ? CauseOf(error) : nullptr;
  const Policy own =
      cause == nullptr || cause->policy == nullptr ? Policy::kTolerance : policy.*cause->policy;
  if (own == Policy::kStop) return Verdict::kStop;
  if (own == Policy::kSkip) return Verdict::kSkip;
  if (own == Policy::kDeadLetter) return Verdict::kDeadLetter;
  if (!policy.tolerate) return Verdict::kStop;
  return policy.dead_letter_topic.empty() ? Verdict::kLog : Verdict::kDeadLetter;
}

std::string AsHeader(std::string text) {
  for (char& c : text) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = ' ';
  }
  return text;
}

std::string ExceptionOf(const absl::Status& error) {
  const Cause* const cause = CauseOf(error);
  return std::string(cause != nullptr ? cause->java
                                      : "org.apache.kafka.connect.errors.DataException");
}

absl::Status WithDeadLetterAdvice(const absl::Status& error) {
  constexpr absl::string_view kAdvice =
      "set errors.tolerance=all and errors.deadletterqueue.topic.name (in application.properties "
      "both behind debezium.source.) to send such records to a dead letter topic";
  const std::string hint = ErrorHint(error);
  return Error(error.code(), ErrorReason(error), error.message(),
               hint.empty() ? std::string(kAdvice) : absl::StrCat(hint, "; or ", kAdvice));
}

absl::Status WithSkip(const absl::Status& error, const std::optional<event::ChangeId>& change,
                      const names::Called& called) {
  if (!change || called.signals == names::Called::Signals::kNever) return error;
  const std::string hint = ErrorHint(error);
  return WithChange(Error(error.code(), ErrorReason(error), error.message(),
                          absl::StrCat(hint, hint.empty() ? "" : "; or ",
                                       names::Command(called, "skip", "--lsn " + change->Text()),
                                       " leaves this one change out for good")),
                    change->Text());
}

uint64_t SkippedRecords::Count(absl::string_view topic, absl::string_view reason) {
  const uint64_t count = ++counts_[absl::StrCat(topic, " ", reason)];
  return (count & (count - 1)) == 0 ? count : 0;
}

}  // namespace walduct::delivery
