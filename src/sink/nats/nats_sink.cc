#include "sink/nats/nats_sink.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "nats/error.h"
#include "nats/subject.h"
#include "sink/message_id.h"

namespace walduct::sink {
namespace {

constexpr size_t kMostBytes = 4u << 20;
constexpr size_t kMostOnWay = 4096;
// In the connection's buffer, at most: the rest waits here.
constexpr size_t kMostBuffered = 256u << 10;
constexpr size_t kPushBytes = 64u << 10;
constexpr size_t kMaxSubjects = 65536;
constexpr size_t kMostSpare = 512;
constexpr size_t kSpareBytes = 8u << 10;
constexpr size_t kEntryBytes = 160;  // beside the message
constexpr uint64_t kNobodyKnows = std::numeric_limits<uint64_t>::max();
constexpr char kExpected[] = "Nats-Expected-Last-Msg-Id";
constexpr absl::string_view kInfo = "info";
// Whoever waits for ready_fd() polls then, if not before: others may follow meanwhile.
constexpr absl::Duration kSoon = absl::Milliseconds(1);
constexpr absl::Duration kLook = absl::Milliseconds(200);
constexpr absl::Duration kFirstPause = absl::Milliseconds(20), kLongestPause = absl::Seconds(1);
constexpr absl::Duration kTurnPause = absl::Milliseconds(20);
constexpr absl::Duration kInfoTimeout = absl::Seconds(2);
constexpr int kReadsAtOnce = 32;

// Of no other sink, in this process or another.
std::string UnnamedPrefix() {
  static std::atomic<uint64_t> sinks = 0;
  absl::string_view process = nats::InboxPrefix();
  process.remove_prefix(process.rfind('.') + 1);
  return absl::StrCat(process, "-", ++sinks, "-");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Sink>> NatsSink::Create(const NatsSinkOptions& options,
                                                       const Environment& environment,
                                                       std::shared_ptr<LearntSizes> learnt) {
  ASSIGN_OR_RETURN(auto client, nats::Client::Create(options.server, environment));
  return std::unique_ptr<Sink>(
      new NatsSink(options, environment, std::move(client), std::move(learnt)));
}

NatsSink::NatsSink(const NatsSinkOptions& options, const Environment& environment,
                   std::unique_ptr<nats::Client> client, std::shared_ptr<LearntSizes> learnt)
    : options_(options),
      environment_(environment),
      most_bytes_(std::min(options.buffer_bytes, kMostBytes)),
      most_on_way_(options.one_by_one ? 1 : kMostOnWay),
      window_(most_on_way_),
      client_(std::move(client)),
      learnt_(std::move(learnt)),
      unnamed_prefix_(UnnamedPrefix()),
      refused_pause_(kFirstPause, kLongestPause,
                     static_cast<uint64_t>(absl::ToUnixNanos(environment.clock->Now()))),
      wait_("NATS", environment, absl::Milliseconds(300), absl::Seconds(10)) {}

bool NatsSink::HasCapacity() { return bytes_ < most_bytes_; }

absl::StatusOr<NatsSink::Subject*> NatsSink::FindSubject(absl::string_view name) {
  if (last_subject_ != nullptr && last_subject_->name == name) return last_subject_;
  if (subjects_.size() >= kMaxSubjects) {
    if (!entries_.empty()) return absl::ResourceExhaustedError("subjects are made room for");
    last_subject_ = nullptr;
    subjects_.clear();
  }
  Subject& subject = subjects_[name];
  if (subject.name.empty()) {
    if (const std::string why = nats::CheckSubject(name); !why.empty())
      return Error(absl::StatusCode::kInvalidArgument, "topic_name_invalid",
                   absl::StrCat("topic '", name, "' is no subject of NATS: it ", why),
                   "let a transform give it another name");
    subject.name = std::string(name);
  }
  if (subject.stream == nullptr) subject.stream = StreamFor(name);
  last_subject_ = &subject;
  return &subject;
}

// Absent: there is none that waits to be told.
std::optional<absl::Status> NatsSink::FateOf(const event::Record& record, Ticket ticket) {
  if (!lone_) return std::nullopt;
  if (!lone_->fate) return absl::ResourceExhaustedError("the first of a subject is on its way");
  const Lone lone = *std::exchange(lone_, std::nullopt);
  const bool same = lone.topic == record.topic && lone.id.lsn == record.id.lsn &&
                    lone.id.number == record.id.number && lone.id.part == record.id.part;
  if (!same) return std::nullopt;  // nobody asks for it any more
  if (lone.fate->ok()) Add(ticket);
  return lone.fate;
}

// Of what nobody will answer: whoever waits for ready_fd() is to poll.
void NatsSink::Add(Ticket ticket) {
  if (settled_.empty()) client_->WakeIn(kSoon);
  settled_.Add(ticket);
}

absl::Status NatsSink::Write(const event::Record& record, Ticket ticket) {
  if (!broken_.ok()) return broken_;
  if (!record.value && record.topic != options_.letters) {  // a tombstone
    Add(ticket);
    return absl::OkStatus();
  }
  if (auto fate = FateOf(record, ticket)) return *fate;
  if (!HasCapacity()) return absl::ResourceExhaustedError("NATS is behind");
  ASSIGN_OR_RETURN(Subject* const subject, FindSubject(record.topic));
  const bool alone = subject->stream == nullptr;
  if (alone && !entries_.empty())
    return absl::ResourceExhaustedError("what goes before the first of a subject is on its way");
  Entry entry;
  if (!spare_.empty()) {
    entry = std::move(spare_.back());
    spare_.pop_back();
  }
  std::string id = MessageId(options_.identity, record.id);
  // Sent again over another connection it is known, too, but not after a restart.
  if (id.empty()) id = absl::StrCat(unnamed_prefix_, ++unnamed_);
  RETURN_IF_ERROR(entry.message.Assign(record, id));
  RETURN_IF_ERROR(CheckSize(entry.message, subject->stream));
  entry.ticket = ticket;
  entry.subject = subject;
  entry.state = Entry::State::kWaits;
  const size_t size = entry.message.size() + kEntryBytes;
  bytes_ += size;
  unsent_ += size;
  entries_.push_back(std::move(entry));
  if (alone) {
    lone_ = Lone{.topic = subject->name, .id = record.id};
    Progress();
    return broken_.ok() ? absl::ResourceExhaustedError("the first of a subject is on its way")
                        : broken_;
  }
  if (unsent_ >= kPushBytes) {
    Progress();
  } else if (unsent_ == size) {
    client_->WakeIn(kSoon);
  }
  return broken_;
}

absl::Status NatsSink::Poll(AckHandler& acks) {
  if (broken_.ok()) Progress();
  settled_.AcknowledgeAll(acks);
  return broken_;
}

absl::Status NatsSink::Flush(AckHandler& acks, absl::Duration timeout) {
  return wait_.Flush(
      *this, acks, [this] { return entries_.empty(); },
      absl::StrCat("NATS at ", client_->address(), " has not acknowledged all"), timeout);
}

// All that can be done now.
void NatsSink::Progress() {
  unsent_ = 0;
  const absl::Status done = Push();
  Settle();
  if (done.ok()) return;
  // The start has seen that TLS works: it is the server's turn, or the network's.
  const std::string reason = ErrorReason(done);
  const bool passes = absl::IsUnavailable(done) || reason == "nats_tls_failed";
  if (!passes || reason == "batch_refused") {
    broken_ = done;
    return;
  }
  // The connection is gone, and what was on its way with it.
  client_->Close();
  refused_ = absl::OkStatus();
  any_nobody_ = false;
  asked_ = nullptr;
  Rewind();
  Wait(done, wait_.NextPause());
}

absl::Status NatsSink::Push() {
  const bool idle = entries_.empty() && wait_.why().ok() && asked_ == nullptr;
  const absl::Duration pause = wait_.left();
  if (client_->closed()) {
    if (!idle && pause <= absl::ZeroDuration()) client_->Connect();
    if (!idle && pause > absl::ZeroDuration()) client_->WakeIn(pause);
  }
  const absl::Status advanced = client_->Advance();
  // A server that ends an idle connection is no trouble: the next record makes another.
  if (!advanced.ok()) return idle ? absl::OkStatus() : advanced;
  if (!client_->ready()) return absl::OkStatus();
  max_payload_ = client_->max_payload();
  if (entries_.empty() && !wait_.why().ok()) OnTaken();  // it answers again
  RETURN_IF_ERROR(Receive());
  RETURN_IF_ERROR(CheckRights());
  if (on_way_ == 0 && !refused_.ok()) RETURN_IF_ERROR(OnAllAnswered());
  if (const absl::Duration left = wait_.left(); left > absl::ZeroDuration()) {
    client_->WakeIn(left);
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(Send());
  return CheckAnswered();
}

absl::Status NatsSink::Receive() {
  for (int reads = 0; reads < kReadsAtOnce; ++reads) {
    bool any = false;
    while (const auto answer = client_->Next()) {
      any = true;
      if (answer->number == kInfo || (answer->nobody && on_way_ == 0 && asked_ != nullptr)) {
        RETURN_IF_ERROR(OnInfo(*answer));
      } else {
        OnAcknowledgement(*answer);
      }
    }
    if (!any) return absl::OkStatus();
    heard_ = environment_.clock->Monotonic();
    RETURN_IF_ERROR(client_->Advance());
  }
  return absl::OkStatus();
}

void NatsSink::OnAcknowledgement(const nats::Answer& answer) {
  if (answer.nobody) {
    if (on_way_ > 0) --on_way_;
    any_nobody_ = true;
    return Refuse(nats::NoStream("", client_->address()), kNobodyKnows);
  }
  uint64_t number = 0;
  if (!absl::SimpleAtoi(answer.number, &number) || number < first_ || number >= end()) return;
  Entry& entry = entries_[number - first_];
  if (entry.state != Entry::State::kSent) return;
  --on_way_;
  if (Stream* const stream = entry.subject->stream; stream != nullptr && stream->on_way > 0)
    --stream->on_way;
  const absl::StatusOr<std::string> taken =
      nats::ParseAcknowledgement(answer.text, client_->address());
  if (!taken.ok()) {
    entry.state = Entry::State::kWaits;
    return Refuse(taken.status(), number);
  }
  entry.state = Entry::State::kTaken;
  OnTaken();
  if (const absl::Status learnt = Learn(&entry, *taken); !learnt.ok()) Refuse(learnt, number);
}

// Which stream has taken it.
absl::Status NatsSink::Learn(Entry* entry, const std::string& name) {
  Stream* const before = entry->subject->stream;
  if (before != nullptr && before->info.name == name) return absl::OkStatus();
  Stream& stream = streams_[name];
  stream.info.name = name;
  entry->subject->stream = &stream;
  if (before != nullptr) before->on_way = 0;  // the subject has moved
  if (stream.known || asked_ != nullptr) return absl::OkStatus();
  asked_ = &stream;
  asked_until_ = environment_.clock->Monotonic() + kInfoTimeout;
  return client_->Publish(absl::StrCat("$JS.API.STREAM.INFO.", name).c_str(), kInfo, {}, "");
}

absl::Status NatsSink::OnInfo(const nats::Answer& answer) {
  Stream* const stream = std::exchange(asked_, nullptr);
  if (stream == nullptr || answer.nobody) return absl::OkStatus();
  const auto info = nats::ParseStreamInfo(answer.text, client_->address());
  return info.ok() ? Know(*info) : absl::OkStatus();  // it goes on without
}

void NatsSink::Refuse(const absl::Status& error, uint64_t number) {
  if (!refused_.ok() && refused_at_ <= number) return;
  refused_ = error;
  refused_at_ = number;
}

// After a refusal. Nothing is on its way.
absl::Status NatsSink::OnAllAnswered() {
  absl::Status error = std::exchange(refused_, absl::OkStatus());
  Rewind();
  Settle();
  window_ = 1;
  const uint64_t at = refused_at_;
  // The first that was not taken, unless that has another reason: those behind it were out of turn.
  if (std::exchange(any_nobody_, false) && at != first_ && !entries_.empty())
    error = nats::NoStream(entries_.front().subject->name, client_->address());
  if (nats::IsTooLarge(error) && at >= first_ && at < end()) {
    Entry& entry = entries_[at - first_];
    // It may be the header that was too much: it is sent again, as the first.
    return entry.in_turn ? absl::OkStatus() : OnTooLarge(entry, error);
  }
  if (!absl::IsUnavailable(error)) return error;
  if (nats::IsOutOfTurn(error)) {
    // Somebody else writes to the stream: the first is sent without a condition.
    if (++out_of_turn_ > 2) Wait(error, kTurnPause);
    return absl::OkStatus();
  }
  Wait(error, refused_pause_.Next());
  return absl::OkStatus();
}

absl::Status NatsSink::OnTooLarge(Entry& entry, const absl::Status& error) {
  const std::string stream =
      entry.subject->stream == nullptr ? "" : entry.subject->stream->info.name;
  const absl::Status refused = Error(absl::StatusCode::kInvalidArgument, "record_too_large",
                                     absl::StrCat("a record of ", entry.message.size(),
                                                  " bytes with its headers; ", error.message()),
                                     ErrorHint(error));
  if (lone_ && !lone_->fate) {
    lone_->fate = refused;
    entry.state = Entry::State::kTaken;  // there is nothing to send again
    return absl::OkStatus();
  }
  // Its row is not at hand any more: the next sink refuses the record when it comes.
  size_t& least = (*learnt_)[stream];
  least = least == 0 ? entry.message.size() : std::min(least, entry.message.size());
  return Error(absl::StatusCode::kUnavailable, "batch_refused", refused.message(),
               "it begins again from the stored position, and finds the record");
}

absl::Status NatsSink::Send() {
  // What was refused is asked for by one message.
  const size_t most = wait_.why().ok() || nats::IsOutOfTurn(wait_.why()) ? window_ : 1;
  while (refused_.ok() && next_ < end() && on_way_ < most && wait_.MaySend()) {
    Entry& entry = entries_[next_ - first_];
    if (entry.state == Entry::State::kWaits) {
      if (entry.subject->stream == nullptr && on_way_ > 0) break;
      if (HasNoRoomForTurn(entry)) break;
      if (entry.message.size() > max_payload_) {
        if (on_way_ > 0) break;
        return OnTooLarge(entry, nats::TooLarge(client_->address(), max_payload_));
      }
      if (client_->buffered() >= kMostBuffered) {
        RETURN_IF_ERROR(client_->Write());
        if (client_->buffered() >= kMostBuffered) break;
      }
      RETURN_IF_ERROR(Publish(&entry, next_));
    }
    ++next_;
  }
  return wait_.MaySend() ? client_->Write() : absl::OkStatus();
}

// For the header that names the one before it: it goes when nothing else is on its way.
bool NatsSink::HasNoRoomForTurn(const Entry& entry) const {
  const Stream* const stream = entry.subject->stream;
  if (stream == nullptr || stream->on_way == 0) return false;
  const size_t size = entry.message.size() + sizeof(kExpected) + stream->last_id.size() + 3;
  const int64_t most = stream->info.max_message_bytes;
  return size > max_payload_ || (most > 0 && size > static_cast<size_t>(most));
}

absl::Status NatsSink::Publish(Entry* entry, uint64_t number) {
  Stream* const stream = entry->subject->stream;
  headers_.clear();
  entry->message.AppendHeaders(&headers_);
  entry->in_turn = stream != nullptr && stream->on_way > 0;
  if (entry->in_turn) headers_.push_back({kExpected, stream->last_id.c_str()});
  char digits[24];
  const char* const last = absl::numbers_internal::FastIntToBuffer(number, digits);
  RETURN_IF_ERROR(client_->Publish(entry->subject->name.c_str(),
                                   {digits, static_cast<size_t>(last - digits)}, headers_,
                                   entry->message.body()));
  if (on_way_++ == 0) heard_ = environment_.clock->Monotonic();
  entry->state = Entry::State::kSent;
  if (stream == nullptr) return absl::OkStatus();
  ++stream->on_way;
  stream->last_id = entry->message.id();
  return absl::OkStatus();
}

absl::Status NatsSink::CheckAnswered() {
  if (asked_ != nullptr && environment_.clock->Monotonic() > asked_until_) asked_ = nullptr;
  if (on_way_ == 0 && asked_ == nullptr) return absl::OkStatus();
  const absl::Duration longest = options_.server.answer_timeout;
  const absl::Duration left = heard_ + longest - environment_.clock->Monotonic();
  if (left > absl::ZeroDuration() || !wait_.MaySend() || on_way_ == 0) {
    client_->WakeIn(std::clamp(left, kSoon, kLook));
    return absl::OkStatus();
  }
  return Error(absl::StatusCode::kUnavailable, "nats_unavailable",
               absl::StrCat("NATS at ", client_->address(), ": no acknowledgement within ",
                            absl::FormatDuration(longest)),
               "check the server's load; sink.nats-jetstream.async.timeout.ms says how long one is "
               "waited for");
}

absl::Status NatsSink::CheckRights() {
  const absl::Status error = client_->TakeRightError();
  // What streams are like it may do without.
  if (!error.ok() && absl::StrContains(error.message(), "$JS.API.")) {
    asked_ = nullptr;
    return absl::OkStatus();
  }
  return error;
}

// What was not taken is sent again.
void NatsSink::Rewind() {
  for (Entry& entry : entries_) {
    if (entry.state == Entry::State::kSent) entry.state = Entry::State::kWaits;
  }
  for (auto& [name, stream] : streams_) stream.on_way = 0;
  on_way_ = 0;
  next_ = first_;
}

void NatsSink::Settle() {
  if (lone_ && !lone_->fate && asked_ == nullptr && !entries_.empty() &&
      entries_.front().state == Entry::State::kTaken)
    lone_->fate = absl::OkStatus();
  if (lone_ && !lone_->fate) return;
  while (!entries_.empty() && entries_.front().state == Entry::State::kTaken) {
    Entry& entry = entries_.front();
    // Of the lone one its writer is told.
    if (!lone_) settled_.Add(entry.ticket);
    bytes_ -= entry.message.size() + kEntryBytes;
    if (spare_.size() < kMostSpare && entry.message.capacity() <= kSpareBytes)
      spare_.push_back(std::move(entry));
    entries_.pop_front();
    ++first_;
  }
  next_ = std::max(next_, first_);
}

void NatsSink::Wait(const absl::Status& error, absl::Duration pause) {
  wait_.Begin(error, pause, nats::IsOutOfTurn(error));
  client_->WakeIn(pause);
}

void NatsSink::OnTaken() {
  out_of_turn_ = 0;
  window_ = std::min(window_ + 1, most_on_way_);
  refused_pause_.Reset();
  wait_.End();
}

std::string NatsSink::WaitingFor() {
  return wait_.For(absl::StrCat("NATS at ", client_->address(), " to acknowledge"));
}

}  // namespace walduct::sink
