// The contract of sinks (tests/sink/contract.h) for Kinesis, SQS and SNS against moto, whose URL is
// in WALDUCT_TEST_AWS. A program of its own that the end-to-end tests run: tests/e2e/test_aws.py.
#include <rapidjson/document.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "aws/xml_text.h"
#include "base/check.h"
#include "base/json.h"
#include "base/percent.h"
#include "sink/aws/aws_sink.h"
#include "sink/kinesis/kinesis_target.h"
#include "sink/sns/sns_target.h"
#include "sink/sqs/sqs_target.h"
#include "tests/sink/contract.h"

namespace walduct::sink {
namespace {

constexpr char kAccount[] = "123456789012";

std::string Url() {
  const char* const text = std::getenv("WALDUCT_TEST_AWS");
  CHECK(text != nullptr);
  return text;
}

aws::AwsOptions OptionsOf(const std::string& service) {
  return {.service = service, .region = "eu-central-1", .endpoint = Url()};
}

std::string JsonText(absl::string_view text) {
  JsonWriter writer;
  writer.Text(text);
  return writer.text();
}

// Asks as anybody would.
class Asked {
 public:
  explicit Asked(const std::string& service)
      : service_(*aws::Service::Create(OptionsOf(service), Environment::Real())) {}
  rapidjson::Document Json(const std::string& target, const std::string& body) {
    const auto answer =
        service_->Call({.target = target, .body = body, .json = target[0] == 'K' ? "1.1" : "1.0"});
    Check(answer.status());
    return json::Parse(*answer);
  }
  std::string Form(const std::string& body) {
    const auto answer = service_->Call({.target = "", .body = body + "&Version=2010-03-31"});
    Check(answer.status());
    return *answer;
  }

 private:
  static void Check(const absl::Status& status) {
    if (!status.ok()) std::cout << status << std::endl;
    CHECK(status.ok());
  }

  const std::unique_ptr<aws::Service> service_;
};

std::unique_ptr<Sink> OpenOn(std::shared_ptr<const AwsTarget> target, size_t buffer_bytes) {
  auto sink = AwsSink::Create({.target = std::move(target), .buffer_bytes = buffer_bytes},
                              Environment::Real());
  CHECK(sink.ok());
  return *std::move(sink);
}

std::string NextName() {
  static int number = 0;
  return absl::StrCat("contract-", getpid(), "-", ++number);
}

class KinesisServer final : public SinkTarget {
 public:
  std::unique_ptr<Sink> Open(size_t buffer_bytes) override {
    return OpenOn(
        std::make_shared<KinesisTarget>(KinesisTarget::Options{.service = OptionsOf("kinesis")}),
        buffer_bytes);
  }
  std::string Topic(const std::string& name) override {
    const std::string stream = absl::StrCat(name_, "-", name);
    asked_.Json("Kinesis_20131202.CreateStream",
                absl::StrCat(R"({"StreamName":")", stream, R"(","ShardCount":1})"));
    return stream;
  }
  // No headers; a key always, a value always.
  std::optional<test::KeptRecord> Seen(test::KeptRecord written) override {
    written.headers.clear();
    if (written.key.value_or("").empty()) written.key = "default";
    if (!written.value) written.value = "";
    return written;
  }
  std::vector<test::KeptRecord> Read(const std::string& topic) override {
    const auto at = asked_.Json(
        "Kinesis_20131202.GetShardIterator",
        absl::StrCat(R"({"StreamName":")", topic,
                     R"(","ShardId":"shardId-000000000000","ShardIteratorType":"TRIM_HORIZON"})"));
    std::vector<test::KeptRecord> read;
    std::string next = json::TextIn(at, "ShardIterator");
    while (true) {
      const auto answer = asked_.Json("Kinesis_20131202.GetRecords",
                                      absl::StrCat(R"({"ShardIterator":)", JsonText(next), "}"));
      const auto& records = *json::FindArray(answer, "Records");
      if (records.Empty()) return read;
      for (const auto& one : records.GetArray()) {
        test::KeptRecord record;
        record.topic = topic;
        record.key = json::TextIn(one, "PartitionKey");
        record.value.emplace();
        CHECK(absl::Base64Unescape(json::TextIn(one, "Data"), &*record.value));
        read.push_back(std::move(record));
      }
      next = json::TextIn(answer, "NextShardIterator");
    }
  }
  std::string RefusedValue() override { return std::string(1100 << 10, 'x'); }

 private:
  const std::string name_ = NextName();
  Asked asked_{"kinesis"};
};

// Reads a queue, and keeps what it gave.
class Queue {
 public:
  std::string Create(const std::string& name) {
    const bool fifo = IsFifo(name);
    const auto made = asked_.Json("AmazonSQS.CreateQueue",
                                  absl::StrCat(R"({"QueueName":")", name, R"(","Attributes":{)",
                                               fifo ? R"("FifoQueue":"true")" : "", "}}"));
    url_ = json::TextIn(made, "QueueUrl");
    return url_;
  }
  const std::vector<std::string>& Read() {
    while (true) {
      const auto answer =
          asked_.Json("AmazonSQS.ReceiveMessage",
                      absl::StrCat(R"({"QueueUrl":")", url_, R"(","MaxNumberOfMessages":10})"));
      const auto* const messages = json::FindArray(answer, "Messages");
      if (messages == nullptr || messages->Empty()) return bodies_;
      for (const auto& one : messages->GetArray()) {
        bodies_.push_back(json::TextIn(one, "Body"));
        asked_.Json("AmazonSQS.DeleteMessage",
                    absl::StrCat(R"({"QueueUrl":")", url_, R"(","ReceiptHandle":)",
                                 JsonText(json::TextIn(one, "ReceiptHandle")), "}"));
      }
    }
  }

 private:
  Asked asked_{"sqs"};
  std::string url_;
  std::vector<std::string> bodies_;
};

// Text alone.
std::optional<test::KeptRecord> SeenAsText(test::KeptRecord written, const std::string& topic) {
  test::KeptRecord seen;
  seen.topic = topic;
  seen.value = written.value.value_or("");
  return seen;
}

class SqsServer final : public SinkTarget {
 public:
  explicit SqsServer(bool fifo) : queue_url_(queue_.Create(NextName() + (fifo ? ".fifo" : ""))) {}
  std::unique_ptr<Sink> Open(size_t buffer_bytes) override {
    return OpenOn(std::make_shared<SqsTarget>(SqsTarget::Options{
                      .service = OptionsOf("sqs"), .queue = queue_url_, .group_by_key = true}),
                  buffer_bytes);
  }
  std::optional<test::KeptRecord> Seen(test::KeptRecord written) override {
    return SeenAsText(written, written.topic);
  }
  std::vector<test::KeptRecord> Read(const std::string& topic) override {
    std::vector<test::KeptRecord> read;
    for (const std::string& body : queue_.Read()) {
      test::KeptRecord record;
      record.topic = topic;
      record.value = body;
      read.push_back(std::move(record));
    }
    return read;
  }
  bool ordered() const override { return false; }
  bool takes_bytes() const override { return false; }

 private:
  Queue queue_;
  const std::string queue_url_;
};

// Read through a queue that is subscribed to it.
class SnsServer final : public SinkTarget {
 public:
  SnsServer() : name_(NextName()) {
    arn_ = std::string(aws::ElementIn(asked_.Form("Action=CreateTopic&Name=" + name_), "TopicArn"));
    queue_.Create(name_);
    asked_.Form(
        absl::StrCat("Action=Subscribe&Protocol=sqs&TopicArn=", EncodePercent(arn_), "&Endpoint=",
                     EncodePercent(absl::StrCat("arn:aws:sqs:eu-central-1:", kAccount, ":", name_)),
                     "&Attributes.entry.1.key=RawMessageDelivery&Attributes.entry.1.value=true"));
  }
  std::unique_ptr<Sink> Open(size_t buffer_bytes) override {
    SnsTarget::Options options{.service = OptionsOf("sns")};
    options.topic = arn_;
    options.json_value = options.json_headers = false;
    options.skips_null_headers = true;
    return OpenOn(std::make_shared<SnsTarget>(options), buffer_bytes);
  }
  std::optional<test::KeptRecord> Seen(test::KeptRecord written) override {
    return SeenAsText(written, written.topic);
  }
  std::vector<test::KeptRecord> Read(const std::string& topic) override {
    std::vector<test::KeptRecord> read;
    for (const std::string& body : queue_.Read()) {
      test::KeptRecord record;
      record.topic = topic;
      record.value = body;
      read.push_back(std::move(record));
    }
    return read;
  }
  bool ordered() const override { return false; }
  bool takes_bytes() const override { return false; }
  size_t longest_name() const override { return 256; }

 private:
  Asked asked_{"sns"};
  Queue queue_;
  const std::string name_;
  std::string arn_;
};

template <typename Target, auto... kArguments>
std::unique_ptr<SinkTarget> Make() {
  return std::make_unique<Target>(kArguments...);
}

INSTANTIATE_TEST_SUITE_P(Aws, SinkContract,
                         testing::Values(ContractParameter{"Kinesis", Make<KinesisServer>},
                                         ContractParameter{"Sqs", Make<SqsServer, false>},
                                         ContractParameter{"SqsFifo", Make<SqsServer, true>},
                                         ContractParameter{"Sns", Make<SnsServer>}),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Aws, RefusalContract,
                         testing::Values(ContractParameter{"Kinesis", Make<KinesisServer>}),
                         NameOf);

}  // namespace
}  // namespace walduct::sink
