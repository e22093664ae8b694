#include "compare/compare_topics.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "kafka/client.h"
#include "kafka/look/topic_stream.h"
#include "kafka/options.h"
#include "kafka/properties.h"

namespace walduct::compare {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(60), kTold = absl::Seconds(5);

using Names = std::map<std::string, std::array<std::string, 2>>;  // by what follows the prefix

class Comparison {
 public:
  explicit Comparison(const CompareOptions& options)
      : options_(options), kafka_(kafka::WithFreshSecrets(*options.kafka)) {}

  absl::Status Run(const std::function<void(const TopicResult&)>& report) {
    ASSIGN_OR_RETURN(const Names names, FindTopics());
    for (const auto& [name, pair] : names) {
      RETURN_IF_ERROR(Measure(pair[0], &extents_[0]));
      RETURN_IF_ERROR(Measure(pair[1], &extents_[1]));
    }
    for (const auto& [name, pair] : names) {
      absl::StatusOr<Result> result = ComparePair(pair);
      RETURN_IF_ERROR(result.status());
      report({.left = pair[0], .right = pair[1], .result = *std::move(result)});
    }
    return absl::OkStatus();
  }

 private:
  // One topic of one side, record by record.
  struct Reading {
    std::string topic;
    std::unique_ptr<kafka::TopicStream> stream;  // null: ended, or there is none
    std::map<int32_t, Identifier> partitions;
    uint64_t order = 0;  // of the last one
    int64_t time = 0;    // as well; 0: it was no event
    uint64_t count = 0;
  };

  absl::StatusOr<Names> FindTopics() const {
    ASSIGN_OR_RETURN(const kafka::Properties properties,
                     kafka::TranslateProperties(kafka_.consumer));
    ASSIGN_OR_RETURN(kafka::Client client,
                     kafka::Client::Create(kafka::Client::Role::kConsumer, kafka_.bootstrap_servers,
                                           properties));
    const std::array<std::string, 2> prefixes = {options_.left, options_.right};
    Names names;
    for (size_t side = 0; side < 2; ++side) {
      ASSIGN_OR_RETURN(const std::vector<std::string> topics, ListTopics(client, prefixes[side]));
      if (topics.empty()) {
        return Error(
            absl::StatusCode::kFailedPrecondition, "no_topics",
            absl::StrCat("no topic begins with ", prefixes[side], " at ", kafka_.bootstrap_servers),
            "name the prefixes with --left and --right, e.g. --left shop. --right "
            "shadow.shop.");
      }
      for (const std::string& topic : topics)
        names[topic.substr(prefixes[side].size())][side] = topic;
    }
    return names;
  }

  absl::StatusOr<std::vector<std::string>> ListTopics(kafka::Client& client,
                                                      const std::string& prefix) const {
    for (absl::Duration waited = kTold;; waited += kTold) {
      absl::StatusOr<std::vector<std::string>> topics = kafka::ListTopics(client, prefix, kTold);
      if (topics.ok() || !absl::IsUnavailable(topics.status()) || waited >= kPatience)
        return topics;
      if (options_.waits) options_.waits(kafka_.bootstrap_servers, waited);
    }
  }

  absl::StatusOr<Reading> Open(const std::string& topic) const {
    Reading reading{.topic = topic, .stream = nullptr, .partitions = {}};
    if (topic.empty()) return reading;
    ASSIGN_OR_RETURN(reading.stream,
                     kafka::TopicStream::Open({.bootstrap_servers = kafka_.bootstrap_servers,
                                               .java = kafka_.consumer,
                                               .topic = topic,
                                               .timeout = kPatience,
                                               .awaits_transactions = false,
                                               .until_silent = true,
                                               .headers = true,
                                               .environment = options_.environment}));
    return reading;
  }

  absl::StatusOr<std::optional<Identity>> Next(Reading* reading, std::string* where) const {
    ASSIGN_OR_RETURN(const std::optional<kafka::TopicRecord> record, reading->stream->Next());
    if (!record) {
      reading->stream.reset();
      return std::nullopt;
    }
    Identifier& partition =
        reading->partitions.try_emplace(record->partition, &options_.ignored, options_.events)
            .first->second;
    absl::StatusOr<Identity> identity = partition.Identify(*record);
    *where = absl::StrCat(reading->topic, "-", record->partition, "@", record->offset);
    if (!identity.ok()) return WithContext(identity.status(), *where);
    ++reading->count;
    if (identity->order != 0) reading->order = identity->order;
    reading->time = identity->event ? record->timestamp_ms : 0;
    return *std::move(identity);
  }

  // Before anything is compared: what is written meanwhile is after the end. All is read, as the
  // first and the last ones of a partition may have no position, and a change of a long transaction
  // has one that is lower than those before it.
  absl::Status Measure(const std::string& topic, Extent* extent) {
    std::string where;
    ASSIGN_OR_RETURN(Reading reading, Open(topic));
    while (reading.stream != nullptr) {
      ASSIGN_OR_RETURN(const std::optional<Identity> identity, Next(&reading, &where));
      if (!identity) continue;
      extent->Add(identity->order);
      partitions_[topic][identity->partition].Add(identity->order);
    }
    return absl::OkStatus();
  }

  // The one that is behind, by position; events by their time; else by count.
  static size_t Behind(const std::array<Reading, 2>& sides) {
    if (sides[0].stream == nullptr) return 1;
    if (sides[1].stream == nullptr) return 0;
    if (sides[0].order != sides[1].order) return sides[0].order < sides[1].order ? 0 : 1;
    const bool timed = sides[0].time > 0 && sides[1].time > 0;
    if (timed && sides[0].time != sides[1].time) return sides[0].time < sides[1].time ? 0 : 1;
    return sides[0].count <= sides[1].count ? 0 : 1;
  }

  absl::StatusOr<Result> ComparePair(const std::array<std::string, 2>& topics) {
    Matcher matcher(extents_, options_.limits, {partitions_[topics[0]], partitions_[topics[1]]});
    std::array<Reading, 2> sides;
    for (size_t side = 0; side < 2; ++side) {
      ASSIGN_OR_RETURN(sides[side], Open(topics[side]));
    }
    std::string where;
    while (sides[0].stream != nullptr || sides[1].stream != nullptr) {
      const size_t side = Behind(sides);
      ASSIGN_OR_RETURN(const std::optional<Identity> identity, Next(&sides[side], &where));
      if (!identity) continue;
      RETURN_IF_ERROR(matcher.Add(side == 0 ? Side::kLeft : Side::kRight, *identity, where));
    }
    return matcher.Finish();
  }

  const CompareOptions& options_;
  const kafka::KafkaOptions kafka_;
  std::array<Extent, 2> extents_;
  std::map<std::string, Partitions> partitions_;  // by topic
};

}  // namespace

absl::Status CompareTopics(const CompareOptions& options,
                           const std::function<void(const TopicResult&)>& report) {
  return Comparison(options).Run(report);
}

}  // namespace walduct::compare
