#include "sink/http/text_template.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/json.h"

namespace walduct::sink {
namespace {

void AppendQuoted(absl::string_view text, std::string* out) {
  for (const char c : text) {
    const bool plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                       absl::StrContains("-._~", absl::string_view(&c, 1));
    if (plain) {
      out->push_back(c);
    } else {
      absl::StrAppend(out, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
}

}  // namespace

std::string HeaderText(absl::string_view json) {
  if (json.empty() || (json[0] != '"' && json[0] != '{')) return std::string(json);
  const rapidjson::Document document = json::Parse(json);
  if (document.HasParseError()) return std::string(json);
  const rapidjson::Value* value = &document;
  if (json[0] == '{' && json::Find(document, "schema") != nullptr) {
    const rapidjson::Value* const payload = json::Find(document, "payload");
    if (payload != nullptr) value = payload;
  }
  if (value->IsObject() && value->MemberCount() == 1) value = &value->MemberBegin()->value;
  if (value->IsString()) return std::string(json::TextOf(*value));
  if (value->IsNull()) return "";
  return json::Print(*value);
}

absl::StatusOr<TextTemplate> TextTemplate::Parse(absl::string_view text) {
  TextTemplate parsed;
  parsed.text_ = std::string(text);
  std::string plain;
  const auto flush = [&] {
    if (!plain.empty()) parsed.parts_.push_back({Part::Kind::kText, plain});
    plain.clear();
  };
  while (!text.empty()) {
    absl::string_view rest = text;
    if (!absl::ConsumePrefix(&rest, "${") && !absl::ConsumePrefix(&rest, "{")) {
      plain.push_back(text[0]);
      text.remove_prefix(1);
      continue;
    }
    const size_t end = rest.find('}');
    if (end == absl::string_view::npos) return absl::InvalidArgumentError("has a { without its }");
    const absl::string_view word = rest.substr(0, end);
    text = rest.substr(end + 1);
    absl::string_view header = word;
    flush();
    if (word == "topic") {
      parsed.parts_.push_back({Part::Kind::kTopic, ""});
    } else if (word == "key") {
      parsed.parts_.push_back({Part::Kind::kKey, ""});
    } else if (word == "id") {
      parsed.parts_.push_back({Part::Kind::kId, ""});
    } else if (absl::ConsumePrefix(&header, "header:") && !header.empty()) {
      parsed.parts_.push_back({Part::Kind::kHeader, std::string(header)});
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("has {", word,
                       "}, which nothing brings; there are {topic}, {key}, {id} and "
                       "{header:NAME}"));
    }
  }
  flush();
  return parsed;
}

bool TextTemplate::fixed() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.kind == Part::Kind::kText; });
}

bool TextTemplate::uses_topic() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.kind == Part::Kind::kTopic; });
}

bool TextTemplate::varies_host() const {
  const std::string& first = parts_.empty() ? text_ : parts_[0].text;
  const size_t begin = first.find("://");
  return !fixed() &&
         (begin == std::string::npos || first.find('/', begin + 3) == std::string::npos);
}

std::string TextTemplate::Of(const event::Record& record, absl::string_view id, bool quoted) const {
  std::string out;
  const auto append = [&](absl::string_view text) {
    if (quoted) {
      AppendQuoted(text, &out);
    } else {
      absl::StrAppend(&out, text);
    }
  };
  for (const Part& part : parts_) {
    switch (part.kind) {
      case Part::Kind::kText:
        out += part.text;
        break;
      case Part::Kind::kTopic:
        append(record.topic);
        break;
      case Part::Kind::kKey:
        if (record.key) append(HeaderText(*record.key));
        break;
      case Part::Kind::kId:
        append(id);
        break;
      case Part::Kind::kHeader: {
        const auto* const found =
            std::find_if(record.headers.begin(), record.headers.end(),
                         [&](const event::Header& header) { return header.name == part.text; });
        if (found != record.headers.end() && !found->is_null) append(HeaderText(found->value));
        break;
      }
    }
  }
  return out;
}

}  // namespace walduct::sink
