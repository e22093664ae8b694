// Array text, as array_out writes it:
//   array = [bounds "="] body     bounds = ("[" lower ":" upper "]")+
//   body = "{" [item ("," item)*] "}"
//   item = body | quoted | NULL | bare        quoted = '"' with \" and \\ escaped '"'
#pragma once

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "encode/readers/read_value.h"
#include "encode/schema/need.h"
#include "encode/values/read_context.h"
#include "encode/values/value_plan.h"

namespace walduct::encode {

template <typename Writer>
class ArrayReader {
 public:
  ArrayReader(absl::string_view text, const ValuePlan& plan, ReadContext* context, Writer* out)
      : rest_(text),
        element_(*plan.element),
        delimiter_(plan.delimiter),
        finite_(plan.finite_items),
        no_nulls_(plan.no_nulls),
        context_(context),
        out_(out) {}

  Outcome Read() {
    if (!rest_.empty() && rest_[0] == '[') {
      const size_t equals = rest_.find('=');
      if (equals == absl::string_view::npos) return Outcome::kMalformed;
      rest_.remove_prefix(equals + 1);
    }
    const Outcome outcome = ReadBody(1);
    if (outcome != Outcome::kOk) return outcome;
    return rest_.empty() ? Outcome::kOk : Outcome::kMalformed;
  }

 private:
  static constexpr int kMaxDimensions = 6;  // PostgreSQL's MAXDIM

  Outcome ReadBody(int depth) {
    if (!Take('{') || depth > kMaxDimensions) return Outcome::kMalformed;
    if (depth > 1 && !out_->nested_arrays()) return Outcome::kNestedArray;
    out_->BeginArray();
    if (!Take('}')) {
      size_t index = 0;
      do {
        const bool body = !rest_.empty() && rest_[0] == '{';
        out_->Item(index++, NeedOf(element_.optional && !body));
        const Outcome outcome = body ? ReadBody(depth + 1) : ReadItem();
        if (outcome != Outcome::kOk) return outcome;
      } while (Take(delimiter_));
      if (!Take('}')) return Outcome::kMalformed;
    }
    out_->EndArray();
    return Outcome::kOk;
  }

  Outcome ReadItem() {
    if (Take('"')) return ReadQuoted();
    // Not find_first_of, which fills a table of 256 entries first.
    size_t size = 0;
    while (size < rest_.size() && rest_[size] != delimiter_ && rest_[size] != '}') ++size;
    const absl::string_view bare = rest_.substr(0, size);
    rest_.remove_prefix(bare.size());
    if (bare.empty()) return Outcome::kMalformed;
    if (absl::EqualsIgnoreCase(bare, "null")) return WriteNull();
    return ReadElement(bare);
  }

  Outcome ReadQuoted() {
    std::string* unescaped = &context_->scratch->element;
    unescaped->clear();
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '"') {
        rest_.remove_prefix(i + 1);
        return ReadElement(*unescaped);
      }
      if (rest_[i] == '\\' && ++i == rest_.size()) return Outcome::kMalformed;
      unescaped->push_back(rest_[i]);
    }
    return Outcome::kMalformed;
  }

  // A value that its type cannot express is null here as it is in a column.
  Outcome ReadElement(absl::string_view text) {
    if (finite_ && (text == "NaN" || absl::EndsWith(text, "Infinity"))) return Outcome::kNoRoom;
    const Outcome outcome = ReadValue(text, element_, context_, out_);
    return outcome == Outcome::kNull || outcome == Outcome::kNoRoom ? WriteNull() : outcome;
  }

  Outcome WriteNull() {
    if (!element_.optional || no_nulls_) return Outcome::kNoRoom;
    out_->Null();
    return Outcome::kOk;
  }

  bool Take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  absl::string_view rest_;
  const ValuePlan& element_;
  const char delimiter_;
  const bool finite_;
  const bool no_nulls_;
  ReadContext* const context_;
  Writer* const out_;
};

template <typename Writer>
Outcome ReadArray(absl::string_view text, const ValuePlan& plan, ReadContext* context,
                  Writer* out) {
  return ArrayReader<Writer>(text, plan, context, out).Read();
}

}  // namespace walduct::encode
