#include "operate/commands/record.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "operate/commands/version.h"
#include "pgoutput/decode.h"
#include "pgoutput/message_kind.h"
#include "replication/recording/recording_file.h"
#include "slot/phases/read_pace.h"

namespace walduct::operate {
namespace {

constexpr absl::Duration kLongestWait = absl::Seconds(1);
constexpr absl::Duration kStopTimeout = absl::Seconds(2);

class Recorder {
 public:
  Recorder(const RecordRequest& request, Recorded* recorded)
      : request_(request), clock_(request.world->clock()), recorded_(*recorded) {}

  absl::Status Run();

 private:
  absl::StatusOr<slot::OpenedStream> Open(slot::Source& source);
  absl::Status Read(replication::WalSource& stream, replication::RecordingFile& file);
  absl::Status ReadMessages(replication::WalSource& stream, replication::RecordingFile& file,
                            int* frames);
  absl::Status Count(const replication::WalFrame& frame);
  absl::Status Report(replication::WalSource& stream);
  void Wait(const replication::WalSource& stream, const slot::ReadPace::Answer& next);
  bool Ends() const;

  const RecordRequest& request_;
  Clock& clock_;
  Recorded& recorded_;
  absl::Duration begun_at_, reported_at_, status_interval_;
  Lsn received_, flushed_;
  bool in_transaction_ = false, reply_ = false;
};

absl::StatusOr<slot::OpenedStream> Recorder::Open(slot::Source& source) {
  RETURN_IF_ERROR(source.Connect());
  ASSIGN_OR_RETURN(const slot::SourceFacts facts, source.Inspect());
  RETURN_IF_ERROR(facts.decodes);
  const slot::SourcePlan plan = {.decision = {.snapshot = false, .stream = true},
                                 .first_start = true};
  RETURN_IF_ERROR(source.CheckPlan(plan));
  RETURN_IF_ERROR(source.PreparePublication(plan));
  event::Position start;
  ASSIGN_OR_RETURN(start.commit_end,
                   source.CreateSlot(plan, [this] { return request_.stop->requested(); }));
  received_ = flushed_ = start.commit_end;
  return source.OpenStream(start);
}

absl::Status Recorder::Run() {
  RETURN_IF_ERROR(replication::RecordingFile::CheckPath(request_.path, request_.overwrite));
  metrics::ConnectorMetrics metrics;
  engine::WarnOnce warn_once;
  outbox::TableMemory outbox_tables;
  const std::unique_ptr<slot::Source> source =
      request_.world->MakeSource({.config = request_.config,
                                  .mode = engine::RunMode::kTail,
                                  .metrics = &metrics,
                                  .warn_once = &warn_once,
                                  .outbox_tables = &outbox_tables,
                                  .stopping = [this] { return request_.stop->requested(); }});
  ASSIGN_OR_RETURN(const slot::OpenedStream opened, Open(*source));
  ASSIGN_OR_RETURN(replication::RecordingFile file,
                   replication::RecordingFile::Create(request_.path, request_.overwrite,
                                                      {{"walduct", LibraryVersions().walduct},
                                                       {"proto_version", "1"},
                                                       {"from", flushed_.ToString()}}));
  recorded_.begun = true;
  status_interval_ = opened.status_interval;
  begun_at_ = reported_at_ = clock_.Monotonic();
  absl::Status read = Read(*opened.stream, file);
  recorded_.cut = in_transaction_;
  opened.stream->Stop(kStopTimeout);
  if (!read.ok()) read = source->ExplainEnd(read);
  // What has come is there, whatever ended it.
  read.Update(file.Finish());
  return read;
}

absl::Status Recorder::Read(replication::WalSource& stream, replication::RecordingFile& file) {
  slot::ReadPace pace(stream.path());
  while (!Ends()) {
    int frames = 0;
    const uint64_t before = recorded_.bytes;
    RETURN_IF_ERROR(ReadMessages(stream, file, &frames));
    RETURN_IF_ERROR(Report(stream));
    if (Ends()) break;
    Wait(stream, pace.OnEmpty(frames, recorded_.bytes - before, clock_.Monotonic()));
  }
  return absl::OkStatus();
}

// Until the stream is empty.
absl::Status Recorder::ReadMessages(replication::WalSource& stream,
                                    replication::RecordingFile& file, int* frames) {
  while (!Ends()) {
    ASSIGN_OR_RETURN(const replication::WalFrame frame, stream.Next());
    if (frame.kind == replication::WalFrame::Kind::kNone) return absl::OkStatus();
    ++*frames;
    reply_ = reply_ || frame.reply_requested;
    if (frame.kind == replication::WalFrame::Kind::kKeepalive) {
      received_ = std::max(received_, frame.wal_end);
      if (!in_transaction_) flushed_ = std::max(flushed_, frame.wal_end);
    } else {
      RETURN_IF_ERROR(Count(frame));
      RETURN_IF_ERROR(file.Add(frame.start, frame.payload));
    }
    RETURN_IF_ERROR(Report(stream));
  }
  return absl::OkStatus();
}

absl::Status Recorder::Count(const replication::WalFrame& frame) {
  using pgoutput::MessageKind;
  received_ = std::max(received_, frame.start);
  recorded_.bytes += frame.payload.size();
  switch (pgoutput::KindOf(frame.payload).value_or(MessageKind::kOrigin)) {
    case MessageKind::kBegin:
      in_transaction_ = true;
      break;
    case MessageKind::kCommit: {
      pgoutput::CommitMessage commit;
      RETURN_IF_ERROR(pgoutput::DecodeCommit(frame.payload, commit));
      flushed_ = std::max(flushed_, commit.end_lsn);
      in_transaction_ = false;
      ++recorded_.transactions;
      break;
    }
    case MessageKind::kTruncate: {
      pgoutput::TruncateMessage truncate;
      RETURN_IF_ERROR(pgoutput::DecodeTruncate(frame.payload, false, truncate));
      recorded_.changes += truncate.relations.size();
      break;
    }
    case MessageKind::kInsert:
    case MessageKind::kUpdate:
    case MessageKind::kDelete:
    case MessageKind::kMessage:
      ++recorded_.changes;
      break;
    default:
      break;
  }
  return absl::OkStatus();
}

// The slot goes on, so that the server keeps no WAL for it.
absl::Status Recorder::Report(replication::WalSource& stream) {
  const absl::Duration now = clock_.Monotonic();
  if (!reply_ && now - reported_at_ < status_interval_) return absl::OkStatus();
  reply_ = false;
  reported_at_ = now;
  return stream.SendStatus(received_, flushed_, false);
}

void Recorder::Wait(const replication::WalSource& stream, const slot::ReadPace::Answer& next) {
  Poller& poller = request_.world->poller();
  if (next.kind == slot::ReadPace::Answer::Kind::kNap)
    return poller.WaitReadable({request_.stop->fd()}, next.nap);
  absl::Duration wait = std::min(kLongestWait, status_interval_);
  if (request_.limits.time > absl::ZeroDuration() && !in_transaction_) {
    wait = std::min(wait, begun_at_ + request_.limits.time - clock_.Monotonic());
  }
  poller.WaitReadable({stream.ready_fd(), request_.stop->fd()},
                      std::max(wait, absl::ZeroDuration()));
}

bool Recorder::Ends() const {
  const RecordLimits& limits = request_.limits;
  if (request_.stop->requested()) return true;
  if (limits.bytes > 0 && recorded_.bytes >= limits.bytes) return true;
  if (in_transaction_) return false;
  if (limits.changes > 0 && recorded_.changes >= limits.changes) return true;
  return limits.time > absl::ZeroDuration() && clock_.Monotonic() - begun_at_ >= limits.time;
}

}  // namespace

absl::Status RecordStream(const RecordRequest& request, Recorded* recorded) {
  return Recorder(request, recorded).Run();
}

}  // namespace walduct::operate
