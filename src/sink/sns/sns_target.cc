#include "sink/sns/sns_target.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "aws/error.h"
#include "aws/xml_text.h"
#include "base/error.h"
#include "base/log.h"
#include "base/percent.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "sink/aws/plain_text.h"

namespace walduct::sink {
namespace {

constexpr size_t kBytes = 256u << 10;
constexpr size_t kMostAsked = 20;
constexpr absl::string_view kVersion = "&Version=2010-03-31";

// Of several of a name the last one counts.
bool HasAnother(absl::string_view name, std::vector<event::Header>::const_iterator from,
                std::vector<event::Header>::const_iterator to) {
  return std::any_of(from, to, [&](const event::Header& other) { return other.name == name; });
}

std::optional<bool> BlameIn(absl::string_view failed) {
  bool fault = false;
  if (!absl::SimpleAtob(aws::ElementIn(failed, "SenderFault"), &fault)) return std::nullopt;
  return fault;
}

absl::Status Refused(const std::string& what, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "record_refused", what, hint);
}

}  // namespace

AwsTarget::Limits SnsTarget::limits() const {
  return {.records = 10, .bytes = kBytes, .record_bytes = kBytes};
}

std::string SnsTarget::ArnOf(absl::string_view topic) const {
  if (absl::StartsWith(topic, "arn:")) return std::string(topic);
  if (!options_.prefix.empty()) return absl::StrCat(options_.prefix, topic);
  return options_.topic.empty() ? std::string(topic) : options_.topic;
}

// "": null or empty, which SNS has no room for.
std::string SnsTarget::HeaderOf(const event::Header& header) const {
  if (header.is_null) return "";
  return options_.json_headers ? TextWithoutJson(header.value) : std::string(header.value);
}

// "": it has none of that name.
std::string SnsTarget::HeaderNamed(const event::Record& record, const std::string& name) const {
  for (const event::Header& header : record.headers) {
    if (!name.empty() && header.name == name) return HeaderOf(header);
  }
  return "";
}

absl::Status SnsTarget::Address(const event::Record& record, AwsMessage* message) const {
  const absl::string_view value = record.value.value_or("");
  if (!IsValidUtf8(value))
    return Refused("a message of SNS is text, and this one is not", "use a format of text");
  for (const event::Header& header : record.headers) {
    if (!options_.skips_null_headers && !message->letter && HeaderOf(header).empty())
      return Refused(absl::StrCat("header '", header.name,
                                  "' is null or empty, and an attribute of SNS may be neither"),
                     "walduct.sink.sns.null.headers=skip leaves such headers out");
  }
  message->destination = message->letter && !options_.letter_topic.empty() ? options_.letter_topic
                                                                           : ArnOf(record.topic);
  message->text = options_.json_value ? StringIn(value) : std::nullopt;
  if (message->letter && value.empty()) message->text = kNoValue;
  if (!IsFifo(message->destination)) return absl::OkStatus();
  const std::string group = HeaderNamed(record, options_.group_header);
  const absl::string_view key = record.key.value_or("");
  message->order = GroupOf(!group.empty() ? group : !key.empty() ? key : options_.group);
  message->id = HeaderNamed(record, options_.id_header);
  message->id = message->id.empty() ? ids_.Of(record) : GroupOf(message->id);
  return absl::OkStatus();
}

size_t SnsTarget::Size(const AwsMessage& message) const {
  // Never less than what is sent.
  return message.kept_bytes() + (message.text ? message.text->size() : 0);
}

aws::Request SnsTarget::Write(Messages messages) const {
  std::string body = absl::StrCat("Action=PublishBatch", kVersion,
                                  "&TopicArn=", EncodePercent(messages.front()->destination));
  std::vector<event::Header> headers;
  for (size_t i = 0; i < messages.size(); ++i) {
    const AwsMessage& message = *messages[i];
    const std::string at = absl::StrCat("&PublishBatchRequestEntries.member.", i + 1, ".");
    absl::StrAppend(&body, at, "Id=", i, at, "Message=", EncodePercent(message.sent()));
    if (!message.id.empty())
      absl::StrAppend(&body, at, "MessageGroupId=", EncodePercent(message.order), at,
                      "MessageDeduplicationId=", EncodePercent(message.id));
    size_t number = 0;
    static_cast<void>(message.AsRecord(&headers));
    for (auto header = headers.begin(); header != headers.end(); ++header) {
      const std::string text = HeaderOf(*header);
      if (text.empty() || HasAnother(header->name, header + 1, headers.end())) continue;
      const std::string entry = absl::StrCat(at, "MessageAttributes.entry.", ++number, ".");
      absl::StrAppend(&body, entry, "Name=", EncodePercent(header->name), entry,
                      "Value.DataType=String", entry, "Value.StringValue=", EncodePercent(text));
    }
  }
  return {.target = "", .body = std::move(body)};
}

absl::StatusOr<std::vector<absl::Status>> SnsTarget::Read(const std::string& answer,
                                                          size_t messages) const {
  const std::string where = EndpointOf(options_.service);
  std::vector<absl::Status> results(messages,
                                    aws::Unreachable(where, "the answer names no such message"));
  const auto each = [&](absl::string_view list, auto status) {
    for (const absl::string_view member : aws::ElementsIn(aws::ElementIn(answer, list), "member")) {
      size_t at = 0;
      if (absl::SimpleAtoi(aws::ElementIn(member, "Id"), &at) && at < messages)
        results[at] = status(member);
    }
  };
  each("Successful", [](absl::string_view) { return absl::OkStatus(); });
  each("Failed", [&](absl::string_view member) {
    return aws::EntryError(BlameIn(member), aws::TextIn(member, "Code"),
                           aws::TextIn(member, "Message"), where);
  });
  return results;
}

// The right to ask is one that Debezium Server does not need.
absl::Status SnsTarget::Ask(aws::Service& service, absl::Span<const std::string> topics,
                            std::string* found) const {
  const bool fixed = options_.prefix.empty() && !options_.topic.empty();
  std::vector<std::string> arns;
  if (fixed) arns.push_back(options_.topic);
  if (!options_.letter_topic.empty()) arns.push_back(options_.letter_topic);
  for (const std::string& topic : topics.subspan(0, fixed ? 0 : kMostAsked))
    arns.push_back(ArnOf(topic));
  *found = fixed ? absl::StrCat("topic ", options_.topic)
                 : absl::StrCat("topics ", options_.prefix, "…");
  if (arns.empty()) {
    const absl::Status listed =
        service.Call({.target = "", .body = absl::StrCat("Action=ListTopics", kVersion)}).status();
    return absl::IsPermissionDenied(listed) ? absl::OkStatus() : listed;
  }
  for (const std::string& arn : arns) {
    const absl::Status there =
        service
            .Call({.target = "",
                   .body = absl::StrCat("Action=GetTopicAttributes", kVersion,
                                        "&TopicArn=", EncodePercent(arn))})
            .status();
    if (absl::IsPermissionDenied(there)) continue;
    if (!absl::IsNotFound(there) && !absl::IsInvalidArgument(there)) {
      RETURN_IF_ERROR(there);
      continue;
    }
    if (arn == options_.topic || arn == options_.letter_topic)
      return Error(absl::StatusCode::kFailedPrecondition, "aws_missing",
                   absl::StrCat("topic ", arn, ": ", there.message()),
                   "create it (aws sns create-topic), or correct its ARN");
    log::Warn(
        "a topic of SNS is missing: its records will stop the connector, unless "
        "walduct.errors.topic.missing says otherwise",
        {{"topic", arn}, {"error", there.message()}, {"hint", "aws sns create-topic --name NAME"}});
  }
  return absl::OkStatus();
}

}  // namespace walduct::sink
