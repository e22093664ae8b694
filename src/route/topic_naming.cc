#include "route/topic_naming.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/utf8.h"
#include "java/regex/regex.h"
#include "route/options.h"

namespace walduct::route {
namespace {

constexpr size_t kMaxTopicLength = 249;

bool IsLegal(char16_t c, bool unicode) {
  if (c >= 0x80) return false;
  const char ascii = static_cast<char>(c);
  if (ascii == '_') return !unicode;
  return absl::ascii_isalnum(static_cast<unsigned char>(ascii)) || ascii == '.' || ascii == '-';
}

// Two hexadecimal digits are filled up to four, three are not: Debezium's form.
std::string Replacement(char16_t c, bool unicode) {
  if (!unicode) return "_";
  const std::string hex = absl::StrCat(absl::Hex(static_cast<uint16_t>(c)));
  return absl::StrCat("_u", hex.size() <= 2 ? "00" : "", hex);
}

// name as it is unless the whole of it matches.
std::string Rewrite(const std::optional<TopicRewrite>& rewrite, const std::string& name) {
  if (!rewrite || !rewrite->regex->FullMatch(name)) return name;
  return rewrite->regex->ReplaceFirst(name, rewrite->replacement);
}

}  // namespace

std::string TopicNaming::OriginalName(absl::string_view schema, absl::string_view table) const {
  std::string name;
  if (!options_.naming.with_schema) schema = "";
  for (const absl::string_view part : {absl::string_view(options_.topic_prefix), schema, table}) {
    if (absl::StripAsciiWhitespace(part).empty()) continue;
    if (!name.empty()) absl::StrAppend(&name, options_.topic_delimiter);
    absl::StrAppend(&name, part);
  }
  return name;
}

bool TopicNaming::joins_tables() const { return options_.naming.rewrite.has_value(); }

std::string TopicNaming::TableTopic(absl::string_view schema, absl::string_view table) const {
  const std::string topic = SanitizeTopic(OriginalName(schema, table), options_.naming.unicode);
  const std::string rewritten = Rewrite(options_.naming.rewrite, topic);
  return rewritten.empty() ? topic : rewritten;
}

std::string TopicNaming::KeyFieldValue(absl::string_view schema, absl::string_view table) const {
  return Rewrite(options_.naming.key_field_rewrite, OriginalName(schema, table));
}

std::string MessageTopic(absl::string_view prefix) { return absl::StrCat(prefix, ".message"); }

std::string TransactionTopic(const RouteOptions& options) {
  return absl::StrCat(options.topic_prefix, options.topic_delimiter, options.transaction_suffix);
}

std::string HeartbeatTopic(const RouteOptions& options) {
  if (!options.heartbeat_topic.empty()) return options.heartbeat_topic;
  return absl::StrCat(options.heartbeat_prefix, options.topic_delimiter, options.topic_prefix);
}

std::string SanitizeTopic(absl::string_view name, bool unicode) {
  std::string topic;
  ForEachUtf16Unit(name, [&](char16_t c) {
    if (IsLegal(c, unicode)) {
      topic.push_back(static_cast<char>(c));
    } else {
      topic += Replacement(c, unicode);
    }
  });
  if (topic == "." || topic == "..") {
    const size_t dots = topic.size();
    topic.clear();
    for (size_t i = 0; i < dots; ++i) topic += Replacement(u'.', unicode);
  }
  if (topic.size() > kMaxTopicLength) topic.resize(kMaxTopicLength);
  return topic;
}

}  // namespace walduct::route
