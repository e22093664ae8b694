// The sinks that the contract is checked for in the unit tests: a fake, a file, standard output,
// and Kafka as librdkafka mocks it. tests/sink/broker has the real one.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rapidjson/document.h"
#include "sink/line_sink.h"
#include "tests/kafka/mock_cluster.h"
#include "tests/sink/contract_transactions.h"
#include "tests/sink/fake_sink_target.h"
#include "tests/sink/kafka_sink_target.h"

namespace walduct::sink {
namespace {

std::optional<std::string> TextOf(const rapidjson::Value& json) {
  if (json.IsNull()) return std::nullopt;
  if (json.IsString()) return std::string(json.GetString(), json.GetStringLength());
  std::string bytes;
  CHECK(absl::Base64Unescape(json["base64"].GetString(), &bytes));
  return bytes;
}

// Lines that are no records are left out.
std::vector<test::KeptRecord> ReadLines(const std::string& path, const std::string& topic) {
  std::vector<test::KeptRecord> read;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!absl::StartsWith(line, kRecordBegin)) continue;
    rapidjson::Document json;
    json.Parse(line.data(), line.size());
    CHECK(!json.HasParseError());
    test::KeptRecord record;
    record.topic = *TextOf(json["topic"]);
    record.key = TextOf(json["key"]);
    record.value = TextOf(json["value"]);
    for (const auto& header : json["headers"].GetArray())
      record.headers.emplace_back(*TextOf(header[0]), TextOf(header[1]));
    if (record.topic == topic) read.push_back(std::move(record));
  }
  return read;
}

std::string FreshPath(absl::string_view what) {
  static int number = 0;
  const std::string path =
      absl::StrCat(testing::TempDir(), "/contract-", what, "-", getpid(), "-", ++number);
  std::filesystem::remove(path);
  return path;
}

class FileTarget final : public SinkTarget {
 public:
  ~FileTarget() override { std::filesystem::remove(path_); }
  std::unique_ptr<Sink> Open(size_t buffer_bytes) override {
    auto sink = LineSink::ToFile({.buffer_bytes = buffer_bytes, .path = path_});
    CHECK(sink.ok());
    return *std::move(sink);
  }
  std::vector<test::KeptRecord> Read(const std::string& topic) override {
    return ReadLines(path_, topic);
  }

 private:
  const std::string path_ = FreshPath("file");
};

// Standard output goes to a file as long as it lives; what was no record is said afterwards.
class StdoutTarget final : public SinkTarget {
 public:
  StdoutTarget() {
    std::fflush(stdout);
    const int file = open(path_.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    CHECK(file >= 0 && saved_ >= 0 && dup2(file, STDOUT_FILENO) >= 0);
    close(file);
  }
  ~StdoutTarget() override {
    std::fflush(stdout);
    CHECK(dup2(saved_, STDOUT_FILENO) >= 0);
    close(saved_);
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
      if (!absl::StartsWith(line, kRecordBegin)) std::cout << line << "\n";
    }
    std::filesystem::remove(path_);
  }
  std::unique_ptr<Sink> Open(size_t buffer_bytes) override {
    auto sink = LineSink::ToStandardOutput({.buffer_bytes = buffer_bytes});
    CHECK(sink.ok());
    return *std::move(sink);
  }
  std::vector<test::KeptRecord> Read(const std::string& topic) override {
    return ReadLines(path_, topic);
  }

 private:
  const std::string path_ = FreshPath("stdout");
  const int saved_ = dup(STDOUT_FILENO);
};

class MockKafkaTarget final : public SinkTarget {
 public:
  std::unique_ptr<Sink> Open(size_t buffer_bytes) override { return kafka_.Open(buffer_bytes); }
  std::vector<test::KeptRecord> Read(const std::string& topic) override {
    return kafka_.Read(topic);
  }
  std::string Topic(const std::string& name) override {
    cluster_.CreateTopic(name, 1);
    return name;
  }

 private:
  kafka::MockCluster cluster_;
  KafkaSinkTarget kafka_{cluster_.bootstrap_servers(), ""};
};

template <typename Target, auto... kArguments>
std::unique_ptr<SinkTarget> Make() {
  return std::make_unique<Target>(kArguments...);
}

INSTANTIATE_TEST_SUITE_P(Sinks, SinkContract,
                         testing::Values(ContractParameter{"Fake", Make<FakeSinkTarget, false>},
                                         ContractParameter{"File", Make<FileTarget>},
                                         ContractParameter{"Stdout", Make<StdoutTarget>},
                                         ContractParameter{"KafkaMock", Make<MockKafkaTarget>}),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Sinks, TransactionContract,
                         testing::Values(ContractParameter{"Fake", Make<FakeSinkTarget, true>}),
                         NameOf);

}  // namespace
}  // namespace walduct::sink
