#include "recover/replay/replay_attempts.h"

#include <unistd.h>

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "base/whole_file.h"
#include "engine/control/control.h"
#include "metrics/connector_metrics.h"
#include "offset/offset_store.h"
#include "recover/replay/window_source.h"
#include "recover/run/restored_server.h"
#include "replication/slot.h"

namespace walduct::recover {
namespace {

// Why there was nothing before it that is later than --since.
constexpr absl::string_view kReplayedSql = R"(
SELECT pg_catalog.trunc(extract(epoch FROM coalesce(
  pg_catalog.pg_last_xact_replay_timestamp(),
  (SELECT checkpoint_time FROM pg_catalog.pg_control_checkpoint()))) * 1000000))";

constexpr absl::Duration kStoring = absl::Seconds(30);
constexpr absl::string_view kDone = "done ";  // --until follows

std::string TimeText(int64_t time_us) {
  return absl::FormatTime(absl::FromUnixMicros(time_us), absl::UTCTimeZone());
}

}  // namespace

std::unique_ptr<engine::Attempts> ReplayWorld::MakeAttempts(const engine::AttemptParts& parts) {
  return std::make_unique<ReplayAttempts>(*this, parts, options_);
}

ReplayAttempts::ReplayAttempts(slot::ServerWorld& world, const engine::AttemptParts& parts,
                               const ReplayOptions& options)
    : world_(world), parts_(parts), options_(options), inner_(world, parts, this) {}

engine::AttemptEnd ReplayAttempts::Run(bool ran_before) {
  parts_.board->Show(engine::ConnectorState::kRunning, engine::Activity::kConnecting);
  std::optional<std::string> ended;
  if (const absl::Status claimed = Claim(&ended); !claimed.ok()) return {.status = claimed};
  if (ended) {
    const absl::Status cleaned = CleanUp(*ended);
    if (!cleaned.ok() || *ended == options_.until.text)
      return {.status = cleaned, .goal_reached = true};
    return {.status = Error(
                absl::StatusCode::kFailedPrecondition, "recover_state_folder",
                absl::StrCat("--until ", options_.until.text, ": this replay has ended at ", *ended,
                             ", and is cleaned up"),
                "another end needs the backup restored once more, with a new folder for --state, "
                "and a --to of its own, or --since where this one ended")};
  }
  if (const absl::Status prepared = Prepare(); !prepared.ok()) return {.status = prepared};
  engine::AttemptEnd end = inner_.Run(ran_before);
  end.status = Follower::Explain(end.status, follower_.get());
  if (!end.status.ok() || !end.goal_reached) return end;
  follower_.reset();
  end.status = CleanUp(options_.until.text);
  if (end.status.ok())
    log::Info(
        "the replay is done: its slot and its position are removed, and the restored server can "
        "be thrown away",
        {{"since", options_.since.text}, {"until", options_.until.text}, {"to", options_.to}});
  return end;
}

std::string ReplayAttempts::OwnClaim() const {
  return absl::StrCat(options_.recovery.name, "\n", options_.since.text, "\n", options_.to, "\n");
}

// A folder is of one replay, which may be started again with another end.
absl::Status ReplayAttempts::Claim(std::optional<std::string>* ended) {
  const std::string path = absl::StrCat(options_.recovery.state_folder, "/replay");
  const std::optional<std::string> read = ReadWholeFile(path);
  if (!read) {
    ASSIGN_OR_RETURN(const auto stored, world_.LoadOwnPosition(*parts_.config));
    if (!stored) return WriteClaim("");
    return Error(
        absl::StatusCode::kFailedPrecondition, "recover_state_folder",
        absl::StrCat("--state: ", options_.recovery.state_folder,
                     " is of no replay yet, and another one of ", options_.recovery.name, " to ",
                     options_.to, " has stored the position ",
                     stored->position.commit_end.ToString(), ": what is before would be missing"),
        absl::StrCat("to go on with that one, copy the file replay of its folder into this one. To "
                     "begin at --since, give another --to; or forget that position (offsets.dat "
                     "in this folder, else walduct offsets reset --accept-loss with -o name=",
                     options_.recovery.name, " -o topic.prefix=", options_.to,
                     " -o slot.name=", options_.recovery.slot, ")"));
  }
  absl::string_view rest = *read;
  if (absl::ConsumePrefix(&rest, OwnClaim())) {
    if (absl::ConsumePrefix(&rest, kDone)) *ended = std::string(absl::StripSuffix(rest, "\n"));
    return absl::OkStatus();
  }
  return Error(
      absl::StatusCode::kFailedPrecondition, "recover_state_folder",
      absl::StrCat("--state: ", options_.recovery.state_folder, " is of another replay: ", *read),
      "give the --since and --to that it was begun with, or a folder of its own");
}

absl::Status ReplayAttempts::WriteClaim(absl::string_view more) const {
  const std::string path = absl::StrCat(options_.recovery.state_folder, "/replay");
  if (ReplaceWholeFile(path, OwnClaim() + std::string(more), {.mode = 0600}))
    return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "recover_state_folder",
               absl::StrCat("--state: ", path, " cannot be written"),
               "give this process the right to write there, and see whether the disk is full");
}

absl::Status ReplayAttempts::LoadGap() {
  parts_.board->WaitsFor(engine::WaitReason::kOffsetStore);
  ASSIGN_OR_RETURN(const std::optional<offset::StoredOffset> stored,
                   world_.LoadOwnPosition(*parts_.config));
  parts_.board->WaitsFor(engine::WaitReason::kDatabase);
  stored_ = stored.has_value();
  const Lsn begin = options_.since.lsn.valid() ? options_.since.lsn : Gap::kUnknown;
  gap_ = {.from = stored ? stored->position.commit_end : begin,
          .to = options_.until.lsn.valid() ? options_.until.lsn : Gap::kUnknown,
          .segment_bytes = options_.segment_bytes,
          .system_identifier = stored ? stored->system_identifier : ""};
  window_.reset();
  if (options_.since.lsn.valid() && options_.until.lsn.valid()) return absl::OkStatus();
  window_ = std::make_shared<Window>();
  if (!options_.since.lsn.valid()) {
    window_->since = options_.since.time_us;
    window_->begun = stored && stored->position.commit_time_us >= window_->since;
  }
  if (!options_.until.lsn.valid()) window_->until = options_.until.time_us;
  return absl::OkStatus();
}

absl::Status ReplayAttempts::Prepare() {
  follower_.reset();
  RETURN_IF_ERROR(LoadGap());
  const std::string begins =
      stored_ ? "the stored position" : absl::StrCat("--since ", options_.since.text, ":");
  ASSIGN_OR_RETURN(
      follower_,
      Follower::Start(
          {.connector = options_.recovery.name,
           .slot = options_.recovery.slot,
           .state_folder = options_.recovery.state_folder,
           .gap = gap_,
           .open =
               [this](const postgres::StopCheck& stopping) {
                 return world_.OpenSession(*parts_.config, postgres::SessionKind::kSql, " gate",
                                           stopping, absl::Seconds(5));
               },
           .metrics = parts_.metrics,
           .board = parts_.board,
           .patience = options_.recovery.patience,
           .cut_at_ddl = options_.recovery.cut_at_ddl,
           .window = window_,
           .begins = begins,
           .archive_hint = absl::StrCat(
               "if the archive ends there, before --until ", options_.until.text,
               ": it goes on when the primary has archived more (SELECT pg_switch_wal() there). If "
               "it has later segments, and this one is missing for good, what follows cannot be "
               "decoded. Stopped and started again with an --until before it, it ends there"),
           .environment = world_.environment()}));
  parts_.board->Show(engine::Activity::kPreparing);
  RETURN_IF_ERROR(
      RestoredServer({.open = [this](postgres::SessionKind kind) { return Open(kind); },
                      .environment = world_.environment(),
                      .slot = options_.recovery.slot,
                      .place = absl::StrCat(options_.recovery.host, ":", options_.recovery.port),
                      .follower = follower_.get(),
                      .begins = begins,
                      .slot_made = [this](postgres::Connection& sql) { return CheckBegin(sql); },
                      .stopping = [this] { return Stopping(); }})
          .Prepare());
  return stored_ ? absl::OkStatus() : StorePosition();
}

// Nothing from --since on may have been committed before the slot.
absl::Status ReplayAttempts::CheckBegin(postgres::Connection& restored) const {
  if (stored_ || gap_.from != Gap::kUnknown) return absl::OkStatus();
  ASSIGN_OR_RETURN(const postgres::Result result,
                   restored.Query(postgres::OneRow(1), kReplayedSql));
  int64_t time = 0;
  if (absl::SimpleAtoi(result.Get(0, 0), &time) && time < options_.since.time_us)
    return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "recover_backup_too_young",
               absl::StrCat("the restored server can be decoded from ", TimeText(time),
                            " on, and --since is ", options_.since.text),
               "restore an older backup: one that ended before --since, and before the oldest "
               "transaction began that was open then; into a new folder for --state. Or give a "
               "later --since");
}

// Where the slot is; nothing of it has been read.
absl::Status ReplayAttempts::StorePosition() {
  ASSIGN_OR_RETURN(const auto sql, Open(postgres::SessionKind::kSql));
  ASSIGN_OR_RETURN(const auto slot, replication::InspectSlot(*sql, options_.recovery.slot));
  if (!slot) return Follower::SlotLost("it is gone");
  ASSIGN_OR_RETURN(const auto session, Open(postgres::SessionKind::kReplication));
  ASSIGN_OR_RETURN(const replication::SystemIdentity system, replication::IdentifySystem(*session));
  offset::StoredOffset offset;
  offset.position.commit_end = offset.position.change_lsn = replication::SlotLsn(*slot);
  // Before all that is replayed.
  offset.position.commit_time_us = options_.since.lsn.valid()
                                       ? absl::ToUnixMicros(world_.clock().Now())
                                       : options_.since.time_us - 1;
  offset.system_identifier = system.system_identifier;
  offset.of_standby = true;
  offset.slot_held = true;
  ASSIGN_OR_RETURN(const auto store, world_.OpenOffsetStore(*parts_.config));
  RETURN_IF_ERROR(store->Load().status());
  RETURN_IF_ERROR(store->Prepare());
  RETURN_IF_ERROR(store->StartSave(offset));
  const absl::Duration until = world_.clock().Monotonic() + kStoring;
  while (world_.clock().Monotonic() < until) {
    if (const std::optional<absl::Status> saved = store->PollSave()) return *saved;
    world_.environment().poller->WaitReadable({store->ready_fd()}, absl::Milliseconds(20));
  }
  return Error(absl::StatusCode::kUnavailable, "offset_store_slow",
               "the offset store has not answered in time: it is not known whether the position is "
               "stored",
               "see the offset store, and start it again");
}

absl::StatusOr<Lsn> ReplayAttempts::Point() { return gap_.to; }

std::unique_ptr<replication::WalSource> ReplayAttempts::Through(
    std::unique_ptr<replication::WalSource> stream) {
  if (window_ == nullptr) return stream;
  return std::make_unique<WindowSource>(std::move(stream), window_);
}

absl::Status ReplayAttempts::Read(delivery::Pipeline*, slot::Housekeeping*, bool* done) {
  *done = true;
  return absl::OkStatus();
}

// In an order in which it can be killed anywhere and begun again.
absl::Status ReplayAttempts::CleanUp(absl::string_view until) {
  RETURN_IF_ERROR(WriteClaim(absl::StrCat(kDone, until, "\n")));
  if (const absl::Status dropped = DropSlot(); !dropped.ok())
    log::Warn("the slot on the restored server is not dropped; it goes with that server",
              {{"slot", options_.recovery.slot}, {"error", std::string(dropped.message())}});
  {
    ASSIGN_OR_RETURN(const auto store, world_.OpenOffsetStore(*parts_.config));
    RETURN_IF_ERROR(store->Load().status());
    RETURN_IF_ERROR(store->Erase());
  }
  for (const char* const file : {"recovery.json", "offsets.dat", "replay"})
    unlink(absl::StrCat(options_.recovery.state_folder, "/", file).c_str());
  return absl::OkStatus();
}

absl::Status ReplayAttempts::DropSlot() {
  ASSIGN_OR_RETURN(const auto sql, world_.OpenSession(
                                       *parts_.config, postgres::SessionKind::kSql, " recover",
                                       [this] { return Stopping(); }, absl::Seconds(5)));
  for (int turn = 0;; ++turn) {
    ASSIGN_OR_RETURN(const auto slot, replication::InspectSlot(*sql, options_.recovery.slot));
    if (!slot) return absl::OkStatus();
    const absl::Status dropped = replication::DropSlot(*sql, options_.recovery.slot);
    if (dropped.ok() || turn == 50) return dropped;
    world_.environment().poller->WaitReadable({}, absl::Milliseconds(100));
  }
}

bool ReplayAttempts::Stopping() {
  parts_.board->Beat();
  parts_.control->Take();
  return parts_.control->interrupted();
}

absl::StatusOr<std::unique_ptr<postgres::Connection>> ReplayAttempts::Open(
    postgres::SessionKind kind) {
  return world_.OpenSession(*parts_.config, kind, " recover", [this] { return Stopping(); });
}

void ReplayAttempts::ShowError(const absl::Status& error) {
  parts_.board->ShowError(error, Lsn(parts_.metrics->received_lsn.value()));
}

}  // namespace walduct::recover
