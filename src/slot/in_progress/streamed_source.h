// StreamedSource: a WalSource that speaks protocol 1 on a stream of protocol 2. Transactions that
// the server sends while they are in progress are kept in a Spill; at their commit they are handed
// over as if they had been sent then. Whoever reads it does not see the difference, but for frames
// of kind kKept.
//
// A position may move past what is kept, for a keepalive does not stand for a transaction that has
// not committed: the server sends each transaction whose commit is behind the confirmed position
// again, from its beginning, to a new stream. Nothing kept has to outlive this object.
//
// Handing over stops the reading, as a server that sends a large transaction does: commits stay in
// their order. Data thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "metrics/connector_metrics.h"
#include "pgoutput/message_kind.h"
#include "replication/wal_source.h"
#include "slot/in_progress/announced_relations.h"
#include "slot/in_progress/replay.h"
#include "slot/in_progress/streaming_pause.h"
#include "spill/spill.h"

namespace walduct::slot {

class StreamedSource final : public replication::WalSource {
 public:
  // Sub-transactions of one transaction that were rolled back after they had been sent: 16 MB.
  static constexpr size_t kMaxRolledBack = 4 << 20;

  // All borrowed.
  struct Parts {
    spill::Spill* spill = nullptr;
    StreamingPause* pause = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
  };
  StreamedSource(std::unique_ptr<replication::WalSource> source, const Parts& parts);
  ~StreamedSource() override;

  // Those of the source, of the Spill, and
  //   DataLoss            "malformed_message", "protocol_violation": a message where none of its
  //                       kind may be
  //   FailedPrecondition  "spill_full": more than kMaxRolledBack
  //   Unavailable         "logical_messages_unclear": the pause knows until where
  absl::StatusOr<replication::WalFrame> Next() override;
  absl::Status SendStatus(Lsn received, Lsn flushed, bool reply_requested) override;
  bool Ended() override { return source_->Ended(); }
  replication::ReceivePath path() const override { return source_->path(); }
  int ready_fd() const override { return source_->ready_fd(); }
  void Stop(absl::Duration timeout) override { source_->Stop(timeout); }

 private:
  absl::StatusOr<replication::WalFrame> NextOfReplay();
  // A message of the server. True: it is kept, or told of what is kept.
  absl::StatusOr<bool> Take(const replication::WalFrame& frame);
  absl::StatusOr<bool> TakeInBlock(const replication::WalFrame& frame, pgoutput::MessageKind kind);
  absl::Status OnStreamStart(absl::string_view payload);
  absl::Status OnStreamStop(absl::string_view payload);
  absl::Status OnStreamCommit(absl::string_view payload);
  absl::Status OnStreamAbort(absl::string_view payload);
  absl::Status Keep(const replication::WalFrame& frame, pgoutput::MessageKind kind);
  void CountOpen();

  std::unique_ptr<replication::WalSource> source_;
  const Parts parts_;
  AnnouncedRelations announced_;
  absl::flat_hash_map<uint32_t, TransactionInProgress> open_;  // by xid
  std::optional<uint32_t> block_;  // between StreamStart and StreamStop: the transaction's xid
  std::optional<Replay> replay_;
  // After the replay: Relation messages to be said again.
  std::vector<std::string> again_;
  size_t said_ = 0;
};

}  // namespace walduct::slot
