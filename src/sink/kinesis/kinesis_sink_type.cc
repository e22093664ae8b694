#include "sink/kinesis/kinesis_sink_type.h"

#include <memory>
#include <string>

#include "absl/strings/numbers.h"
#include "sink/aws/aws_destination.h"
#include "sink/aws/aws_properties.h"
#include "sink/kinesis/kinesis_target.h"

namespace walduct::sink {
namespace {

using enum config::PropertyType;

std::string CheckBatchSize(absl::string_view value) {
  int size = 0;
  return absl::SimpleAtoi(value, &size) && size >= 1 && size <= 500
             ? ""
             : "is not from 1 to 500, which PutRecords takes";
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "sink.kinesis.region",
     .doc = "Region of AWS for sink=kinesis. In Debezium Server's file this and the following are "
            "debezium.sink.kinesis.….",
     .fix = "name it as in eu-central-1",
     .validator = CheckAwsRegion},
    {.name = "sink.kinesis.endpoint",
     .doc = "URL in the place of AWS's own endpoint of that region.",
     .fix = "write it as in http://localhost:4566",
     .validator = CheckAwsEndpoint},
    {.name = "sink.kinesis.credentials.profile",
     .doc = "Profile of ~/.aws/credentials or ~/.aws/config that has the keys. Not set: the chain "
            "of AWS's SDK (docs/sinks.md)."},
    {.name = "sink.kinesis.null.key",
     .default_value = "default",
     .doc = "Partition key of records without a key."},
    {.name = "sink.kinesis.batch.size",
     .type = kPositiveInt,
     .default_value = "500",
     .doc = "Records of a request, at most.",
     .fix = "use a number from 1 to 500",
     .validator = CheckBatchSize},
    {.name = "sink.kinesis.default.retries",
     .type = kPositiveInt,
     .default_value = "5",
     .doc = "Attempts for a record before it is given up (walduct.errors.exhausted). Not set: what "
            "passes is waited for without end."},
    {.name = "walduct.sink.kinesis.ssl.ca",
     .doc = "File with the authorities to trust, PEM. Not set: the system's."},
};

absl::Span<const config::PropertyDefinition> Rows() { return kRows; }

void Check(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("sink") != "kinesis") return;
  RequireForAws("kinesis", "sink.kinesis.region", "add the region, as in eu-central-1", properties,
                findings);
}

std::shared_ptr<Destination> Build(const config::PropertySet& properties, size_t buffer_bytes) {
  KinesisTarget::Options options;
  options.service = BuildAws("kinesis", properties);
  options.null_key = properties.Text("sink.kinesis.null.key");
  options.batch_size = static_cast<size_t>(properties.Integer("sink.kinesis.batch.size"));
  return std::make_shared<AwsDestination>(
      kKinesisSink, AwsSinkOptions{.target = std::make_shared<KinesisTarget>(std::move(options)),
                                   .attempts = AwsAttempts("kinesis", properties),
                                   .buffer_bytes = buffer_bytes});
}

}  // namespace

constinit const SinkType kKinesisSink = {
    .name = "kinesis",
    .traits = {.store = SinkTraits::Store::kBesideOutput},
    .section = "walduct's own",
    .rows = Rows,
    .check = Check,
    .build = Build,
};

}  // namespace walduct::sink
