// RedisSink: records as entries of Redis streams. They go in transactions (MULTI, EXEC) of up to
// batch.size, one at a time: what the server refuses before it begins (no memory, a replica,
// rights) it refuses of the whole transaction, so that no later record overtakes an earlier one.
// Only the answer to an entry settles it. What passes is waited for here, and sent again: a server
// that is away, that has no room, that has become a replica. So is a right that is missing, for
// some seconds: the start has had it, and somebody is at work there. Any other answer breaks the
// sink.
//
// With ids of the position an entry that is there already is refused by Redis, looked at, and
// settled. Nothing here blocks but PrepareTopics and Flush.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/status/statusor.h"
#include "base/environment.h"
#include "redis/client.h"
#include "sink/redis/entry_writer.h"
#include "sink/redis/redis_sink_options.h"
#include "sink/sink.h"
#include "sink/target_wait.h"
#include "sink/unacknowledged.h"

namespace walduct::sink {

class RedisSink final : public Sink {
 public:
  static absl::StatusOr<std::unique_ptr<Sink>> Create(const RedisSinkOptions& options,
                                                      const Environment& environment);

  absl::Status PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) override;
  bool HasCapacity() override { return bytes_ < most_bytes_; }
  Load load() const override { return {.bytes = bytes_, .limit_bytes = most_bytes_}; }
  absl::Status Write(const event::Record& record, Ticket ticket) override;
  absl::Status Poll(AckHandler& acks) override;
  int ready_fd() const override { return client_->fd(); }
  absl::Status Flush(AckHandler& acks, absl::Duration timeout) override;
  void RenewPermit() override { wait_.RenewPermit(); }
  std::string WaitingFor() override;
  std::string WaitingHint() const override { return wait_.Hint(); }

 private:
  // With ids of the position alone.
  struct Stream {
    std::string name;
    bool known = false;
    EntryId top;   // when we came
    EntryId last;  // the same, and what we have written since
  };
  struct Entry {
    Ticket ticket = 0;
    Stream* stream = nullptr;
    std::optional<EntryId> id = {};  // the position's
  };
  struct Batch {
    std::string bytes;  // from MULTI to EXEC
    std::vector<Entry> entries;
    size_t counted = 0;  // in bytes_
    bool sealed = false;
  };
  // What the next answers are to.
  enum class Step { kNothing, kTop, kMemory, kBatch, kRepeats, kReplica };

  RedisSink(const RedisSinkOptions& options, const Environment& environment,
            std::unique_ptr<redis::Client> client);
  absl::Status TryTopic(const std::string& topic, absl::Duration timeout, Stopping stopping);
  absl::Status CheckVersion(absl::Duration timeout, Stopping stopping);
  absl::StatusOr<Stream*> FindStream(absl::string_view name);
  std::string IdOf(const event::Record& record, Entry* entry);
  Batch& OpenBatch();
  void Seal(Batch* batch);

  void Progress();
  absl::Status Push();
  absl::Status Send();
  absl::Status Receive();
  absl::Status CheckAnswered();
  void Begin();
  void Start(Step step, size_t answers);
  void StartBatch();
  absl::Status OnAnswer(const redis::Reply& reply);
  absl::Status OnTop(const redis::Reply& reply);
  absl::Status OnMemory(const redis::Reply& reply);
  absl::Status OnExecuted(const redis::Reply& reply);
  absl::Status OnRepeat(const redis::Reply& reply);
  absl::Status OnReplica(const redis::Reply& reply);
  absl::Status OnWritten();
  absl::Status OnRefused(const absl::Status& error);
  void Settle();
  void Wait(const absl::Status& error, absl::Duration pause);

  const RedisSinkOptions options_;
  const Environment environment_;
  const EntryWriter writer_;
  const size_t most_bytes_;
  std::unique_ptr<redis::Client> client_;
  size_t most_value_ = size_t{512} << 20;  // proto-max-bulk-len
  absl::node_hash_map<std::string, Stream> streams_;
  Stream* last_stream_ = nullptr;
  Stream* asked_ = nullptr;  // its top is wanted

  std::deque<Batch> batches_;  // the first may be on its way
  std::vector<Batch> spare_;
  size_t bytes_ = 0;  // of batches_

  Step step_ = Step::kNothing;
  uint64_t steps_ = 0;           // begun so far
  std::string command_;          // of a step other than kBatch
  size_t sent_ = 0;              // of command_ or the batch
  size_t answers_ = 0;           // to come
  absl::Status refused_;         // the first of the answers that was an error
  std::vector<size_t> repeats_;  // entries of the batch that may be there already
  int denied_ = 0;               // times in a row
  bool replica_due_ = false;     // of the batch, which is written
  bool told_of_replica_ = false;
  absl::Duration heard_;  // the last time that something went on

  Unacknowledged settled_;
  TargetWait wait_;
  absl::Status broken_;
};

}  // namespace walduct::sink
