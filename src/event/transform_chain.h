// TransformChain: the transforms of a connector, seen by the encoder. Works on templates, once per
// kind of record. Where what becomes of a record depends on its values, the chain asks a question:
// the encoder evaluates it for each record, and resumes the chain once per distinct answer. So a
// record costs one look-up per question, and the plans form a tree of answers.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "event/record_template.h"

namespace walduct::event {

// The value of a question for one record: text as it is, numbers in decimal, booleans as "true" and
// "false".
struct Answer {
  bool null = false;
  std::string text;
};

struct ChainOutcome {
  enum class Kind {
    kRecord,    // publish `record`
    kDropped,   // nothing is published for such records
    kQuestion,  // evaluate `question`, then Resume
    kFailed,    // each such record ends with `error`
  };
  Kind kind = Kind::kRecord;
  RecordTemplate record;  // kQuestion: as the asking stage got it
  // kQuestion: whose turn comes when `record`, the delete before it, has gone through.
  std::optional<RecordTemplate> tombstone;
  // kQuestion: a leaf. Its function's errors are errors of the record.
  Node question;
  size_t stage = 0;             // kQuestion: the stage that asks
  std::vector<Answer> answers;  // kQuestion: what it knows so far
  std::string by;               // kDropped, kFailed: name of the transform
  // Each worth one line in the log, however many such records there are.
  std::vector<std::string> notices;
  bool event = false;   // a row that becomes an event of its own (an outbox)
  bool warned = false;  // such records are counted: a transform could not do all it is meant to
  absl::Status error;
};

// Thread-safe. Implementations do not change, except for what the first records of a run decide for
// the later ones.
class TransformChain {
 public:
  virtual ~TransformChain() = default;
  virtual ChainOutcome Start(RecordTemplate record) const = 0;
  // A tombstone of Debezium's has its headers in common with the delete it is behind: what is added
  // to those, before the delete becomes another record, the tombstone has when its own turn comes.
  // shares_headers: whether there is a transform that adds so; else Start does.
  virtual bool shares_headers() const = 0;
  virtual ChainOutcome StartTombstone(RecordTemplate tombstone, RecordTemplate of_delete) const = 0;
  // at: an outcome with a question, of this chain.
  virtual ChainOutcome Resume(const ChainOutcome& at, const Answer& answer) const = 0;
};

}  // namespace walduct::event
