// OffsetStore: where a connector's position outlives the process. Connect's own formats, so that
// Debezium can resume what walduct stored and the other way round: the partition
// {"server":"<topic.prefix>"} under the connector's name.
//
// Thread-safety: one caller, the data thread.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "event/record.h"
#include "offset/stored_offset.h"

namespace walduct::offset {

class OffsetStore {
 public:
  virtual ~OffsetStore() = default;

  // The last stored offset, absent when there is none. Blocks up to the store's timeout.
  virtual absl::StatusOr<std::optional<StoredOffset>> Load() = 0;
  // The same, as long as an earlier instance may have a save under way that only a later Load can
  // tell of.
  virtual absl::StatusOr<std::optional<StoredOffset>> Peek() { return Load(); }
  // Of the last Load that found none: it was erased on purpose, by a tombstone that is still there.
  virtual bool erased() const { return false; }

  // What a save needs and Load has not found, such as a topic, is made; at once where nothing is
  // missing. StartSave does it, too.
  virtual absl::Status Prepare() { return absl::OkStatus(); }
  // Starts to store; at most one at a time. Poll until it answers.
  virtual absl::Status StartSave(const StoredOffset& offset) = 0;

  // Absent while the save is under way; OK once it is durable; an error when it failed and may be
  // started again. To be called whenever ready_fd() is readable, also with nothing under way: OK
  // then.
  //   FailedPrecondition offset_superseded  somebody else has stored a position since Load or the
  //                                         last save: not to be started again
  virtual std::optional<absl::Status> PollSave() = 0;

  // Becomes readable when PollSave may have an answer; -1 when it always has one at once.
  virtual int ready_fd() const = 0;

  // The caller is the one that may store: see sink::Sink.
  virtual void RenewPermit() {}

  // What stores it, for a writer that makes it durable together with other records; valid until the
  // next call. Absent: this store is not made of records.
  virtual std::optional<event::Record> RecordOf(const StoredOffset& offset) {
    static_cast<void>(offset);
    return std::nullopt;
  }

  // Of a save, by whomever, that takes long: whether the store is still there, as far as is known.
  // Asks from beside and never waits: to be called again and again.
  virtual absl::Status Doubt() { return absl::OkStatus(); }

  // What a session has failed of, where that is about this store; else as it is.
  virtual absl::Status ExplainEnd(const absl::Status& status) { return status; }

  // Forgets the offset (Connect's tombstone). Blocks up to the store's timeout.
  virtual absl::Status Erase() = 0;
};

}  // namespace walduct::offset
