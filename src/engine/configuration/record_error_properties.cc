#include "engine/configuration/record_error_properties.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "config/properties/validators.h"
#include "encode/options/converter_properties.h"
#include "engine/configuration/record_error_options.h"

namespace walduct::engine {
namespace {

using enum config::PropertyType;
using enum config::Support;

using Policy = RecordErrorOptions::Policy;

constexpr absl::string_view kTopic = "errors.deadletterqueue.topic.name";
constexpr absl::string_view kTooLarge = "walduct.errors.too.large";
constexpr absl::string_view kRefused = "walduct.errors.refused";
constexpr absl::string_view kGone = "walduct.errors.gone";
constexpr absl::string_view kExhausted = "walduct.errors.exhausted";
constexpr absl::string_view kTopicMissing = "walduct.errors.topic.missing";
constexpr absl::string_view kTopicDenied = "walduct.errors.topic.denied";
constexpr absl::string_view kSkippedRows = "walduct.snapshot.skip.rows";
constexpr absl::string_view kPolicies[] = {kTooLarge,  kRefused,      kGone,
                                           kExhausted, kTopicMissing, kTopicDenied};

std::string CheckSkippedRows(absl::string_view value) {
  return std::string(ParseSkippedRows(value).status().message());
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "errors.tolerance",
     .type = kEnum,
     .default_value = "none",
     .doc = "What to do with a record that cannot be published: stop the connector (none), or skip "
            "it (all) and send it to the dead letter topic or the log; see docs/errors.md.",
     .allowed = "none, all"},
    {.name = "errors.deadletterqueue.topic.name",
     .doc = "Dead letter topic for records that errors.tolerance=all skips. In Kafka Connect only "
            "sink connectors have one.",
     .validator = config::CheckWholeTopicName},
    {.name = "errors.deadletterqueue.topic.replication.factor",
     .type = kInt,
     .default_value = "3",
     .doc = "Replication factor for creating the dead letter topic; -1: the broker's default.",
     .validator = config::CheckTopicPartitions},
    {.name = "errors.deadletterqueue.context.headers.enable",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Add headers __connect.errors.* that describe the error to dead letters. A dead letter "
            "whose value could not be written always has them."},
    {.name = "errors.retry.timeout",
     .default_value = "0",
     .support = kNoEffect,
     .doc = "How long to retry a failed conversion.",
     .note = "a conversion that failed once would fail again"},
    {.name = "errors.retry.delay.max.ms",
     .default_value = "60000",
     .support = kNoEffect,
     .doc = "Longest wait between these retries.",
     .note = "a conversion that failed once would fail again"},
    {.name = "errors.log.enable",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Log dead letters. A record that is skipped without one is always logged."},
    {.name = "errors.log.include.messages",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Include key and value of skipped records in the log. The log then contains row data."},
    {.name = kTooLarge,
     .type = kEnum,
     .default_value = "tolerance",
     .doc = "A record that is too large for the producer or for the broker: as errors.tolerance "
            "says, or stop, dead.letter, skip, or placeholder: its largest values give way to "
            "unavailable.value.placeholder until it fits; see docs/errors.md.",
     .allowed = "tolerance, stop, dead.letter, skip, placeholder"},
    {.name = kRefused,
     .type = kEnum,
     .default_value = "tolerance",
     .doc = "A record that the sink refuses for another reason (Kafka: a compacted topic takes no "
            "record without key, a timestamp; HTTP: status 400 to 499): as errors.tolerance says, "
            "or stop, dead.letter, skip.",
     .allowed = "tolerance, stop, dead.letter, skip"},
    {.name = kGone,
     .type = kEnum,
     .default_value = "stop",
     .doc = "A record whose receiver is gone for good (sink=http: status 410).",
     .allowed = "tolerance, stop, dead.letter, skip"},
    {.name = kExhausted,
     .type = kEnum,
     .default_value = "tolerance",
     .doc = "A record that was not taken in as many attempts as sink.http.retries says. Where that "
            "is not set, a receiver that is away is waited for without end.",
     .allowed = "tolerance, stop, dead.letter, skip"},
    {.name = kTopicMissing,
     .type = kEnum,
     .default_value = "stop",
     .doc = "A record whose topic does not exist and is not created. What is not stop asks for the "
            "topic again once a minute.",
     .allowed = "tolerance, stop, dead.letter, skip"},
    {.name = kTopicDenied,
     .type = kEnum,
     .default_value = "stop",
     .doc = "A record whose topic the user may not write to. What is not stop tries again once a "
            "minute.",
     .allowed = "tolerance, stop, dead.letter, skip"},
    {.name = kSkippedRows,
     .doc = "Rows that a snapshot leaves out where their record cannot be published, by table and "
            "key, as JSON: [{\"table\":\"public.orders\",\"key\":{\"id\":5}}]. walduct skip "
            "--table --row-key sets it; see docs/errors.md.",
     .validator = CheckSkippedRows},
};

Policy PolicyOf(const config::PropertySet& properties, absl::string_view name) {
  const std::string text = properties.Text(name);
  if (text == "stop") return Policy::kStop;
  if (text == "dead.letter") return Policy::kDeadLetter;
  if (text == "skip") return Policy::kSkip;
  return text == "placeholder" ? Policy::kPlaceholder : Policy::kTolerance;
}

bool AnyWantsLetters(const config::PropertySet& properties) {
  return std::any_of(std::begin(kPolicies), std::end(kPolicies), [&](absl::string_view name) {
    return PolicyOf(properties, name) == Policy::kDeadLetter;
  });
}

void CheckPolicies(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.IsSet(kTopic)) return;
  for (const absl::string_view name : kPolicies) {
    if (PolicyOf(properties, name) == Policy::kDeadLetter) {
      findings->Error(name, "needs a dead letter topic",
                      absl::StrCat("name it in ", kTopic,
                                   "; in application.properties that is "
                                   "debezium.source.",
                                   kTopic));
    }
  }
}

}  // namespace

absl::Span<const config::PropertyDefinition> RecordErrorProperties() { return kRows; }

void CheckRecordErrors(const config::PropertySet& properties, config::Findings* findings) {
  CheckPolicies(properties, findings);
  const bool tolerate = properties.Text("errors.tolerance") == "all";
  const bool has_topic = properties.IsSet(kTopic);
  if (has_topic && !tolerate && !AnyWantsLetters(properties)) {
    findings->Warn(kTopic,
                   "has no effect: errors.tolerance=none stops the connector at the first record "
                   "that cannot be published; set errors.tolerance=all");
  }
  if (tolerate && !has_topic) {
    findings->Warn(
        "errors.tolerance",
        absl::StrCat("records that cannot be published will only be logged; name a topic in ",
                     kTopic, " to keep them"));
  }
  for (const absl::string_view companion : {"errors.deadletterqueue.topic.replication.factor",
                                            "errors.deadletterqueue.context.headers.enable"}) {
    if (properties.IsSet(companion) && !has_topic)
      findings->Warn(companion, absl::StrCat("has no effect without ", kTopic));
  }
}

RecordErrorOptions BuildRecordErrors(const config::PropertySet& properties) {
  RecordErrorOptions errors;
  errors.tolerate = properties.Text("errors.tolerance") == "all";
  if (errors.tolerate || AnyWantsLetters(properties))
    errors.dead_letter_topic = properties.Text("errors.deadletterqueue.topic.name");
  errors.too_large = PolicyOf(properties, kTooLarge);
  errors.refused = PolicyOf(properties, kRefused);
  errors.gone = PolicyOf(properties, kGone);
  errors.exhausted = PolicyOf(properties, kExhausted);
  errors.topic_missing = PolicyOf(properties, kTopicMissing);
  errors.topic_denied = PolicyOf(properties, kTopicDenied);
  errors.skipped_rows =
      ParseSkippedRows(properties.Text(kSkippedRows)).value_or(std::vector<SkippedRow>());
  errors.context_headers = properties.Boolean("errors.deadletterqueue.context.headers.enable");
  errors.log = properties.Boolean("errors.log.enable");
  errors.log_records = properties.Boolean("errors.log.include.messages");
  errors.value_converter = encode::FullConverterName(properties.Text("value.converter"));
  errors.header_converter = encode::FullConverterName(properties.Text("header.converter"));
  return errors;
}

}  // namespace walduct::engine
