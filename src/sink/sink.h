// Sink: takes encoded records and says, later and in any order, which are durable. It never drops
// one: what was accepted is acknowledged, or handed back as refused, or the sink fails for good,
// and the caller resumes from the last stored position with a new sink.
//
// Thread-safety: one caller, the data thread.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/stopping.h"
#include "event/record.h"
#include "sink/transactions.h"

namespace walduct::sink {

// Names a group of records towards AckTracker.
using Ticket = uint64_t;

class AckHandler {
 public:
  virtual ~AckHandler() = default;
  // count records written under ticket are durable.
  virtual void OnAcknowledged(Ticket ticket, uint32_t count) = 0;
  // The target refuses this one record, which was written under ticket, for good: why is
  // InvalidArgument, with a reason (docs/errors.md). Others may be durable, none behind it of its
  // key was sent. Borrowed from the sink. It may be answered with WriteLetter under its ticket,
  // once, for which there is room whatever else is held: it takes the record's place.
  //   OK                 somebody has taken charge of it: the sink forgets it, goes on behind it,
  //                      and does not acknowledge it
  //   ResourceExhausted  not now: the sink keeps it, and asks again at the next Poll
  //   anything else      the sink breaks with that
  virtual absl::Status OnRefused(const event::Record& record, Ticket ticket,
                                 const absl::Status& why) {
    static_cast<void>(record);
    static_cast<void>(ticket);
    return why;
  }
};

// What a sink holds that is not acknowledged yet.
struct Load {
  size_t bytes = 0;
  size_t limit_bytes = 0;  // 0: none
};

class Sink {
 public:
  virtual ~Sink() = default;

  // What PrepareTopics would be refused for; creates nothing. Waits as it does.
  virtual absl::Status CheckTopics(absl::Span<const std::string> topics, Stopping stopping) {
    static_cast<void>(topics);
    static_cast<void>(stopping);
    return absl::OkStatus();
  }
  // For before the first record: finds out whether the target can be reached and, where topics are
  // ours to create, whether they are there, and creates them. Waits up to kPrepareTimeout. A topic
  // that is not named here is looked after when its first record comes. stopping: asked each
  // kStoppingLook or so; a sink that was interrupted is of no use any more.
  //   Cancelled                            interrupted
  //   Unavailable                          the target cannot be reached now
  //   PermissionDenied, InvalidArgument,
  //   FailedPrecondition, Unauthenticated  it would refuse the records
  static constexpr absl::Duration kPrepareTimeout = absl::Seconds(15);
  virtual absl::Status PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) {
    static_cast<void>(topics);
    static_cast<void>(stopping);
    return absl::OkStatus();
  }
  absl::Status PrepareTopics(absl::Span<const std::string> topics) {
    return PrepareTopics(topics, NeverStops);
  }

  // False when the bytes in flight have reached the limit: Write would answer ResourceExhausted.
  virtual bool HasCapacity() = 0;

  virtual Load load() const { return {}; }

  // Copies the record and takes charge of it.
  //   ResourceExhausted  no room now; nothing was taken, call again after Poll
  //   InvalidArgument    this record can never be delivered (too large, topic name refused);
  //                      nothing was taken
  //   anything else      the sink is broken for good
  virtual absl::Status Write(const event::Record& record, Ticket ticket) = 0;

  // As Write, of a dead letter: to where those of this sink go. The same target, unless it says
  // otherwise.
  virtual absl::Status WriteLetter(const event::Record& letter, Ticket ticket) {
    return Write(letter, ticket);
  }

  // The record that Write has refused with InvalidArgument has spoilt its transaction: the sink is
  // broken.
  virtual bool spoilt() const { return false; }

  // Hands over the acknowledgements that have arrived, and what was refused, without waiting. An
  // error means that a record could not be delivered.
  virtual absl::Status Poll(AckHandler& acks) = 0;

  // Becomes readable when Poll has something; -1 when acknowledgements come at once.
  virtual int ready_fd() const = 0;

  // Pushes out what is buffered and waits until everything is acknowledged or the timeout passes
  // (DeadlineExceeded).
  virtual absl::Status Flush(AckHandler& acks, absl::Duration timeout) = 0;

  // The caller is the one writer of these records: what it has written may be sent, for a moment,
  // until the next call (kafka::SendPermit). Without any call nothing is held back.
  virtual void RenewPermit() {}

  // What it waits for while records are not acknowledged, as a phrase. Asks the target, too, for
  // the next time. For a stall, now and then: allocates.
  virtual std::string WaitingFor() { return "the sink"; }

  // What to do about that.
  virtual std::string WaitingHint() const {
    return "it goes on by itself once whoever reads its output takes more";
  }

  // Records and positions that become durable together. Null: this sink has no transactions, or was
  // not asked for them. Lives as long as the sink.
  virtual SinkTransactions* transactions() { return nullptr; }
};

// Of a Flush that is not repeated any more: of a sink that has ended what it has ended with, in the
// place of that the rest was not in time. Else flushed.
inline absl::Status EndOfFlush(const absl::Status& flushed, Sink& sink, AckHandler& acks) {
  if (!absl::IsDeadlineExceeded(flushed)) return flushed;
  absl::Status ended = sink.Poll(acks);
  return ended.ok() ? flushed : ended;
}

}  // namespace walduct::sink
