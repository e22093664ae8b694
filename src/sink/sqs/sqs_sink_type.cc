#include "sink/sqs/sqs_sink_type.h"

#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sink/aws/aws_destination.h"
#include "sink/aws/aws_properties.h"
#include "sink/message_id.h"
#include "sink/sqs/sqs_target.h"

namespace walduct::sink {
namespace {

using enum config::PropertyType;

constexpr absl::string_view kQueue = "sink.sqs.queue.url";
constexpr absl::string_view kLetterQueue = "walduct.sink.sqs.deadletter.queue.url";
constexpr absl::string_view kLetterTopic = "errors.deadletterqueue.topic.name";

std::string CheckQueue(absl::string_view value) {
  return absl::StartsWith(value, "https://") || absl::StartsWith(value, "http://")
             ? ""
             : "is no URL of a queue";
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "sink.sqs.region",
     .doc = "Region of AWS for sink=sqs. In Debezium Server's file this and the following are "
            "debezium.sink.sqs.….",
     .fix = "name it as in eu-central-1",
     .validator = CheckAwsRegion},
    {.name = "sink.sqs.endpoint",
     .doc = "URL in the place of AWS's own endpoint of that region.",
     .fix = "write it as in http://localhost:4566",
     .validator = CheckAwsEndpoint},
    {.name = "sink.sqs.credentials.profile",
     .doc = "Profile of ~/.aws/credentials or ~/.aws/config that has the keys. Not set: the chain "
            "of AWS's SDK (docs/sinks.md)."},
    {.name = kQueue,
     .doc = "URL of the queue that all records go to.",
     .fix = "aws sqs get-queue-url --queue-name NAME prints it",
     .validator = CheckQueue},
    {.name = "sink.sqs.fifo.message.group.id",
     .default_value = "cdc-group",
     .doc = "Group of all messages, where the queue's name ends in .fifo."},
    {.name = "walduct.sink.sqs.fifo.group",
     .type = kEnum,
     .default_value = "fixed",
     .doc = "Group of a message: that of sink.sqs.fifo.message.group.id, or its key, so that "
            "several go at once.",
     .allowed = "fixed, key"},
    {.name = "walduct.sink.sqs.tombstones",
     .type = kEnum,
     .default_value = "send",
     .doc = "Records without a value: sent with an empty body, which AWS itself refuses, or not "
            "sent (a line in the log says so once).",
     .allowed = "send, skip"},
    {.name = "walduct.sink.sqs.ssl.ca",
     .doc = "File with the authorities to trust, PEM. Not set: the system's."},
    {.name = kLetterQueue,
     .doc = "URL of the queue for dead letters, once errors.deadletterqueue.topic.name is set.",
     .validator = CheckQueue},
};

absl::Span<const config::PropertyDefinition> Rows() { return kRows; }

void Check(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("sink") != "sqs") return;
  RequireForAws("sqs", "sink.sqs.region", "add the region, as in eu-central-1", properties,
                findings);
  RequireForAws("sqs", kQueue, "aws sqs get-queue-url --queue-name NAME prints it", properties,
                findings);
  CheckAwsLetters(kLetterQueue, kLetterTopic, properties, findings);
}

// Of several slots each counts the changes of a transaction by itself: their ids would be equal.
bool HasOneWriter(const config::PropertySet& properties) { return IsFifo(properties.Text(kQueue)); }

std::vector<FixedPlace> Places(const PropertyText&) { return {{kQueue}, {kLetterQueue}}; }

std::shared_ptr<Destination> Build(const config::PropertySet& properties, size_t buffer_bytes) {
  SqsTarget::Options options;
  options.service = BuildAws("sqs", properties);
  options.queue = properties.Text(kQueue);
  options.letter_queue = properties.Text(kLetterQueue);
  options.group = properties.Text("sink.sqs.fifo.message.group.id");
  options.group_by_key = properties.Text("walduct.sink.sqs.fifo.group") == "key";
  options.identity = IdentityOf(properties);
  return std::make_shared<AwsDestination>(
      kSqsSink,
      AwsSinkOptions{.target = std::make_shared<SqsTarget>(std::move(options)),
                     .attempts = std::nullopt,
                     .tombstones = properties.Text("walduct.sink.sqs.tombstones") == "send",
                     .buffer_bytes = buffer_bytes});
}

}  // namespace

constinit const SinkType kSqsSink = {
    .name = "sqs",
    .traits = {.store = SinkTraits::Store::kBesideOutput},
    .section = "walduct's own",
    .rows = Rows,
    .check = Check,
    .one_writer = HasOneWriter,
    .places = Places,
    .build = Build,
};

}  // namespace walduct::sink
