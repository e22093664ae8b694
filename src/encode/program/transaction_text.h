// TransactionText: text that the changes of a transaction share: constant bytes with values of the
// transaction between them, printed once per transaction. What it is made of lies together: where
// rows come of one table after the other, it is read anew for each.
//
// Thread-safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/out_buffer.h"
#include "encode/records/record_inputs.h"

namespace walduct::encode {

class TransactionText {
 public:
  struct Value {
    InputField input = InputField::kSourceMillis;
    bool sequence = false;         // the first part of kSequence instead
    bool left_out = false;         // with its label, when NULL; else null_text takes its place
    absl::string_view label = {};  // between text and value; goes with a value that is left out
    absl::string_view null_text = {};
  };

  // Behind what was added before: constant text, then a value. Copies both.
  void Add(absl::string_view text, const Value& value);
  // Behind the last value. Nothing is added any more.
  void End(absl::string_view text);

  // Whether what is printed was printed with other values. To be asked whenever
  // RecordInputs::transaction() has changed.
  bool IsOutdated(const RecordInputs& inputs) const {
    return !is_of_origin_ || origin_ != inputs.fields().origin();
  }
  // context: its `out` is buffer(), which is empty.
  void Print(const RecordInputs& inputs, ValueContext* context);
  OutBuffer* buffer() { return &printed_; }
  absl::string_view printed() const { return printed_; }

 private:
  // Sizes in constants_, where its three texts follow each other.
  struct Piece {
    uint32_t text = 0, label = 0, null_text = 0;
    InputField input = InputField::kSourceMillis;
    bool sequence = false, left_out = false;
  };

  static void PrintValue(const Piece& piece, const char* label, const RecordInputs& inputs,
                         ValueContext* context);

  std::vector<Piece> pieces_;
  std::string constants_;     // of all pieces, and the end
  bool is_of_origin_ = true;  // so are all its values
  uint64_t origin_ = 0;       // RecordInputs::origin() it was printed with
  OutBuffer printed_;
};

}  // namespace walduct::encode
