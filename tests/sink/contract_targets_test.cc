// The sinks that the contract is checked for in the unit tests: a fake, a file, standard output,
// the toy, and Kafka as librdkafka mocks it. tests/sink/broker has the real one.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "kafka/options.h"
#include "rapidjson/document.h"
#include "sink/line/line_sink.h"
#include "tests/kafka/mock_cluster.h"
#include "tests/sink/contract_transactions.h"
#include "tests/sink/fake_sink_target.h"
#include "tests/sink/http_sink_target.h"
#include "tests/sink/kafka_sink_target.h"
#include "tests/sink/toy/socket_sink_type.h"

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

// The toy, opened by its row as a connector's is; its reader keeps the lines in a file.
class SocketTarget final : public SinkTarget {
 public:
  SocketTarget() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    CHECK(path_.size() < sizeof(address.sun_path));
    std::memcpy(address.sun_path, path_.data(), path_.size());
    CHECK(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
    CHECK(listen(listener_, 8) == 0);
    reader_ = std::thread([this] { Serve(); });
  }
  ~SocketTarget() override {
    shutdown(listener_, SHUT_RDWR);
    reader_.join();
    close(listener_);
    std::filesystem::remove(path_);
    std::filesystem::remove(lines_);
  }
  std::unique_ptr<Sink> Open(size_t buffer_bytes) override {
    const config::PropertyTable table({{"", kSocketSink.rows()}});
    config::PropertySet properties(table);
    properties.Put({.name = "sink.socket.path", .written_as = "", .raw = path_, .value = path_});
    const auto destination = kSocketSink.build(properties, buffer_bytes);
    const kafka::KafkaOptions kafka;
    auto sink = destination->Open({.kafka = kafka, .environment = environment()});
    CHECK(sink.ok());
    return *std::move(sink);
  }
  std::vector<test::KeptRecord> Read(const std::string& topic) override {
    return ReadLines(lines_, topic);
  }

 private:
  void Serve() {
    for (int from; (from = accept(listener_, nullptr, nullptr)) >= 0; close(from)) {
      char bytes[4096];
      for (ssize_t count; (count = read(from, bytes, sizeof(bytes))) > 0;) {
        const absl::string_view text(bytes, static_cast<size_t>(count));
        std::ofstream(lines_, std::ios::app) << text;
        const std::string answers(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')),
                                  '+');
        if (write(from, answers.data(), answers.size()) < 0) break;
      }
    }
  }

  const std::string path_ = FreshPath("socket");
  const std::string lines_ = FreshPath("socket-lines");
  const int listener_ = socket(AF_UNIX, SOCK_STREAM, 0);
  std::thread reader_;
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
                                         ContractParameter{"Socket", Make<SocketTarget>},
                                         ContractParameter{"Http", Make<HttpSinkTarget, 1>},
                                         ContractParameter{"HttpManyAtOnce",
                                                           Make<HttpSinkTarget, 8>},
                                         ContractParameter{"KafkaMock", Make<MockKafkaTarget>}),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Sinks, RefusalContract,
                         testing::Values(ContractParameter{"Fake", Make<FakeSinkTarget, false>},
                                         ContractParameter{"Http", Make<HttpSinkTarget, 1>},
                                         ContractParameter{"HttpManyAtOnce",
                                                           Make<HttpSinkTarget, 8>}),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Sinks, TransactionContract,
                         testing::Values(ContractParameter{"Fake", Make<FakeSinkTarget, true>}),
                         NameOf);

}  // namespace
}  // namespace walduct::sink
