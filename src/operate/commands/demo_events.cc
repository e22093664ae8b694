#include "operate/commands/demo_events.h"

#include <rapidjson/document.h>

#include <fstream>
#include <map>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "event/record.h"
#include "kafka/client.h"
#include "kafka/client_properties.h"
#include "kafka/deletion/topic_deletion.h"
#include "kafka/look/topic_reader.h"
#include "kafka/options.h"
#include "sink/eyes/eyes_record.h"

namespace walduct::operate {
namespace {

constexpr absl::Duration kKafkaPatience = absl::Seconds(15);

// A text, or {"base64": "…"}; absent: null.
std::optional<std::string> BytesOf(const rapidjson::Value& value) {
  if (value.IsString()) return std::string(json::TextOf(value));
  std::string bytes;
  if (json::FindString(value, "base64") != nullptr &&
      absl::Base64Unescape(json::TextIn(value, "base64"), &bytes))
    return bytes;
  return std::nullopt;
}

class FileEvents final : public DemoEvents {
 public:
  explicit FileEvents(std::string path) : path_(std::move(path)) {}

  absl::StatusOr<std::vector<DemoRecord>> Next() override {
    std::vector<DemoRecord> records;
    std::ifstream file(path_);
    file.seekg(read_);
    for (std::string line; std::getline(file, line) && !file.eof();) {
      read_ += static_cast<std::streamoff>(line.size() + 1);
      const rapidjson::Document record = json::Parse(line);
      if (!record.IsObject() || !record.HasMember("topic") || !record.HasMember("key") ||
          !record.HasMember("value") || !record["topic"].IsString())
        return absl::InternalError("a line of the file is no record");
      records.push_back({.topic = record["topic"].GetString(),
                         .key = BytesOf(record["key"]),
                         .value = BytesOf(record["value"])});
    }
    return records;
  }

 private:
  const std::string path_;
  std::streamoff read_ = 0;
};

// They are small: each look reads them from their beginning.
class TopicEvents final : public DemoEvents {
 public:
  TopicEvents(const kafka::KafkaOptions& kafka, std::vector<std::string> topics,
              const Environment& environment)
      : kafka_(kafka), topics_(std::move(topics)), environment_(environment) {}

  absl::StatusOr<std::vector<DemoRecord>> Next() override {
    std::vector<DemoRecord> records;
    for (const std::string& topic : topics_) {
      const auto add = [&](const kafka::TopicRecord& record) {
        int64_t& next = next_[{topic, record.partition}];
        if (record.offset < next) return;
        next = record.offset + 1;
        records.push_back({.topic = topic,
                           .key = Copied(record.key),
                           .value = Copied(record.value),
                           .timestamp_ms = record.timestamp_ms});
      };
      const absl::Status read = kafka::ReadTopic({.bootstrap_servers = kafka_.bootstrap_servers,
                                                  .java = kafka_.consumer,
                                                  .topic = topic,
                                                  .timeout = kKafkaPatience,
                                                  .awaits_transactions = false,
                                                  .environment = environment_},
                                                 add);
      if (ErrorReason(read) == "topic_missing") continue;
      RETURN_IF_ERROR(read);
    }
    return records;
  }

 private:
  static std::optional<std::string> Copied(const std::optional<absl::string_view>& bytes) {
    return bytes ? std::optional(std::string(*bytes)) : std::nullopt;
  }

  const kafka::KafkaOptions kafka_;
  const std::vector<std::string> topics_;
  const Environment environment_;
  std::map<std::pair<std::string, int32_t>, int64_t> next_;  // offsets that are still to come
};

absl::StatusOr<kafka::Client> AdminOf(const kafka::KafkaOptions& kafka) {
  ASSIGN_OR_RETURN(const kafka::Properties properties, kafka::TranslateProperties(kafka.admin));
  return kafka::Client::Create(kafka::Client::Role::kProducer, kafka.bootstrap_servers, properties);
}

std::optional<absl::string_view> ViewOf(const std::optional<std::string>& bytes) {
  return bytes ? std::optional<absl::string_view>(*bytes) : std::nullopt;
}

}  // namespace

std::string DemoLine(const DemoRecord& record, bool colour, size_t columns) {
  event::Record shown{.topic = record.topic,
                      .partition = std::nullopt,
                      .key = ViewOf(record.key),
                      .value = ViewOf(record.value),
                      .headers = {}};
  if (record.timestamp_ms > 0) shown.timestamp_ms = record.timestamp_ms;
  std::string line;
  sink::AppendEyesRecord(shown, {.colour = colour, .columns = columns}, &line);
  return line;
}

std::unique_ptr<DemoEvents> DemoEvents::InFile(const std::string& path) {
  return std::make_unique<FileEvents>(path);
}

std::unique_ptr<DemoEvents> DemoEvents::InTopics(const kafka::KafkaOptions& kafka,
                                                 std::vector<std::string> topics,
                                                 const Environment& environment) {
  return std::make_unique<TopicEvents>(kafka, std::move(topics), environment);
}

absl::StatusOr<std::vector<std::string>> DemoTopics(const kafka::KafkaOptions& kafka,
                                                    const std::string& prefix) {
  ASSIGN_OR_RETURN(kafka::Client client, AdminOf(kafka));
  return kafka::ListTopics(client, prefix, kKafkaPatience);
}

absl::Status DeleteDemoTopics(const kafka::KafkaOptions& kafka,
                              const std::vector<std::string>& topics) {
  ASSIGN_OR_RETURN(kafka::Client client, AdminOf(kafka));
  return kafka::DeleteTopics(client, topics, kKafkaPatience);
}

}  // namespace walduct::operate
