// NatsSink: records as messages of JetStream. A bounded window of them is on its way; each is named
// by Nats-Msg-Id, so that JetStream takes a repeat for what it is. What passes is waited for here,
// and sent again from the first that was not taken: a server that is away, a stream that is full or
// missing. Any other answer breaks the sink.
//
// Order: JetStream takes the messages of a connection in their order, but may refuse one and take
// the next: there is room again, a cluster has a leader again. So each message names the one of its
// stream that goes before it on the way (Nats-Expected-Last-Msg-Id), and is refused with it. After
// a refusal nothing is sent until all answers are there; then one goes alone, and one more at once
// for each that is taken. So it gets on whatever share is refused, or others write in between.
//
// The first record of a subject whose stream nobody has told travels alone. Nothing here blocks but
// PrepareTopics and Flush.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/status/statusor.h"
#include "base/backoff.h"
#include "base/environment.h"
#include "nats/admin.h"
#include "nats/client.h"
#include "nats/jetstream_answers.h"
#include "sink/nats/message.h"
#include "sink/nats/nats_sink_options.h"
#include "sink/sink.h"
#include "sink/target_wait.h"
#include "sink/unacknowledged.h"

namespace walduct::sink {

// By stream: what it has refused to take is larger. Kept from one sink to the next.
using LearntSizes = std::map<std::string, size_t>;

class NatsSink final : public Sink {
 public:
  static absl::StatusOr<std::unique_ptr<Sink>> Create(const NatsSinkOptions& options,
                                                      const Environment& environment,
                                                      std::shared_ptr<LearntSizes> learnt);

  absl::Status PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) override;
  bool HasCapacity() override;
  Load load() const override { return {.bytes = bytes_, .limit_bytes = most_bytes_}; }
  absl::Status Write(const event::Record& record, Ticket ticket) override;
  absl::Status Poll(AckHandler& acks) override;
  int ready_fd() const override { return client_->fd(); }
  absl::Status Flush(AckHandler& acks, absl::Duration timeout) override;
  void RenewPermit() override { wait_.RenewPermit(); }
  std::string WaitingFor() override;
  std::string WaitingHint() const override { return wait_.Hint(); }

 private:
  struct Stream {
    nats::StreamInfo info;
    bool known = false;  // info
    size_t on_way = 0;   // messages
    std::string last_id;
  };
  struct Subject {
    std::string name;
    Stream* stream = nullptr;  // null: not known yet
  };
  struct Entry {
    enum class State : uint8_t { kWaits, kSent, kTaken };
    Message message;
    Ticket ticket = 0;
    Subject* subject = nullptr;
    State state = State::kWaits;
    bool in_turn = false;  // sent with the name of the one before it
  };
  // A record that travels alone, and what became of it.
  struct Lone {
    std::string topic;
    event::RecordId id;
    std::optional<absl::Status> fate = {};
  };

  NatsSink(const NatsSinkOptions& options, const Environment& environment,
           std::unique_ptr<nats::Client> client, std::shared_ptr<LearntSizes> learnt);
  absl::Status FindStreams(nats::Admin& admin, absl::Span<const std::string> topics);
  absl::Status Know(const nats::StreamInfo& info);
  absl::StatusOr<Subject*> FindSubject(absl::string_view name);
  Stream* StreamFor(absl::string_view subject);
  absl::Status CheckSize(const Message& message, const Stream* stream) const;
  void Add(Ticket ticket);
  std::optional<absl::Status> FateOf(const event::Record& record, Ticket ticket);

  void Progress();
  absl::Status Push();
  absl::Status Receive();
  void OnAcknowledgement(const nats::Answer& answer);
  absl::Status OnInfo(const nats::Answer& answer);
  absl::Status Learn(Entry* entry, const std::string& stream);
  absl::Status OnAllAnswered();
  absl::Status OnTooLarge(Entry& entry, const absl::Status& error);
  absl::Status Send();
  bool HasNoRoomForTurn(const Entry& entry) const;
  absl::Status Publish(Entry* entry, uint64_t number);
  absl::Status CheckAnswered();
  absl::Status CheckRights();
  void Rewind();
  void Settle();
  void Refuse(const absl::Status& error, uint64_t number);
  void Wait(const absl::Status& error, absl::Duration pause);
  void OnTaken();
  uint64_t end() const { return first_ + entries_.size(); }

  const NatsSinkOptions options_;
  const Environment environment_;
  const size_t most_bytes_, most_on_way_;
  size_t window_;  // messages on their way at once, for now
  const std::unique_ptr<nats::Client> client_;
  const std::shared_ptr<LearntSizes> learnt_;
  const std::string unnamed_prefix_;
  size_t max_payload_ = 0;  // 0: not known yet
  absl::node_hash_map<std::string, Stream> streams_;
  absl::node_hash_map<std::string, Subject> subjects_;
  Subject* last_subject_ = nullptr;

  std::deque<Entry> entries_;  // not settled yet
  std::vector<Entry> spare_;
  uint64_t first_ = 1, next_ = 1;  // numbers: of entries_.front(), of the next to send
  size_t bytes_ = 0;               // of entries_
  size_t unsent_ = 0;              // bytes since the last Progress
  size_t on_way_ = 0;              // messages whose answer is not there
  uint64_t unnamed_ = 0;           // ids made so far of what has no position
  absl::Status refused_;           // the first in the order of messages; OK: none
  uint64_t refused_at_ = 0;        // its number; the greatest: not known
  bool any_nobody_ = false;        // of one no stream has taken: which it was nobody has said
  int out_of_turn_ = 0;            // in a row, without one that was taken
  Backoff refused_pause_;          // what is refused again and again is asked for less often
  std::optional<Lone> lone_;
  Stream* asked_ = nullptr;  // its info is on its way
  absl::Duration asked_until_;
  std::vector<nats::HeaderText> headers_;
  absl::Duration heard_;  // the last time that something went on

  Unacknowledged settled_;
  TargetWait wait_;
  absl::Status broken_;
};

}  // namespace walduct::sink
