// Preparation: from nothing to a session that can begin: connects, judges the stored position,
// decides between snapshot and stream, creates what is missing. In this order, so that a broker
// that is away is waited for with nothing begun, and nothing is created before all is checked. The
// slot is taken before the offset is loaded and the server looked at: what is judged is what nobody
// changes any more.
//
// One Preparation serves one attempt. Data thread only.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delivery/settling/committing_store.h"
#include "engine/control/control.h"
#include "engine/control/status_board.h"
#include "event/position.h"
#include "offset/offset_store.h"
#include "offset/stored_offset.h"
#include "sink/sink.h"
#include "slot/masks/mask_guard.h"
#include "slot/start/start_checks.h"
#include "slot/start/start_rules.h"
#include "slot/world/known/known_tables.h"
#include "slot/world/registries.h"
#include "slot/world/watch/server_view.h"
#include "slot/world/world.h"
#include "snapshot/mode.h"
#include "spill/spill.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::names {
struct TableFilterOptions;
}

namespace walduct::slot {

// What a session needs, opened and decided.
struct Prepared {
  std::unique_ptr<sink::Sink> sink;
  Registries registries;
  std::unique_ptr<spill::Spill> spill;  // null: transactions come when they have committed
  std::unique_ptr<Source> source;
  // Behind the source: a save under way ends before the slot is another instance's.
  std::unique_ptr<offset::OffsetStore> store;
  std::optional<offset::StoredOffset> stored;
  replication::SystemIdentity system;
  bool in_recovery = false;
  std::unique_ptr<MaskGuard> masks;  // null: nothing is hidden
  snapshot::StartDecision decision;  // neither: there is nothing to do
  event::Position start;             // where the stream begins; 0/0: where the snapshot ends
  // Topics that were deleted since the process began.
  std::vector<std::string> deleted_topics = {};

  // The stored position is gone on from.
  bool resumes() const { return stored && !decision.snapshot; }
  // When the last change before the stored position was committed; absent: not known.
  std::optional<absl::Time> stored_at() const {
    if (!resumes() || stored->position.commit_time_us == 0) return std::nullopt;
    return absl::FromUnixMicros(stored->position.commit_time_us);
  }
  // The server is the one that the position was stored for.
  bool same_system() const {
    return !stored || stored->system_identifier == system.system_identifier;
  }
  // With the stored position, of this server; else nothing.
  KnownTables known() const {
    return resumes() && same_system() ? KnownTablesIn(stored->members) : KnownTables();
  }
  std::optional<event::ChangeId> skip() const { return resumes() ? stored->skip : std::nullopt; }
  // What a position is stored with, beside its members.
  offset::StoredOffset NewOffset(const engine::ConnectorOptions& config) const;
  // The name of the slot that goes with it; of what is read without one, or from another server,
  // the stored one.
  std::string SlotRead(const engine::ConnectorOptions& config) const;
  // Of the stored members, those of snapshots that signals asked for and that go on.
  event::OffsetMembers GoingOn() const;
  // Tells who looks what was captured, by its OID: a table that has got another name while nothing
  // ran is found. Where all is read anew, nothing is missing any more. lists: names that they leave
  // out are not missed. record: null: nobody looks.
  void RememberNames(const names::TableFilterOptions& lists, CaptureRecord* record) const;
};

class Preparation {
 public:
  // All borrowed.
  struct Parts {
    const engine::ConnectorOptions* config = nullptr;
    World* world = nullptr;
    SourceOptions source;
    sink::Refusals* refusals = nullptr;
    engine::Control* control = nullptr;
    engine::StatusBoard* board = nullptr;
    // Whoever asks for a recovery has said so: no other slot is thought of.
    bool slot_is_lost = false;
    // What the attempts before it have loaded or stored last; null: nobody remembers.
    std::optional<offset::StoredOffset>* known = nullptr;
    // Slots that this process has streamed from for the connector: one of them that is not there
    // was dropped. Null: nobody remembers.
    const std::set<std::string>* slots_read = nullptr;
  };
  explicit Preparation(const Parts& parts) : parts_(parts) {}

  // What the server said; of use also after a failure.
  const SourceFacts& facts() const { return facts_; }
  // The server of the slot did not answer, or refused the session.
  bool unreached() const { return unreached_; }
  // What a look from beside has seen, so of the lock that it waits for on the server.
  ServerView view() const {
    return prepared_.source == nullptr ? ServerView() : prepared_.source->View();
  }

  // Cancelled when it was interrupted while it waited.
  absl::StatusOr<Prepared> Run();

 private:
  const engine::ConnectorOptions& config() const { return *parts_.config; }
  absl::Status Ask(StartCheck check);
  bool IsDone() const;
  bool HasRead() const;
  absl::Status OpenSink();
  absl::Status OpenRegistries();
  absl::Status OpenStore();
  absl::Status LoadPosition();
  absl::Status OpenSpill();
  absl::Status OpenSource();
  absl::Status CheckSlots() const;
  absl::Status LookAgain();
  absl::Status LookAtTables();
  absl::Status ShutOthersOut();
  void WarnOfRepeats() const;
  absl::Status RenewSlot();
  absl::Status CheckSlot();
  absl::Status Decide();
  absl::StatusOr<StartVerdict> Judge();
  absl::Status CheckOffsetIsNotLost() const;
  absl::Status Refuse(const absl::Status& why);
  absl::Status Hold(const absl::Status& why);
  // Asked while a server is waited for; whoever makes attempts looks meanwhile, what for.
  bool Interrupted() {
    if (parts_.source.stopping) return parts_.source.stopping();
    parts_.control->Take();
    return parts_.control->interrupted();
  }
  absl::Status GuardMasks();
  SourcePlan Plan() const;
  absl::Status PreparePublication();
  absl::Status Create();
  absl::Status AskForTopics(bool creates);
  absl::Status CreateSlot(const SourcePlan& plan);
  absl::Status RememberSnapshot();
  absl::Status TakeOver();
  absl::Status Save(const offset::StoredOffset& offset);
  void MoveToUpgraded(offset::StoredOffset* offset) const;

  Parts parts_;
  Prepared prepared_;
  SourceFacts facts_;
  absl::Status lost_slot_;    // why the slot has to make room for another; OK: it need not
  bool recovers_ = false;     // the stored position is given up for a snapshot
  bool renews_slot_ = false;  // see RenewSlot
  bool unreached_ = false;
  delivery::CommittingStore* committing_ =
      nullptr;  // prepared_.store; null: the sink has no transactions
};

// Reason of what Preparation::Run answers before a hand-over to another number of slots.
inline constexpr char kHandoverDue[] = "slots_handover";

// What is stored with positions of this connector, as StoredOffset::sink.
std::string SinkMark(const engine::ConnectorOptions& config);

// CheckSlotIsOurs, of a connector that prints.
absl::Status CheckSlotOwner(const engine::ConnectorOptions& config,
                            const std::optional<replication::SlotState>& slot,
                            const std::optional<offset::StoredOffset>& stored);

// Whether a lost slot of this connector is to be held: wanted, and there is a position to keep.
bool HoldsSlot(const engine::ConnectorOptions& config,
               const std::optional<offset::StoredOffset>& stored);

// The topics that are known before the first record.
std::vector<std::string> KnownTopics(const engine::ConnectorOptions& config,
                                     const std::vector<postgres::TableName>& captured,
                                     bool streams);

}  // namespace walduct::slot
