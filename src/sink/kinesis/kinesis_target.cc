#include "sink/kinesis/kinesis_target.h"

#include <rapidjson/document.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "aws/error.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace walduct::sink {
namespace {

constexpr size_t kLongestKey = 256, kLongestName = 128;
// AWS lets a stream take 10 MiB since 2025, and says so itself where it does not.
constexpr size_t kRecordBytes = 1u << 20, kRequestBytes = 5u << 20;
constexpr size_t kMostAsked = 20;

absl::Status Refused(absl::string_view reason, const std::string& what, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, reason, what, hint);
}

bool IsName(absl::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-';
         });
}

aws::Request Of(absl::string_view action, std::string body) {
  return {.target = absl::StrCat("Kinesis_20131202.", action), .body = std::move(body)};
}

}  // namespace

AwsTarget::Limits KinesisTarget::limits() const {
  return {.records = options_.batch_size, .bytes = kRequestBytes, .record_bytes = kRecordBytes};
}

absl::Status KinesisTarget::Address(const event::Record& record, AwsMessage* message) const {
  if (!IsName(record.topic))
    return Refused("topic_name_invalid",
                   absl::StrCat("'", record.topic, "' can be the name of no stream of Kinesis"),
                   "it takes up to 128 of A-Z a-z 0-9 _ . -: let a transform name the topic");
  const absl::string_view key = record.key.value_or("");
  if (!IsValidUtf8(key) || Utf16Length(key) > kLongestKey)
    return Refused("record_refused",
                   absl::StrCat("a partition key of ", key.size(),
                                " bytes: Kinesis takes text of up to ", kLongestKey, " characters"),
                   "shorten the key with a transform");
  message->destination = std::string(record.topic);
  message->order = std::string(key);
  return absl::OkStatus();
}

size_t KinesisTarget::Size(const AwsMessage& message) const {
  return message.body().size() + KeyOf(message).size();
}

aws::Request KinesisTarget::Write(Messages messages) const {
  std::string body = R"({"StreamName":)", data;
  AppendJsonString(messages.front()->destination, &body);
  body += R"(,"Records":[)";
  for (const AwsMessage* message : messages) {
    absl::Base64Escape(message->body(), &data);
    absl::StrAppend(&body, message == messages.front() ? "" : ",", R"({"Data":")", data,
                    R"(","PartitionKey":)");
    AppendJsonString(KeyOf(*message), &body);
    body += "}";
  }
  body += "]}";
  return Of("PutRecords", std::move(body));
}

absl::StatusOr<std::vector<absl::Status>> KinesisTarget::Read(const std::string& answer,
                                                              size_t messages) const {
  const std::string where = EndpointOf(options_.service);
  const rapidjson::Document json = json::Parse(answer);
  const rapidjson::Value* const records = json::FindArray(json, "Records");
  if (records == nullptr || records->Size() != messages)
    return aws::Unreachable(where, "the answer to PutRecords is none");
  std::vector<absl::Status> results;
  for (const auto& record : records->GetArray()) {
    // One that was taken has its place. Of none it is said that the record is to blame.
    const std::string code = json::TextIn(record, "ErrorCode");
    const bool taken = code.empty() && !json::TextIn(record, "SequenceNumber").empty();
    results.push_back(
        taken ? absl::OkStatus()
              : aws::EntryError(false, code, json::TextIn(record, "ErrorMessage"), where));
  }
  return results;
}

// The right to ask is one that Debezium Server does not need.
absl::Status KinesisTarget::Ask(aws::Service& service, absl::Span<const std::string> topics,
                                std::string* found) const {
  if (topics.empty()) {
    const auto answer = service.Call(Of("ListStreams", R"({"Limit":100})"));
    if (absl::IsPermissionDenied(answer.status())) {
      *found = "which does not let this user list streams";
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(answer.status());
    const rapidjson::Document json = json::Parse(*answer);
    std::vector<std::string> names;
    if (const auto* const all = json::FindArray(json, "StreamNames"); all != nullptr) {
      for (const auto& name : all->GetArray()) names.emplace_back(json::TextOf(name));
    }
    *found = names.empty() ? "no streams: create one for each topic"
                           : absl::StrCat("streams ", absl::StrJoin(names, ", "));
    return absl::OkStatus();
  }
  for (const std::string& topic : topics.subspan(0, kMostAsked)) {
    std::string body = R"({"StreamName":)";
    AppendJsonString(topic, &body);
    const absl::Status there = service.Call(Of("DescribeStreamSummary", body + "}")).status();
    if (absl::IsPermissionDenied(there)) return absl::OkStatus();
    if (absl::IsNotFound(there)) {
      log::Warn(
          "the stream of a topic is missing: its records will stop the connector, unless "
          "walduct.errors.topic.missing says otherwise",
          {{"topic", topic},
           {"hint", absl::StrCat("aws kinesis create-stream --stream-name ", topic)}});
    } else if (!absl::IsInvalidArgument(there)) {
      RETURN_IF_ERROR(there);
    }
  }
  return absl::OkStatus();
}

}  // namespace walduct::sink
