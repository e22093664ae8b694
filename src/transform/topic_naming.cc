#include "transform/topic_naming.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace walduct::transform {
namespace {

constexpr size_t kMaxTopicLength = 249;

bool IsLegal(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
}

// UTF-16 units of the character that starts with this byte of UTF-8; 0 for a continuation byte.
size_t Utf16Units(unsigned char byte) {
  if ((byte & 0xC0) == 0x80) return 0;
  return byte >= 0xF0 ? 2 : 1;
}

}  // namespace

std::string TableTopic(const TopicParts& parts) {
  std::string name;
  for (absl::string_view part : {parts.prefix, parts.schema, parts.table}) {
    if (absl::StripAsciiWhitespace(part).empty()) continue;
    if (!name.empty()) absl::StrAppend(&name, parts.delimiter);
    absl::StrAppend(&name, part);
  }
  return SanitizeTopic(name);
}

std::string MessageTopic(absl::string_view prefix) { return absl::StrCat(prefix, ".message"); }

std::string SanitizeTopic(absl::string_view name) {
  if (name == ".") return "_";
  if (name == "..") return "__";
  std::string topic;
  for (char c : name) {
    if (IsLegal(c)) {
      topic.push_back(c);
    } else {
      topic.append(Utf16Units(static_cast<unsigned char>(c)), '_');
    }
  }
  if (topic.size() > kMaxTopicLength) topic.resize(kMaxTopicLength);
  return topic;
}

}  // namespace walduct::transform
