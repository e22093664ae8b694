#include "delivery/pipeline/refused_records.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"
#include "engine/configuration/record_error_options.h"
#include "event/change_id.h"

namespace walduct::delivery {
namespace {

using metrics::RecordErrorOutcome;

constexpr size_t kLongestKey = 100;

std::optional<event::ChangeId> ChangeOf(const event::RecordId& id) {
  if (id.of != event::RecordId::Of::kChange || id.number == 0) return std::nullopt;
  return event::ChangeId{Lsn(id.lsn), id.number};
}

std::string Describe(const event::Record& record) {
  std::string text = absl::StrCat("record of ", record.topic, ", key ");
  if (record.key) {
    absl::StrAppend(&text, Utf8Prefix(*record.key, kLongestKey),
                    record.key->size() > kLongestKey ? "…" : "");
  } else {
    absl::StrAppend(&text, "none");
  }
  if (const auto change = ChangeOf(record.id)) {
    absl::StrAppend(&text, ", change ", change->Text());
  } else if (record.id.lsn != 0) {
    absl::StrAppend(&text, ", LSN ", Lsn(record.id.lsn).ToString());
  }
  return text;
}

}  // namespace

absl::Status RefusedRecords::Take(const event::Record& record, sink::Ticket ticket,
                                  const absl::Status& why, bool* settled) {
  *settled = false;
  if (!absl::IsInvalidArgument(why)) return why;
  if (IsLetter(record))
    return WithSkip(WithContext(why, absl::StrCat("dead letter: ", Describe(record))),
                    ChangeOf(record.id), options_.called);
  const Verdict verdict = Judge(*options_.policy, why, true);
  const bool parks = verdict == Verdict::kDeadLetter;
  if (destinations_ != nullptr && !parks) destinations_->OnRefused(ticket, record, "");
  if (verdict == Verdict::kStop)
    return WithSkip(WithDeadLetterAdvice(WithContext(why, Describe(record))), ChangeOf(record.id),
                    options_.called);
  if (parks) {
    if (const absl::Status written = WriteLetter(record, ticket, why); !written.ok())
      return absl::IsResourceExhausted(written) ? written : WithContext(written, "dead letter");
    if (destinations_ != nullptr)
      destinations_->OnRefused(ticket, record, options_.policy->dead_letter_topic);
  }
  *settled = !parks;
  Count(record, why, verdict);
  return absl::OkStatus();
}

// One of a letter would be refused as well, and so on without end.
bool RefusedRecords::IsLetter(const event::Record& record) const {
  const std::string& letters = options_.policy->dead_letter_topic;
  return !letters.empty() && record.topic == letters;
}

absl::Status RefusedRecords::WriteLetter(const event::Record& record, sink::Ticket ticket,
                                         const absl::Status& why) {
  event::Record letter = record;
  letter.topic = options_.policy->dead_letter_topic;
  letter.partition.reset();
  headers_.assign(record.headers.begin(), record.headers.end());
  const std::array<std::string, kContextNames.size()> context = {
      AsHeader(std::string(record.topic)),
      options_.connector,
      "0",
      "KAFKA_PRODUCE",
      std::string(kProduceClass),
      ExceptionOf(why),
      AsHeader(absl::StrCat(Describe(record), ": ", why.message()))};
  if (options_.policy->context_headers) {
    for (size_t i = 0; i < context.size(); ++i) headers_.push_back({kContextNames[i], context[i]});
  }
  letter.headers = headers_;
  return sink_.WriteLetter(letter, ticket);
}

void RefusedRecords::Count(const event::Record& record, const absl::Status& why, Verdict verdict) {
  const RecordErrorOutcome outcome = verdict == Verdict::kDeadLetter
                                         ? RecordErrorOutcome::kDeadLetter
                                     : verdict == Verdict::kSkip ? RecordErrorOutcome::kSkipped
                                                                 : RecordErrorOutcome::kLogged;
  options_.metrics->RecordErrors(outcome).Add();
  if (verdict == Verdict::kDeadLetter && !options_.policy->log) return;
  uint64_t count = 1;
  if (verdict == Verdict::kSkip) count = skipped_.Count(record.topic, ErrorReason(why));
  if (count == 0) return;
  log::Warn(absl::StrCat("record not published: ", why.message()),
            {{"record", Describe(record)},
             {"topic", record.topic},
             {"stage", "KAFKA_PRODUCE"},
             {"reason", ErrorReason(why)},
             {"records", count},
             {"dead_letter_topic", options_.policy->dead_letter_topic}});
  if (!options_.policy->log_records) return;
  log::Warn("the record that was not published",
            {{"key", record.key.value_or("null")}, {"value", record.value.value_or("null")}});
}

}  // namespace walduct::delivery
