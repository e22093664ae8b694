#include "sink/redis/redis_sink.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "redis/command.h"
#include "redis/error.h"

namespace walduct::sink {
namespace {

using redis::Reply;

// More in memory makes nothing faster: one transaction is on its way.
constexpr size_t kMostBytes = 4u << 20;
// A transaction is this large at most, or one record.
constexpr size_t kBatchBytes = 1u << 20;
constexpr size_t kMaxStreams = 65536;
constexpr size_t kSpareBatches = 2;
// At the start: rights and types are mostly the same for all.
constexpr size_t kMostTried = 64;
constexpr absl::string_view kHeartbeats = "__debezium-heartbeat.";
// Whoever waits for ready_fd() polls then, if not before: others may follow meanwhile.
constexpr absl::Duration kSoon = absl::Milliseconds(1);
constexpr absl::Duration kLook = absl::Milliseconds(50);
constexpr absl::Duration kRefusedPause = absl::Seconds(1);
// Refusals in a row for a right that is missing, until the sink breaks: its login is read anew.
constexpr int kMostDenied = 10;
constexpr absl::string_view kBehind = "ERR The ID specified in XADD is equal or smaller";

absl::Status IdBehind(absl::string_view stream, const EntryId& id, const EntryId& top) {
  return Error(absl::StatusCode::kFailedPrecondition, "redis_id_behind",
               absl::StrCat("stream ", stream, ": entry ", id.Text(),
                            " is not there, and Redis takes none before ", top.Text(),
                            ", its last: somebody else writes to the stream, or it was written "
                            "with other ids"),
               "write to another stream (topic.prefix), or set walduct.sink.redis.ids=auto");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Sink>> RedisSink::Create(const RedisSinkOptions& options,
                                                        const Environment& environment) {
  ASSIGN_OR_RETURN(auto client, redis::Client::Create(options.server, environment));
  return std::unique_ptr<Sink>(new RedisSink(options, environment, std::move(client)));
}

RedisSink::RedisSink(const RedisSinkOptions& options, const Environment& environment,
                     std::unique_ptr<redis::Client> client)
    : options_(options),
      environment_(environment),
      writer_(options_),
      most_bytes_(std::min(options.buffer_bytes, kMostBytes)),
      client_(std::move(client)),
      wait_("Redis", environment, options.server.retry_first, options.server.retry_most) {}

absl::Status RedisSink::PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) {
  const absl::Duration deadline = environment_.clock->Monotonic() + kPrepareTimeout;
  const auto left = [&] { return deadline - environment_.clock->Monotonic(); };
  for (const std::string& topic : topics.first(std::min(topics.size(), kMostTried))) {
    if (options_.skip_heartbeats && absl::StartsWith(topic, kHeartbeats)) continue;
    RETURN_IF_ERROR(TryTopic(topic, left(), stopping));
  }
  const auto largest = client_->Call({"CONFIG", "GET", "proto-max-bulk-len"}, left(), stopping);
  if (largest.ok() && (*largest)->values().size() == 3)
    static_cast<void>(absl::SimpleAtoi((*largest)->Text((*largest)->values()[2]), &most_value_));
  if (!largest.ok() && client_->closed()) return largest.status();
  return options_.ids_of_position ? CheckVersion(left(), stopping) : absl::OkStatus();
}

// A command that is queued and given up tells whether it would be taken, but for the key's type.
absl::Status RedisSink::TryTopic(const std::string& topic, absl::Duration timeout,
                                 Stopping stopping) {
  const auto type = client_->Call({"TYPE", topic}, timeout, stopping);
  if (!type.ok() && !absl::IsPermissionDenied(type.status())) return type.status();
  if (type.ok() && (*type)->text() != "none" && (*type)->text() != "stream")
    return redis::AnswerError(
        absl::StrCat("WRONGTYPE key ", topic, " holds a ", (*type)->text(), " and no stream"),
        client_->address());
  RETURN_IF_ERROR(client_->Call({"MULTI"}, timeout, stopping).status());
  const absl::Status queued =
      client_->Call({"XADD", topic, "*", "k", "v"}, timeout, stopping).status();
  if (!client_->closed() && !client_->Call({"DISCARD"}, timeout, stopping).ok()) client_->Close();
  return queued;
}

absl::Status RedisSink::CheckVersion(absl::Duration timeout, Stopping stopping) {
  constexpr absl::string_view kRedisVersion = "redis_version:";
  const auto server = client_->Call({"INFO", "server"}, timeout, stopping);
  if (absl::IsPermissionDenied(server.status())) return absl::OkStatus();
  RETURN_IF_ERROR(server.status());
  const absl::string_view text = (*server)->text();
  const size_t at = text.find(kRedisVersion);
  if (at == absl::string_view::npos) return absl::OkStatus();
  const absl::string_view version = text.substr(at + kRedisVersion.size());
  int major = 0;
  if (!absl::SimpleAtoi(version.substr(0, version.find('.')), &major) || major >= 7)
    return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "redis_too_old",
               "walduct.sink.redis.ids=position needs Redis 7 or later",
               "upgrade the server, or set walduct.sink.redis.ids=auto");
}

absl::StatusOr<RedisSink::Stream*> RedisSink::FindStream(absl::string_view name) {
  if (last_stream_ != nullptr && last_stream_->name == name) return last_stream_;
  Stream& stream = streams_[std::string(name)];
  if (stream.name.empty()) stream.name = std::string(name);
  if (streams_.size() > kMaxStreams)
    return Error(absl::StatusCode::kFailedPrecondition, "too_many_topics",
                 absl::StrCat("more than ", kMaxStreams, " streams"),
                 "route to fewer streams, or set walduct.sink.redis.ids=auto");
  last_stream_ = &stream;
  return &stream;
}

std::string RedisSink::IdOf(const event::Record& record, Entry* entry) {
  Stream& stream = *entry->stream;
  if (record.id.exact()) {
    entry->id = EntryIdOf(record.id);
    stream.last = std::max(stream.last, *entry->id);
    return entry->id->Text();
  }
  // Behind all that is there, and before all that the stream still has.
  stream.last.first = std::max({stream.last.first, record.id.lsn, uint64_t{1}});
  return absl::StrCat(stream.last.first, "-*");
}

RedisSink::Batch& RedisSink::OpenBatch() {
  if (!batches_.empty() && !batches_.back().sealed) return batches_.back();
  if (spare_.empty()) {
    batches_.emplace_back();
  } else {
    batches_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  redis::AppendCommand({"MULTI"}, &batches_.back().bytes);
  return batches_.back();
}

void RedisSink::Seal(Batch* batch) {
  if (!std::exchange(batch->sealed, true)) redis::AppendCommand({"EXEC"}, &batch->bytes);
}

absl::Status RedisSink::Write(const event::Record& record, Ticket ticket) {
  if (!broken_.ok()) return broken_;
  if (record.heartbeat && options_.skip_heartbeats) {
    settled_.Add(ticket);
    return absl::OkStatus();
  }
  const size_t size =
      std::max(record.value ? record.value->size() : 0, record.key ? record.key->size() : 0);
  if (size > most_value_)
    return Error(absl::StatusCode::kInvalidArgument, "record_too_large",
                 absl::StrCat("a record of ", size, " bytes; Redis at ", client_->address(),
                              " takes ", most_value_),
                 "raise proto-max-bulk-len of the server");
  if (!HasCapacity()) return absl::ResourceExhaustedError("Redis is behind");
  Entry entry{.ticket = ticket};
  std::string id = "*";
  if (options_.ids_of_position) {
    ASSIGN_OR_RETURN(entry.stream, FindStream(record.topic));
    if (!entry.stream->known) {
      asked_ = entry.stream;
      Progress();
      return broken_.ok() ? absl::ResourceExhaustedError("the stream's end is asked for") : broken_;
    }
    id = IdOf(record, &entry);
  }
  Batch& batch = OpenBatch();
  const size_t before = batch.bytes.size();
  const absl::Time now =
      options_.max_age > absl::ZeroDuration() ? environment_.clock->Now() : absl::Time();
  writer_.Append(record, id, now, &batch.bytes);
  batch.entries.push_back(entry);
  if (batch.entries.size() == 1 && step_ == Step::kNothing) client_->WakeIn(kSoon);
  batch.counted += batch.bytes.size() - before;
  bytes_ += batch.bytes.size() - before;
  if (batch.entries.size() >= options_.batch_records || batch.bytes.size() >= kBatchBytes) {
    Seal(&batch);
    Progress();
  }
  return broken_;
}

absl::Status RedisSink::Poll(AckHandler& acks) {
  if (broken_.ok()) Progress();
  settled_.AcknowledgeAll(acks);
  return broken_;
}

absl::Status RedisSink::Flush(AckHandler& acks, absl::Duration timeout) {
  return wait_.Flush(
      *this, acks, [this] { return batches_.empty(); },
      absl::StrCat("Redis at ", client_->address(), " has not answered"), timeout);
}

// All that can be done now.
void RedisSink::Progress() {
  const absl::Status done = Push();
  if (done.ok()) return;
  if (!absl::IsUnavailable(done)) {
    broken_ = done;
    return;
  }
  // The connection is gone, and what was on its way with it.
  client_->Close();
  step_ = Step::kNothing;
  replica_due_ = false;
  Wait(done, wait_.NextPause());
}

absl::Status RedisSink::Push() {
  if (const absl::Duration left = wait_.left(); left > absl::ZeroDuration()) {
    client_->WakeIn(left);
    return absl::OkStatus();
  }
  const bool idle =
      step_ == Step::kNothing && batches_.empty() && asked_ == nullptr && wait_.why().ok();
  if (idle && client_->closed()) return client_->Advance();  // it sleeps on
  if (client_->closed()) client_->Connect();
  RETURN_IF_ERROR(client_->Advance());
  // A server that ends an idle connection is no trouble: the next record makes another.
  if (idle && client_->ready() && !client_->Next().ok()) return absl::OkStatus();
  while (client_->ready() && wait_.left() <= absl::ZeroDuration()) {
    if (step_ == Step::kNothing) Begin();
    if (step_ == Step::kNothing) return absl::OkStatus();
    const uint64_t step = steps_;
    RETURN_IF_ERROR(Send());
    RETURN_IF_ERROR(Receive());
    if (step_ != Step::kNothing && steps_ == step) return CheckAnswered();
  }
  return absl::OkStatus();
}

absl::Status RedisSink::Send() {
  const absl::string_view text = step_ == Step::kBatch ? batches_.front().bytes : command_;
  if (sent_ == text.size() || !wait_.MaySend()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const size_t sent, client_->Send(text.substr(sent_)));
  if (sent > 0) heard_ = environment_.clock->Monotonic();
  sent_ += sent;
  return absl::OkStatus();
}

absl::Status RedisSink::Receive() {
  for (const uint64_t step = steps_; step_ != Step::kNothing && steps_ == step;) {
    ASSIGN_OR_RETURN(const Reply* const reply, client_->Next());
    if (reply == nullptr) return absl::OkStatus();
    heard_ = environment_.clock->Monotonic();
    --answers_;
    RETURN_IF_ERROR(OnAnswer(*reply));
  }
  return absl::OkStatus();
}

absl::Status RedisSink::CheckAnswered() {
  absl::Duration longest = options_.server.answer_timeout;
  if (step_ == Step::kReplica) longest += options_.replica_timeout;
  const absl::Duration left = heard_ + longest - environment_.clock->Monotonic();
  if (left > absl::ZeroDuration() || !wait_.MaySend()) {
    client_->WakeIn(std::max(left, kLook));
    return absl::OkStatus();
  }
  return Error(absl::StatusCode::kUnavailable, "redis_unavailable",
               absl::StrCat("Redis at ", client_->address(), ": no answer within ",
                            absl::FormatDuration(longest)),
               "check the server's load; sink.redis.socket.timeout.ms says how long an answer is "
               "waited for");
}

void RedisSink::Begin() {
  if (batches_.empty() && !wait_.why().ok()) wait_.End();  // it answers again
  if (asked_ != nullptr && !asked_->known) {
    Start(Step::kTop, 1);
    redis::AppendCommand({"XREVRANGE", asked_->name, "+", "-", "COUNT", "1"}, &command_);
  } else if (replica_due_) {
    Start(Step::kReplica, 1);
    redis::AppendCommand(
        {"WAIT", "1", absl::StrCat(absl::ToInt64Milliseconds(options_.replica_timeout))},
        &command_);
  } else if (!batches_.empty() && options_.memory_limit_bytes > 0) {
    Start(Step::kMemory, 1);
    redis::AppendCommand({"INFO", "memory"}, &command_);
  } else if (!batches_.empty()) {
    StartBatch();
  }
}

void RedisSink::Start(Step step, size_t answers) {
  ++steps_;
  step_ = step;
  command_.clear();
  sent_ = 0;
  answers_ = answers;
  heard_ = environment_.clock->Monotonic();
  refused_ = absl::OkStatus();
}

// MULTI, the entries, EXEC: an answer each.
void RedisSink::StartBatch() {
  Seal(&batches_.front());
  repeats_.clear();
  Start(Step::kBatch, batches_.front().entries.size() + 2);
}

absl::Status RedisSink::OnAnswer(const Reply& reply) {
  if (step_ == Step::kBatch && answers_ == 0) return OnExecuted(reply);
  if (step_ == Step::kRepeats && !reply.is_error()) return OnRepeat(reply);
  if (reply.is_error() && refused_.ok())
    refused_ = redis::AnswerError(reply.text(), client_->address());
  if (answers_ > 0) return absl::OkStatus();
  if (!refused_.ok()) return OnRefused(refused_);
  switch (step_) {
    case Step::kTop:
      return OnTop(reply);
    case Step::kMemory:
      return OnMemory(reply);
    default:
      return OnReplica(reply);
  }
}

absl::Status RedisSink::OnTop(const Reply& reply) {
  step_ = Step::kNothing;
  Stream& stream = *std::exchange(asked_, nullptr);
  stream.known = true;
  // An array of entries, of which each is an array that begins with the id.
  if (reply.top().size > 0 && reply.values().size() > 2)
    ParseEntryId(reply.Text(reply.values()[2]), &stream.top);
  stream.last = stream.top;
  return absl::OkStatus();
}

absl::Status RedisSink::OnMemory(const Reply& reply) {
  constexpr absl::string_view kUsedMemory = "used_memory:";
  uint64_t used = 0;
  const absl::string_view text = reply.text();
  if (const size_t at = text.find(kUsedMemory); at != absl::string_view::npos) {
    const absl::string_view number = text.substr(at + kUsedMemory.size());
    static_cast<void>(absl::SimpleAtoi(number.substr(0, number.find('\r')), &used));
  }
  if (used < options_.memory_limit_bytes) {
    StartBatch();
    return absl::OkStatus();
  }
  return OnRefused(Error(
      absl::StatusCode::kUnavailable, "redis_out_of_memory",
      absl::StrCat("Redis at ", client_->address(), " uses ", used >> 20,
                   " MB, and sink.redis.memory.limit.mb is ", options_.memory_limit_bytes >> 20),
      "raise the limit, or trim streams: XTRIM NAME MAXLEN ~ N"));
}

absl::Status RedisSink::OnExecuted(const Reply& reply) {
  std::vector<Entry>& entries = batches_.front().entries;
  if (reply.is_error() || reply.values().size() != entries.size() + 1) {
    if (refused_.ok()) refused_ = redis::AnswerError(reply.text(), client_->address());
    return OnRefused(refused_);
  }
  absl::Status error;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Reply::Value& answer = reply.values()[i + 1];
    if (answer.type != Reply::Type::kError) continue;
    const absl::string_view text = reply.Text(answer);
    if (absl::StartsWith(text, kBehind) && entries[i].id) {
      repeats_.push_back(i);
    } else if (error.ok()) {
      error = redis::AnswerError(text, client_->address());
    }
  }
  if (!error.ok()) return OnRefused(error);
  if (repeats_.empty()) return OnWritten();
  Start(Step::kRepeats, repeats_.size());
  for (const size_t i : repeats_) {
    const std::string id = entries[i].id->Text();
    redis::AppendCommand({"XRANGE", entries[i].stream->name, id, id}, &command_);
  }
  return absl::OkStatus();
}

// An entry with this very id is there, or it was, and has been trimmed away since.
absl::Status RedisSink::OnRepeat(const Reply& reply) {
  const Entry& entry = batches_.front().entries[repeats_[repeats_.size() - answers_ - 1]];
  const Stream& stream = *entry.stream;
  const bool trimmed =
      options_.max_entries > 0 && *entry.id <= stream.top && IsOfPosition(stream.top);
  if (reply.top().size == 0 && !trimmed && refused_.ok())
    refused_ = IdBehind(stream.name, *entry.id, stream.top);
  if (answers_ > 0) return absl::OkStatus();
  return refused_.ok() ? OnWritten() : OnRefused(refused_);
}

absl::Status RedisSink::OnWritten() {
  step_ = Step::kNothing;
  denied_ = 0;
  replica_due_ = options_.awaits_replica;
  wait_.End();
  if (!replica_due_) Settle();
  return absl::OkStatus();
}

absl::Status RedisSink::OnReplica(const Reply& reply) {
  step_ = Step::kNothing;
  if (reply.top().integer >= 1) {
    wait_.End();
    Settle();
    return absl::OkStatus();
  }
  const absl::Status none =
      Error(absl::StatusCode::kUnavailable, "redis_too_few_replicas",
            absl::StrCat("Redis at ", client_->address(), ": no replica has the records after ",
                         absl::FormatDuration(options_.replica_timeout)),
            "bring a replica back; sink.redis.wait.enabled=false awaits none");
  if (options_.insists_on_replica) {
    Wait(none, options_.replica_pause);
    return absl::OkStatus();
  }
  if (!std::exchange(told_of_replica_, true))
    log::Warn(none.message(), {{"settled", "all the same: sink.redis.wait.retry.enabled=false"}});
  Settle();
  return absl::OkStatus();
}

void RedisSink::Settle() {
  Batch batch = std::move(batches_.front());
  batches_.pop_front();
  replica_due_ = false;
  for (const Entry& entry : batch.entries) settled_.Add(entry.ticket);
  bytes_ -= batch.counted;
  batch.bytes.clear();
  batch.entries.clear();
  batch.counted = 0;
  batch.sealed = false;
  if (spare_.size() < kSpareBatches && batch.bytes.capacity() <= 2 * kBatchBytes)
    spare_.push_back(std::move(batch));
}

// All answers of the step are there.
absl::Status RedisSink::OnRefused(const absl::Status& error) {
  step_ = Step::kNothing;
  const bool waits =
      absl::IsUnavailable(error) || (absl::IsPermissionDenied(error) && ++denied_ < kMostDenied);
  if (!waits) return error;
  if (redis::IsOtherServer(error)) client_->Close();
  Wait(error, kRefusedPause);
  return absl::OkStatus();
}

void RedisSink::Wait(const absl::Status& error, absl::Duration pause) {
  wait_.Begin(error, pause);
  client_->WakeIn(pause);
}

std::string RedisSink::WaitingFor() {
  return wait_.For(absl::StrCat("Redis at ", client_->address(), " to answer"));
}

}  // namespace walduct::sink
