#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "encode/values/appenders.h"

// Array text, as array_out writes it:
//   array = [bounds "="] body
//   bounds = ("[" lower ":" upper "]")+
//   body = "{" [item ("," item)*] "}"
//   item = body | quoted | NULL | bare
//   quoted = '"' with \" and \\ escaped '"'
namespace walduct::encode {
namespace {

constexpr int kMaxDimensions = 6;  // PostgreSQL's MAXDIM

class ArrayReader {
 public:
  ArrayReader(absl::string_view text, const ValuePlan& plan, ValueContext* context)
      : rest_(text),
        element_(*plan.element),
        delimiter_(plan.delimiter),
        finite_(plan.finite_items),
        context_(context) {}

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
  Outcome ReadBody(int depth) {
    if (!Take('{') || depth > kMaxDimensions) return Outcome::kMalformed;
    if (depth > 1 && !context_->nested_arrays) return Outcome::kNestedArray;
    context_->out->push_back('[');
    if (!Take('}')) {
      const char* separator = "";
      do {
        context_->out->append(separator);
        const Outcome outcome = ReadItem(depth);
        if (outcome != Outcome::kOk) return outcome;
        separator = context_->format == TextFormat::kStruct ? ", " : ",";
      } while (Take(delimiter_));
      if (!Take('}')) return Outcome::kMalformed;
    }
    context_->out->push_back(']');
    return Outcome::kOk;
  }

  Outcome ReadItem(int depth) {
    if (!rest_.empty() && rest_[0] == '{') return ReadBody(depth + 1);
    if (Take('"')) return ReadQuoted();
    // Not find_first_of, which fills a table of 256 entries first.
    size_t size = 0;
    while (size < rest_.size() && rest_[size] != delimiter_ && rest_[size] != '}') ++size;
    const absl::string_view bare = rest_.substr(0, size);
    rest_.remove_prefix(bare.size());
    if (bare.empty()) return Outcome::kMalformed;
    if (absl::EqualsIgnoreCase(bare, "null")) return AppendNull();
    return AppendElement(bare);
  }

  Outcome ReadQuoted() {
    std::string* unescaped = &context_->scratch->element;
    unescaped->clear();
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '"') {
        rest_.remove_prefix(i + 1);
        return AppendElement(*unescaped);
      }
      if (rest_[i] == '\\' && ++i == rest_.size()) return Outcome::kMalformed;
      unescaped->push_back(rest_[i]);
    }
    return Outcome::kMalformed;
  }

  // A value that its type cannot express is null here as it is in a column.
  Outcome AppendElement(absl::string_view text) {
    if (finite_ && (text == "NaN" || absl::EndsWith(text, "Infinity"))) return Outcome::kNoRoom;
    const Outcome outcome = element_.append(text, element_, context_);
    return outcome == Outcome::kNull || outcome == Outcome::kNoRoom ? AppendNull() : outcome;
  }

  Outcome AppendNull() {
    if (!element_.optional) return Outcome::kNoRoom;
    context_->out->append("null");
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
  ValueContext* context_;
};

}  // namespace

Outcome AppendArray(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  return ArrayReader(text, plan, context).Read();
}

}  // namespace walduct::encode
