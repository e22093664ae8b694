#include "sink/sqs/sqs_target.h"

#include <rapidjson/document.h>

#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "aws/error.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace walduct::sink {
namespace {

// What every queue takes; one with a larger limit, a larger message alone.
constexpr size_t kBytes = 256u << 10;

aws::Request Of(absl::string_view action, std::string body) {
  return {.target = absl::StrCat("AmazonSQS.", action), .body = std::move(body), .json = "1.0"};
}

constexpr const char* kTaken = "Successful";
constexpr const char* kFailed = "Failed";

std::optional<bool> BlameIn(const rapidjson::Value& failed) {
  const rapidjson::Value* const fault = json::Find(failed, "SenderFault");
  if (fault == nullptr || !fault->IsBool()) return std::nullopt;
  return fault->GetBool();
}

void AppendMember(absl::string_view name, absl::string_view text, std::string* body) {
  absl::StrAppend(body, ",\"", name, "\":");
  AppendJsonString(text, body);
}

}  // namespace

AwsTarget::Limits SqsTarget::limits() const {
  return {.records = 10, .bytes = kBytes, .record_bytes = kBytes};
}

absl::Status SqsTarget::Address(const event::Record& record, AwsMessage* message) const {
  if (!IsValidUtf8(record.value.value_or("")))
    return Error(absl::StatusCode::kInvalidArgument, "record_refused",
                 "a message of SQS is text, and this one is not", "use a format of text, as JSON");
  message->destination = message->letter ? options_.letter_queue : options_.queue;
  if (message->letter && record.value.value_or("").empty()) message->text = kNoValue;
  if (!IsFifo(message->destination)) return absl::OkStatus();
  const absl::string_view key = record.key.value_or("");
  message->order = options_.group_by_key && !key.empty() ? GroupOf(key) : options_.group;
  message->id = ids_.Of(record);
  return absl::OkStatus();
}

aws::Request SqsTarget::Write(Messages messages) const {
  std::string body = R"({"QueueUrl":)";
  AppendJsonString(messages.front()->destination, &body);
  body += R"(,"Entries":[)";
  for (size_t i = 0; i < messages.size(); ++i) {
    const AwsMessage& message = *messages[i];
    absl::StrAppend(&body, i == 0 ? "" : ",", R"({"Id":")", i, "\"");
    AppendMember("MessageBody", message.sent(), &body);
    if (!message.id.empty()) {
      AppendMember("MessageGroupId", message.order, &body);
      AppendMember("MessageDeduplicationId", message.id, &body);
    }
    body += "}";
  }
  body += "]}";
  return Of("SendMessageBatch", std::move(body));
}

absl::StatusOr<std::vector<absl::Status>> SqsTarget::Read(const std::string& answer,
                                                          size_t messages) const {
  const std::string where = EndpointOf(options_.service);
  std::vector<absl::Status> results(messages,
                                    aws::Unreachable(where, "the answer names no such message"));
  const rapidjson::Document json = json::Parse(answer);
  for (const char* const list : {kTaken, kFailed}) {
    const rapidjson::Value* const all = json::FindArray(json, list);
    if (all == nullptr) continue;
    for (const auto& one : all->GetArray()) {
      size_t at = 0;
      if (!absl::SimpleAtoi(json::TextIn(one, "Id"), &at) || at >= messages) continue;
      results[at] = list == kTaken ? absl::OkStatus()
                                   : aws::EntryError(BlameIn(one), json::TextIn(one, "Code"),
                                                     json::TextIn(one, "Message"), where);
    }
  }
  return results;
}

// The right to ask is one that Debezium Server does not need.
absl::Status SqsTarget::Ask(aws::Service& service, absl::Span<const std::string>,
                            std::string* found) const {
  for (const std::string& queue : {options_.queue, options_.letter_queue}) {
    if (queue.empty()) continue;
    std::string body = R"({"QueueUrl":)";
    AppendJsonString(queue, &body);
    body += R"(,"AttributeNames":["All"]})";
    const auto answer = service.Call(Of("GetQueueAttributes", std::move(body)));
    absl::StrAppend(found, found->empty() ? "" : ", ", "queue ", queue);
    if (absl::IsPermissionDenied(answer.status())) {
      absl::StrAppend(found, ", which does not let this user ask for its attributes");
      continue;
    }
    if (absl::IsNotFound(answer.status()))
      return Error(absl::StatusCode::kFailedPrecondition, "aws_missing",
                   absl::StrCat("queue ", queue, ": ", answer.status().message()),
                   "create it (aws sqs create-queue), or correct sink.sqs.queue.url");
    RETURN_IF_ERROR(answer.status());
    const rapidjson::Document json = json::Parse(*answer);
    if (const auto* const attributes = json::FindObject(json, "Attributes"); attributes != nullptr)
      absl::StrAppend(found, ", messages of up to ",
                      json::TextIn(*attributes, "MaximumMessageSize"), " bytes");
  }
  return absl::OkStatus();
}

}  // namespace walduct::sink
