// Assembler: turns the messages of one replication session, protocol 1, into ChangeEvents with
// their positions, and leaves out what was handed over before a restart.
//
// Not thread-safe: the data thread owns it. One Assembler per session: a reconnect needs a new one,
// opened at the stored position. Steady state allocates nothing.
//
// Positions. The ordinal of a change counts every row, truncated relation and transactional message
// of its transaction as the server sent them, whatever happens to them later. The server repeats a
// transaction identically after a restart, so that (end of the last commit, ordinal) finds the
// place again, where an LSN would not: changes share LSNs.
//
// A message outside a transaction (pg_logical_emit_message(false, …)) stands at the boundary before
// it and moves nothing: the server sends it when it is written, ahead of open transactions with
// lower LSNs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "event/change_handler.h"
#include "event/position.h"
#include "pgoutput/message_kind.h"
#include "pgoutput/messages.h"
#include "pgoutput/relation_cache.h"

namespace walduct::pgoutput {

struct AssemblerOptions {
  event::Position start;  // where the stream was opened; everything at or before it is left out
  std::optional<Lsn> last_commit_end;  // ChangeEvent::last_commit_end until a commit comes by
  bool watch_enum_labels = false;      // a new label makes a new schema; costs a lookup per enum
};

class Assembler {
 public:
  // resolver and handler are borrowed.
  Assembler(event::SchemaResolver& resolver, event::ChangeHandler& handler,
            AssemblerOptions options);
  Assembler(const Assembler&) = delete;
  Assembler& operator=(const Assembler&) = delete;

  // One message; start is its XLogData's LSN. The payload is borrowed for the call. After an error
  // the session cannot go on.
  //   DataLoss            "malformed_message"; "unknown_relation": a row of a relation that was not
  //                       announced; "protocol_violation": a message where none of its kind may be;
  //                       "position_unknown": the stream does not contain options.start
  //   FailedPrecondition  "protocol": a message that only a streamed or two-phase transaction sends
  //   Unimplemented       "binary_value"
  //   others              from the resolver and the handler
  absl::Status OnMessage(Lsn start, absl::string_view payload);

  // After an OK: nothing was done with the message, for the resolver has no answer yet. The same
  // message is to be handed over again, and no other, until this is false.
  //   Internal  "message_skipped": another one was
  bool awaits_schema() const { return awaits_schema_; }

  // A keepalive's wal_end: while no transaction is open, everything before it is behind, and
  // position() says so. Without effect inside a transaction, before the change at options.start was
  // found, and when it is behind already.
  void AdvanceTo(Lsn wal_end);

  bool in_transaction() const { return in_transaction_; }
  // The last one handed over (or advanced to); options.start at first.
  const event::Position& position() const { return position_; }

  // What Relation messages have told of. Forget: between transactions.
  size_t known_relations() const { return relations_.size(); }
  const event::TableSchema* SchemaOf(Oid relation) const { return relations_.SchemaOf(relation); }
  std::vector<KnownRelation> ListRelations() const { return relations_.List(); }
  void Forget(const KnownRelation& known) { relations_.Forget(known); }

  // Left out because they are at or before options.start.
  uint64_t skipped_transactions() const { return skipped_transactions_; }
  uint64_t skipped_changes() const { return skipped_changes_; }

 private:
  enum class Delivery : uint8_t {
    kAll,
    kAfterStart,  // the transaction that options.start lies in: from the change after it
    kNothing,     // the transaction is wholly behind options.start
  };

  absl::Status Dispatch(Lsn start, absl::string_view payload);
  absl::Status OnBegin(Lsn lsn, absl::string_view payload);
  absl::Status OnCommit(absl::string_view payload);
  absl::Status OnOrigin(absl::string_view payload);
  absl::Status OnRelation(absl::string_view payload);
  absl::Status OnType(absl::string_view payload);
  absl::Status OnInsert(Lsn lsn, absl::string_view payload);
  absl::Status OnUpdate(Lsn lsn, absl::string_view payload);
  absl::Status OnDelete(Lsn lsn, absl::string_view payload);
  absl::Status OnTruncate(Lsn lsn, absl::string_view payload);
  absl::Status OnLogicalMessage(Lsn lsn, absl::string_view payload);
  absl::Status OnMessageOutsideTransaction(Lsn lsn);
  absl::Status OnStreamAbort(absl::string_view payload) const;
  // The row has labels that its table's schema lacks.
  absl::Status LearnLabels(CachedRelation& relation, event::RowView row);

  void StartTransaction(Lsn lsn, const BeginMessage& message);
  absl::Status Find(MessageKind kind, Oid relation, CachedRelation*& found);
  absl::Status CheckWidth(MessageKind kind, const CachedRelation& relation, size_t columns) const;
  // What becomes of the change counted last.
  enum class Fate : uint8_t { kDeliver, kRepeat, kDrop };
  // Counts a change of the open transaction.
  absl::Status Count(MessageKind kind, Lsn lsn);
  absl::Status CountToStart(Lsn lsn);
  // Begins event_ anew, without rows. schema is null for a message.
  void SetChange(event::Operation operation, const event::TableSchema* schema);
  // filled: values of the new row were taken from the old one.
  void SetBefore(OldTuple kind, const CachedRelation& relation, bool filled);
  // Hands event_ over as the change counted last, as its fate says.
  absl::Status Deliver(Lsn lsn);

  event::ChangeHandler& handler_;
  const AssemblerOptions options_;
  RelationCache relations_;

  event::Position position_;
  std::optional<Lsn> last_commit_end_;
  bool resume_pending_;  // the change at options_.start has not come by
  bool in_transaction_ = false;
  bool awaits_schema_ = false;
  absl::string_view awaiting_;  // the message that waits: its place, not its bytes
  Delivery delivery_ = Delivery::kAll;
  uint64_t ordinal_ = 0;  // of the change counted last
  Fate fate_ = Fate::kDeliver;
  event::TransactionInfo transaction_;
  std::string origin_;
  Lsn origin_lsn_;
  uint64_t skipped_transactions_ = 0;
  uint64_t skipped_changes_ = 0;

  // Reused from message to message.
  TupleBuffers tuples_;
  RelationMessage relation_message_;
  TruncateMessage truncate_message_;
  event::LogicalMessage logical_message_;
  event::ChangeEvent event_;
};

}  // namespace walduct::pgoutput
