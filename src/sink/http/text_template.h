// TextTemplate: text with places for what a record brings:
//
//   ${topic}  ${key}  ${id}  ${header:NAME}      or, where ${…} means something else, {topic} …
//
// Immutable once parsed. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "event/record.h"

namespace walduct::sink {

// The text of a header or a key without what a JSON converter puts around it: quotes, a schema, the
// name of the only column.
std::string HeaderText(absl::string_view json);

class TextTemplate {
 public:
  // InvalidArgument: says what is wrong with it.
  static absl::StatusOr<TextTemplate> Parse(absl::string_view text);

  // The same for every record.
  bool fixed() const;
  bool uses_topic() const;
  // Has places before the path of a URL begins.
  bool varies_host() const;
  // As it was written.
  const std::string& text() const { return text_; }

  // quoted: what a record brings is percent-encoded, as the parts of a URL are. A header that is
  // missing, and a key that is null, are empty.
  std::string Of(const event::Record& record, absl::string_view id, bool quoted) const;

 private:
  struct Part {
    enum class Kind { kText, kTopic, kKey, kId, kHeader };
    Kind kind = Kind::kText;
    std::string text;  // or the header's name
  };
  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace walduct::sink
