// Stage: one transform of a chain, working on templates. A stage decides by what a template shows:
// its topic, its structure, its headers, its constants. Where only a value can decide, it asks, and
// is called again with the answer.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "event/record_template.h"
#include "event/transform_chain.h"

namespace walduct::transform {

enum class Verdict {
  kKeep,
  kDrop,
  kAsk,  // Questions::Ask gave no answer
};

// The questions of one stage about one template, in the order they are asked. Answers come in the
// same order, so a stage must ask the same questions each time it is called with the same template
// and answers.
class Questions {
 public:
  explicit Questions(absl::Span<const event::Answer> known) : known_(known) {}

  // question: a leaf. Null: not answered yet; the stage returns kAsk and is called again.
  const event::Answer* Ask(const event::Node& question) {
    if (asked_ < known_.size()) return &known_[asked_++];
    pending_ = question;
    return nullptr;
  }
  const event::Node& pending() const { return pending_; }

  // For kDrop: worth a line in the log.
  void GiveReason(std::string reason) { reason_ = std::move(reason); }
  const std::string& reason() const { return reason_; }

  // Said once in the log, however many records it is true of.
  void Tell(std::string notice) { notices_.push_back(std::move(notice)); }
  // The same, and each record is counted: it is published otherwise than the transform is meant to.
  void Warn(std::string notice) {
    Tell(std::move(notice));
    warned_ = true;
  }
  // A row that becomes an event of its own: reading it again publishes the event again.
  void MarkEvent() { event_ = true; }
  bool event() const { return event_; }
  const std::vector<std::string>& notices() const { return notices_; }
  bool warned() const { return warned_; }

 private:
  absl::Span<const event::Answer> known_;
  size_t asked_ = 0;
  event::Node pending_;
  std::string reason_;
  std::vector<std::string> notices_;
  bool warned_ = false, event_ = false;
};

// What a transform with variants works on: …$Key or …$Value.
enum class TransformTarget { kRecord, kKey, kValue };

// What becomes of the list of headers, which a tombstone of Debezium's has in common with its
// delete.
enum class SharedHeaders {
  kIfSame,   // handed on with a record that stays as it is; another record has a copy
  kCopied,   // a copy, also where nothing else changes
  kKept,     // handed on, whatever changes
  kAddedTo,  // as kIfSame, after headers were put into it, also of a record that is dropped
};

// Thread-safe.
class Stage {
 public:
  virtual ~Stage() = default;
  // An error is the error of each record of this template. After kDrop, kAsk and an error, *record
  // is of no use.
  virtual absl::StatusOr<Verdict> Apply(event::RecordTemplate* record,
                                        Questions* questions) const = 0;
  // record: as the stage gets it.
  virtual SharedHeaders shared_headers(const event::RecordTemplate& /*record*/) const {
    return SharedHeaders::kIfSame;
  }
  // Whether shared_headers may say kAddedTo.
  virtual bool adds_to_shared_headers() const { return false; }
};
using StagePtr = std::unique_ptr<const Stage>;

}  // namespace walduct::transform
