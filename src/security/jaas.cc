#include "security/jaas.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::security {
namespace {

absl::Status Malformed(absl::string_view what) {
  return Error(absl::StatusCode::kInvalidArgument, "kafka_jaas_malformed",
               absl::StrCat("sasl.jaas.config: ", what),
               "write it as: org.apache.kafka.common.security.plain.PlainLoginModule required "
               "username=\"…\" password=\"…\";");
}

class Lexer {
 public:
  explicit Lexer(absl::string_view text) : text_(text) {}

  bool AtEnd() {
    text_ = absl::StripLeadingAsciiWhitespace(text_);
    return text_.empty();
  }
  bool Consume(char c) {
    if (AtEnd() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  // A bare word, or a quoted text without its quotes. Empty only when it was written as such.
  absl::StatusOr<std::string> Word() {
    if (AtEnd()) return Malformed("ends too early");
    if (text_.front() == '"' || text_.front() == '\'') return Quoted();
    const size_t end = text_.find_first_of(" \t\r\n=;");
    const std::string word(text_.substr(0, end));
    if (word.empty()) return Malformed("a name or value is missing");
    text_.remove_prefix(word.size());
    return word;
  }

 private:
  absl::StatusOr<std::string> Quoted() {
    const char quote = text_.front();
    std::string value;
    for (size_t i = 1; i < text_.size(); ++i) {
      char c = text_[i];
      if (c == quote) {
        text_.remove_prefix(i + 1);
        return value;
      }
      if (c == '\\' && i + 1 < text_.size()) c = text_[++i];
      value.push_back(c);
    }
    return Malformed("a quote is not closed");
  }

  absl::string_view text_;
};

}  // namespace

absl::StatusOr<JaasEntry> ParseJaas(absl::string_view text) {
  Lexer lexer(text);
  JaasEntry entry;
  ASSIGN_OR_RETURN(const std::string class_name, lexer.Word());
  entry.module = class_name.substr(class_name.rfind('.') + 1);
  ASSIGN_OR_RETURN(const std::string flag, lexer.Word());
  if (flag.empty()) return Malformed("the control flag (required) is missing");
  while (!lexer.AtEnd() && !lexer.Consume(';')) {
    ASSIGN_OR_RETURN(std::string name, lexer.Word());
    if (!lexer.Consume('=')) return Malformed("an option has no value");
    ASSIGN_OR_RETURN(std::string value, lexer.Word());
    entry.options[std::move(name)] = std::move(value);
  }
  return entry;
}

}  // namespace walduct::security
