#include "nats/jetstream_answers.h"

#include <rapidjson/document.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "nats/error.h"

namespace walduct::nats {
namespace {

using rapidjson::Value;

int64_t Number(const Value& object, const char* name) {
  const Value* const number = json::Find(object, name);
  return number != nullptr && number->IsInt64() ? number->GetInt64() : 0;
}

bool IsTrue(const Value& object, const char* name) {
  const Value* const truth = json::Find(object, name);
  return truth != nullptr && truth->IsTrue();
}

std::vector<std::string> Texts(const Value& object, const char* name) {
  std::vector<std::string> texts;
  const Value* const array = json::FindArray(object, name);
  if (array == nullptr) return texts;
  for (const Value& one : array->GetArray()) texts.emplace_back(json::TextOf(one));
  return texts;
}

absl::Status NoAnswer(absl::string_view address) {
  return Error(absl::StatusCode::kUnavailable, "nats_unavailable",
               absl::StrCat("NATS at ", address, ": an answer that is none of JetStream's"),
               "see whether something else answers on JetStream's subjects ($JS.API.>)");
}

absl::Status ErrorIn(const rapidjson::Document& document, absl::string_view address) {
  if (document.HasParseError() || !document.IsObject()) return NoAnswer(address);
  const Value* const error = json::FindObject(document, "error");
  if (error == nullptr) return absl::OkStatus();
  return AnswerError(static_cast<int>(Number(*error, "err_code")),
                     json::TextIn(*error, "description"), json::TextIn(document, "stream"),
                     address);
}

}  // namespace

std::string DiscardHint(const StreamInfo& info) {
  return absl::StrCat("nats stream edit ", info.name, " --discard=new",
                      info.max_per_subject > 0 ? " --discard-per-subject" : "");
}

absl::StatusOr<StreamInfo> ParseStreamInfo(absl::string_view answer, absl::string_view address) {
  const rapidjson::Document document = json::Parse(answer);
  RETURN_IF_ERROR(ErrorIn(document, address));
  const Value* const config = json::FindObject(document, "config");
  if (config == nullptr) return NoAnswer(address);
  StreamInfo info;
  info.name = json::TextIn(*config, "name");
  info.subjects = Texts(*config, "subjects");
  info.file = json::TextIn(*config, "storage") == "file";
  info.acknowledges = !IsTrue(*config, "no_ack");
  info.discards_new = json::TextIn(*config, "discard") == "new";
  info.discards_new_per_subject = IsTrue(*config, "discard_new_per_subject");
  info.max_bytes = Number(*config, "max_bytes");
  info.max_messages = Number(*config, "max_msgs");
  info.max_per_subject = Number(*config, "max_msgs_per_subject");
  info.max_message_bytes = Number(*config, "max_msg_size");
  info.duplicate_window_ns = Number(*config, "duplicate_window");
  info.max_age_ns = Number(*config, "max_age");
  return info;
}

absl::StatusOr<std::vector<std::string>> ParseNames(absl::string_view answer,
                                                    absl::string_view address) {
  const rapidjson::Document document = json::Parse(answer);
  RETURN_IF_ERROR(ErrorIn(document, address));
  return Texts(document, "streams");
}

absl::StatusOr<std::string> ParseAcknowledgement(absl::string_view answer,
                                                 absl::string_view address) {
  if (const absl::string_view stream = StreamOf(answer); !stream.empty())
    return std::string(stream);
  const rapidjson::Document document = json::Parse(answer);
  RETURN_IF_ERROR(ErrorIn(document, address));
  const std::string stream = json::TextIn(document, "stream");
  // 0: nothing was stored.
  if (stream.empty() || Number(document, "seq") <= 0) return NoAnswer(address);
  return stream;
}

// {"stream":"CDC", "seq":17}
absl::string_view StreamOf(absl::string_view answer) {
  if (!absl::ConsumePrefix(&answer, R"({"stream":")")) return "";
  const size_t end = answer.find_first_of("\"\\");
  if (end == absl::string_view::npos || answer[end] != '"') return "";
  const absl::string_view stream = answer.substr(0, end);
  answer.remove_prefix(end + 1);
  absl::ConsumePrefix(&answer, ",");
  absl::ConsumePrefix(&answer, " ");
  if (!absl::ConsumePrefix(&answer, R"("seq":)") || answer.empty() || answer[0] < '1' ||
      answer[0] > '9')
    return "";
  answer.remove_prefix(answer.find_first_not_of("0123456789"));
  return answer == "}" ? stream : "";
}

}  // namespace walduct::nats
