#include "sink/sns/sns_sink_type.h"

#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sink/aws/aws_destination.h"
#include "sink/aws/aws_properties.h"
#include "sink/message_id.h"
#include "sink/sns/sns_target.h"

namespace walduct::sink {
namespace {

using enum config::PropertyType;

constexpr absl::string_view kTopic = "sink.sns.topic.arn", kPrefix = "sink.sns.topic.arn.prefix";
constexpr absl::string_view kLetterTopicArn = "walduct.sink.sns.deadletter.topic.arn";
constexpr absl::string_view kLetterTopic = "errors.deadletterqueue.topic.name";

std::string CheckArn(absl::string_view value) {
  return absl::StartsWith(value, "arn:") ? "" : "is no ARN";
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "sink.sns.region",
     .doc = "Region of AWS for sink=sns. In Debezium Server's file this and the following are "
            "debezium.sink.sns.….",
     .fix = "name it as in eu-central-1",
     .validator = CheckAwsRegion},
    {.name = "sink.sns.endpoint",
     .doc = "URL in the place of AWS's own endpoint of that region.",
     .fix = "write it as in http://localhost:4566",
     .validator = CheckAwsEndpoint},
    {.name = "sink.sns.credentials.profile",
     .doc = "Profile of ~/.aws/credentials or ~/.aws/config that has the keys. Not set: the chain "
            "of AWS's SDK (docs/sinks.md)."},
    {.name = kTopic,
     .doc = "ARN of the topic of SNS that all records go to, where there is no prefix.",
     .fix = "write it as in arn:aws:sns:eu-central-1:123456789012:events",
     .validator = CheckArn},
    {.name = kPrefix,
     .doc = "What stands before a topic's name in the ARN that its records go to.",
     .fix = "write it as in arn:aws:sns:eu-central-1:123456789012:",
     .validator = CheckArn},
    {.name = "sink.sns.default.retries",
     .type = kPositiveInt,
     .default_value = "5",
     .doc = "Attempts for a record before it is given up (walduct.errors.exhausted). Not set: what "
            "passes is waited for without end."},
    {.name = "sink.sns.fifo.message.group.id.header",
     .default_value = "aggregateId",
     .doc = "Header that is the group of a message, where the topic's name ends in .fifo. Without "
            "it the key is, without a key sink.sns.fifo.default.group.id."},
    {.name = "sink.sns.fifo.message.dedup.id.header",
     .doc = "Header that is its deduplication id. Not set, or missing: made of the change's "
            "position."},
    {.name = "sink.sns.fifo.default.group.id",
     .default_value = "default",
     .doc = "Group of messages without header and key."},
    {.name = "walduct.sink.sns.null.headers",
     .type = kEnum,
     .default_value = "refuse",
     .doc = "A header that is null or empty, which SNS has no room for: the record cannot be "
            "published (docs/errors.md), as Debezium Server has it, or the header is left out.",
     .allowed = "refuse, skip"},
    {.name = "walduct.sink.sns.tombstones",
     .type = kEnum,
     .default_value = "send",
     .doc = "Records without a value: sent with an empty text, which AWS itself refuses, or not "
            "sent (a line in the log says so once).",
     .allowed = "send, skip"},
    {.name = "walduct.sink.sns.ssl.ca",
     .doc = "File with the authorities to trust, PEM. Not set: the system's."},
    {.name = kLetterTopicArn,
     .doc = "ARN of the topic for dead letters, once errors.deadletterqueue.topic.name is set. Not "
            "set: sink.sns.topic.arn.prefix and that name.",
     .validator = CheckArn},
};

absl::Span<const config::PropertyDefinition> Rows() { return kRows; }

void Check(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("sink") != "sns") return;
  RequireForAws("sns", "sink.sns.region", "add the region, as in eu-central-1", properties,
                findings);
  if (!properties.IsSet(kPrefix))
    CheckAwsLetters(kLetterTopicArn, kLetterTopic, properties, findings);
  if (!properties.IsSet(kPrefix) && !properties.IsSet(kTopic))
    findings->Warn(kTopic,
                   absl::StrCat("neither it nor ", kPrefix,
                                " is set: only topics that a transform names by their ARN have a "
                                "place"));
}

// Of several slots each counts the changes of a transaction by itself: their ids would be equal.
bool HasOneWriter(const config::PropertySet& properties) {
  return IsFifo(properties.Text(kTopic)) || properties.IsSet(kPrefix);
}

bool IsJson(const config::PropertySet& properties, absl::string_view converter) {
  const config::Property* const found = properties.Find(converter);
  return found != nullptr && absl::EndsWith(found->value, "JsonConverter");
}

// With a prefix the ARN is not used: a topic's name is a part of it.
std::vector<FixedPlace> Places(const PropertyText& text) {
  std::vector<FixedPlace> places = {{kLetterTopicArn}};
  if (text(kPrefix).empty()) places.push_back({kTopic});
  return places;
}

std::shared_ptr<Destination> Build(const config::PropertySet& properties, size_t buffer_bytes) {
  SnsTarget::Options options;
  options.service = BuildAws("sns", properties);
  options.prefix = properties.Text(kPrefix);
  options.topic = properties.Text(kTopic);
  options.letter_topic = properties.Text(kLetterTopicArn);
  options.group_header = properties.Text("sink.sns.fifo.message.group.id.header");
  options.id_header = properties.Text("sink.sns.fifo.message.dedup.id.header");
  options.group = properties.Text("sink.sns.fifo.default.group.id");
  options.json_value = IsJson(properties, "value.converter");
  options.json_headers = IsJson(properties, "header.converter");
  options.skips_null_headers = properties.Text("walduct.sink.sns.null.headers") == "skip";
  options.identity = IdentityOf(properties);
  return std::make_shared<AwsDestination>(
      kSnsSink,
      AwsSinkOptions{.target = std::make_shared<SnsTarget>(std::move(options)),
                     .attempts = AwsAttempts("sns", properties),
                     .tombstones = properties.Text("walduct.sink.sns.tombstones") == "send",
                     .buffer_bytes = buffer_bytes});
}

}  // namespace

constinit const SinkType kSnsSink = {
    .name = "sns",
    .traits = {.store = SinkTraits::Store::kBesideOutput},
    .section = "walduct's own",
    .rows = Rows,
    .check = Check,
    .one_writer = HasOneWriter,
    .places = Places,
    .build = Build,
};

}  // namespace walduct::sink
