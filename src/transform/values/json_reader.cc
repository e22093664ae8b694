#include "transform/values/json_reader.h"

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "base/utf8.h"

namespace walduct::transform {
namespace {

// The end of the string that starts at text[0] == '"'; npos when it does not end.
size_t StringEnd(absl::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return absl::string_view::npos;
}

// The end of the value that starts at text[0]: where a comma or a closing bracket of its parent
// stands.
size_t ValueEnd(absl::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const size_t end = StringEnd(text.substr(i));
      if (end == absl::string_view::npos) return text.size();
      i += end - 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth < 0) {
      return i;
    } else if (c == ',' && depth == 0) {
      return i;
    }
  }
  return text.size();
}

// \uXXXX at text[0]; with its pair where it is one. Consumes it.
bool ReadUnicode(absl::string_view* text, std::string* out) {
  uint32_t code = 0;
  if (text->size() < 6 || !absl::SimpleHexAtoi(text->substr(2, 4), &code)) return false;
  text->remove_prefix(6);
  uint32_t low = 0;
  const bool first = code >= 0xD800 && code < 0xDC00;
  if (first && text->size() >= 6 && absl::StartsWith(*text, "\\u") &&
      absl::SimpleHexAtoi(text->substr(2, 4), &low) && low >= 0xDC00 && low < 0xE000) {
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    text->remove_prefix(6);
  }
  AppendUtf8(code, out);
  return true;
}

}  // namespace

absl::string_view JsonMember(absl::string_view object, absl::string_view member) {
  if (object.size() < 2 || object[0] != '{') return {};
  object.remove_prefix(1);
  while (!object.empty() && object[0] == '"') {
    const size_t name_end = StringEnd(object);
    if (name_end == absl::string_view::npos) return {};
    std::string name;
    JsonText(object.substr(0, name_end), &name);
    object.remove_prefix(name_end + 1);
    const size_t end = ValueEnd(object);
    if (name == member) return object.substr(0, end);
    object.remove_prefix(end);
    if (!object.empty()) object.remove_prefix(1);
  }
  return {};
}

std::vector<absl::string_view> JsonItems(absl::string_view array) {
  std::vector<absl::string_view> items;
  if (array.size() < 2 || array[0] != '[' || array == "[]") return items;
  array.remove_prefix(1);
  while (!array.empty()) {
    const size_t end = ValueEnd(array);
    items.push_back(array.substr(0, end));
    array.remove_prefix(end);
    if (!array.empty()) array.remove_prefix(1);
  }
  return items;
}

std::vector<std::pair<absl::string_view, absl::string_view>> JsonMembers(absl::string_view object) {
  std::vector<std::pair<absl::string_view, absl::string_view>> members;
  if (object.size() < 2 || object[0] != '{') return members;
  object.remove_prefix(1);
  while (!object.empty() && object[0] == '"') {
    const size_t name_end = StringEnd(object);
    if (name_end == absl::string_view::npos) break;
    const absl::string_view name = object.substr(0, name_end);
    object.remove_prefix(name_end + 1);
    const size_t end = ValueEnd(object);
    members.emplace_back(name, object.substr(0, end));
    object.remove_prefix(end);
    if (!object.empty()) object.remove_prefix(1);
  }
  return members;
}

bool JsonText(absl::string_view json, std::string* out) {
  if (json.size() < 2 || json.front() != '"' || json.back() != '"') return false;
  json = json.substr(1, json.size() - 2);
  while (!json.empty()) {
    if (json[0] != '\\') {
      out->push_back(json[0]);
      json.remove_prefix(1);
      continue;
    }
    if (json.size() < 2) return false;
    constexpr absl::string_view kNames = "bfnrt", kSigns = "\b\f\n\r\t";
    const size_t short_form = kNames.find(json[1]);
    if (json[1] == 'u') {
      if (!ReadUnicode(&json, out)) return false;
      continue;
    }
    out->push_back(short_form == absl::string_view::npos ? json[1] : kSigns[short_form]);
    json.remove_prefix(2);
  }
  return true;
}

}  // namespace walduct::transform
