#include "sink/http/http_sender.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "http/easy_options.h"
#include "kafka/send_permit.h"
#include "sink/http/webhook.h"

namespace walduct::sink {
namespace {

constexpr absl::Duration kLook = absl::Seconds(1);
constexpr int kWorthTelling = 3;  // attempts
constexpr absl::Duration kPermitLook = absl::Milliseconds(50);
// While more is sent, what is delivered is told by so many, or so late.
constexpr size_t kToldTogether = 32;
constexpr absl::Duration kToldWithin = absl::Milliseconds(1);
// No receiver may hold a connector longer with one answer.
constexpr absl::Duration kMostAsked = absl::Hours(1);

size_t Discard(char*, size_t size, size_t count, void*) { return size * count; }

}  // namespace

absl::StatusOr<std::unique_ptr<HttpSender>> HttpSender::Create(const HttpSinkOptions& options,
                                                               const Environment& environment) {
  ASSIGN_OR_RETURN(const http::CurlLibrary* const curl, http::CurlLibrary::Load());
  std::unique_ptr<HttpSender> sender(new HttpSender(options, environment, *curl));
  RETURN_IF_ERROR(sender->SetUp());
  return sender;
}

HttpSender::HttpSender(const HttpSinkOptions& options, const Environment& environment,
                       const http::CurlLibrary& curl)
    : options_(options),
      environment_(environment),
      curl_(curl),
      where_(http::WithoutLogin(options.url.text())),
      lanes_(options.in_flight > 1 ? Outgoing::kLanes : 1),
      worker_(mutex_) {}

HttpSender::~HttpSender() {
  stops_ = true;
  if (tokens_ != nullptr) tokens_->Interrupt();
  if (loop_ != nullptr) loop_->Wake();
  worker_.Stop();
  for (const auto& slot : slots_) {
    if (slot->sending) loop_->Remove(slot->easy);
    if (slot->easy != nullptr) curl_.easy_cleanup(slot->easy);
    curl_.slist_free_all(slot->headers);
  }
  // One after the other: a chain of them would end in as many calls.
  for (Lane& lane : lanes_) {
    while (lane.first != nullptr) lane.first = std::move(lane.first->next);
  }
}

absl::Status HttpSender::SetUp() {
  ASSIGN_OR_RETURN(tokens_, Tokens::Create(options_, environment_.clock));
  ASSIGN_OR_RETURN(loop_, http::TransferLoop::Create(curl_));
  for (size_t i = 0; i < options_.in_flight; ++i) {
    slots_.push_back(std::make_unique<Slot>());
    RETURN_IF_ERROR(SetUp(slots_.back().get()));
  }
  return absl::OkStatus();
}

absl::Status HttpSender::SetUp(Slot* slot) {
  slot->easy = curl_.easy_init();
  if (slot->easy == nullptr)
    return Error(absl::StatusCode::kFailedPrecondition, "libcurl_missing",
                 "libcurl does not start");
  loop_->Prepare(slot->easy);
  curl_.easy_setopt(slot->easy, CURLOPT_ERRORBUFFER, slot->error);
  curl_.easy_setopt(slot->easy, CURLOPT_PRIVATE, slot);
  curl_.easy_setopt(slot->easy, CURLOPT_WRITEFUNCTION, &Discard);
  curl_.easy_setopt(slot->easy, CURLOPT_POST, 1L);
  curl_.easy_setopt(slot->easy, CURLOPT_URL, options_.url.text().c_str());
  curl_.easy_setopt(
      slot->easy, CURLOPT_HTTP_VERSION,
      static_cast<long>(options_.http_2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  return http::SetEasyOptions(curl_, slot->easy, ClientOf(options_), slot->error);
}

void HttpSender::Give(std::vector<std::unique_ptr<Outgoing>>* records) {
  bool sleeps = false;
  {
    const MutexLock lock(mutex_);
    for (auto& record : *records) given_.push_back(std::move(record));
    sleeps = std::exchange(sleeps_, false);
  }
  records->clear();
  worker_.Start([this] { Work(); });
  if (sleeps) loop_->Wake();
}

void HttpSender::Halt() {
  if (!halts_.exchange(true)) loop_->Wake();
}

void HttpSender::Resume(uint32_t lane) {
  {
    const MutexLock lock(mutex_);
    resumed_.push_back(lane);
    sleeps_ = false;
  }
  loop_->Wake();
}

void HttpSender::Take(std::vector<Outcome>* outcomes) {
  // Who signals may be stopped right behind it, by the very thread that it wakes: what is readable
  // is drained then, too, and once more with the next look.
  int before = kSignalled;
  if (signalled_.compare_exchange_strong(before, kNot) || before == kSignals) wake_.Drain();
  if (!some_.exchange(false)) return;
  const MutexLock lock(mutex_);
  for (Outcome& outcome : outcomes_) outcomes->push_back(std::move(outcome));
  outcomes_.clear();
}

void HttpSender::RenewPermit() {
  permit_ns_ = absl::ToInt64Nanoseconds(environment_.clock->Monotonic());
}

// A process that was stopped for a while asks first whether it is still the one that writes.
bool HttpSender::MaySend() const {
  if (halts_) return false;
  const int64_t permit = permit_ns_;
  return permit == 0 ||
         environment_.clock->Monotonic() - absl::Nanoseconds(permit) <= kafka::SendPermit::kLease;
}

absl::Status HttpSender::waits() const {
  const MutexLock lock(mutex_);
  return waits_;
}

// What a second attempt mends is not worth a line.
void HttpSender::SetWaits(const absl::Status& why, bool worth_telling) {
  absl::Status before;
  {
    const MutexLock lock(mutex_);
    before = std::exchange(waits_, why);
  }
  const absl::Duration now = environment_.clock->Monotonic();
  if (!why.ok() && before.ok()) waits_since_ = now;
  if (worth_telling && ErrorReason(told_) != ErrorReason(why)) {
    told_ = why;
    log::Warn("the receiver does not take records: they wait",
              {{"error", why.message()}, {"hint", ErrorHint(why)}});
  }
  if (why.ok() && !std::exchange(told_, why).ok())
    log::Info("the receiver takes records again",
              {{"after", absl::FormatDuration(absl::Floor(now - waits_since_, absl::Seconds(1)))}});
}

void HttpSender::Work() {
  while (!stops_) {
    TakeGiven();
    StartAll();
    for (const auto& [easy, code] : loop_->Run(LongestSleep())) {
      Slot* slot = nullptr;
      curl_.easy_getinfo(easy, CURLINFO_PRIVATE, &slot);
      slot->sending = false;
      --sending_;
      OnAnswer(slot, code);
    }
    Publish();
    quiet_ = halts_ && sending_ == 0;
  }
}

void HttpSender::TakeGiven() {
  const MutexLock lock(mutex_);
  sleeps_ = false;
  for (auto& record : given_) {
    Lane& lane = lanes_[record->lane % lanes_.size()];
    Outgoing* const last = record.get();
    last->next.reset();
    if (lane.first == nullptr) {
      lane.first = std::move(record);
      if (!lane.busy) ready_.push_back(&lane);
    } else {
      lane.last->next = std::move(record);
    }
    lane.last = last;
  }
  given_.clear();
  for (const uint32_t number : resumed_) {
    Lane& lane = lanes_[number % lanes_.size()];
    lane.busy = false;
    if (lane.first != nullptr) ready_.push_back(&lane);
  }
  resumed_.clear();
}

void HttpSender::StartAll() {
  const absl::Duration now = environment_.clock->Monotonic();
  if (now < paused_until_ || !MaySend()) return;
  for (const auto& slot : slots_) {
    if (slot->sending || (slot->lane != nullptr && now < slot->again_at)) continue;
    if (slot->lane == nullptr) {
      if (ready_.empty()) continue;
      Fill(slot.get());
    }
    Send(slot.get());
    // A token that was asked for takes its time.
    if (now < paused_until_ || !MaySend()) return;
  }
}

void HttpSender::Fill(Slot* slot) {
  Lane* const lane = ready_.front();
  ready_.pop_front();
  lane->busy = true;
  slot->lane = lane;
  slot->attempts = 0;
  slot->patience.reset();
  size_t most = options_.batch ? options_.batch_most : 1;
  if (lane->singly > 0) {
    --lane->singly;
    most = 1;
  }
  while (lane->first != nullptr && slot->records.size() < most) {
    std::unique_ptr<Outgoing> record = std::move(lane->first);
    lane->first = std::move(record->next);
    // A batch goes to one address.
    if (!slot->records.empty() && record->url != slot->records[0]->url) {
      record->next = std::move(lane->first);
      if (record->next == nullptr) lane->last = record.get();
      lane->first = std::move(record);
      break;
    }
    slot->records.push_back(std::move(record));
  }
  slot->body = slot->records[0]->body();
  if (!options_.batch) return;
  slot->batch = "[";
  for (const auto& record : slot->records)
    absl::StrAppend(&slot->batch, slot->batch.size() > 1 ? "," : "", record->body());
  slot->batch += "]";
  slot->body = slot->batch;
}

// Those of a connector's records are mostly the same.
absl::Status HttpSender::SetHeaders(Slot* slot) {
  const bool plain = options_.login.kind == HttpLogin::Kind::kNone;
  if (plain && slot->headers != nullptr && slot->head == slot->records[0]->head)
    return absl::OkStatus();
  slot->head = slot->records[0]->head;
  curl_.slist_free_all(std::exchange(slot->headers, nullptr));
  const auto add = [&](const char* line) {
    slot->headers = curl_.slist_append(slot->headers, line);
  };
  add("Expect:");
  add(absl::StrCat("Content-Type: ", options_.content_type).c_str());
  const Outgoing& record = *slot->records[0];
  for (size_t at = 0; at < record.head.size(); at = record.head.find('\0', at) + 1)
    add(record.head.c_str() + at);
  if (tokens_ != nullptr) {
    ASSIGN_OR_RETURN(const std::string line, tokens_->Authorization());
    add(line.c_str());
  }
  if (options_.login.kind == HttpLogin::Kind::kStandardWebhooks) {
    const int64_t seconds = absl::ToUnixSeconds(environment_.clock->Now());
    add(absl::StrCat("webhook-id: ", record.id).c_str());
    add(absl::StrCat("webhook-timestamp: ", seconds).c_str());
    add(absl::StrCat("webhook-signature: ",
                     WebhookSignature(options_.login.key, record.id, seconds, slot->body))
            .c_str());
  }
  curl_.easy_setopt(slot->easy, CURLOPT_HTTPHEADER, slot->headers);
  return absl::OkStatus();
}

void HttpSender::Send(Slot* slot) {
  if (const absl::Status set = SetHeaders(slot); !set.ok()) {
    ++slot->attempts;
    if (!stops_) OnPassing(slot, set, true, absl::ZeroDuration());
    return;
  }
  slot->error[0] = '\0';
  const std::string& own = slot->records[0]->url;
  if (!own.empty()) curl_.easy_setopt(slot->easy, CURLOPT_URL, own.c_str());
  curl_.easy_setopt(slot->easy, CURLOPT_POSTFIELDS, slot->body.data());
  curl_.easy_setopt(slot->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                    static_cast<curl_off_t>(slot->body.size()));
  loop_->Add(slot->easy);
  slot->sending = true;
  ++sending_;
}

void HttpSender::OnAnswer(Slot* slot, CURLcode code) {
  ++slot->attempts;
  if (code != CURLE_OK) {
    const absl::string_view text = slot->error[0] != '\0' ? slot->error : curl_.easy_strerror(code);
    const bool one = code == CURLE_OPERATION_TIMEDOUT || code == CURLE_GOT_NOTHING ||
                     code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR ||
                     code == CURLE_HTTP2_STREAM;
    return OnPassing(
        slot,
        Error(absl::StatusCode::kUnavailable, "http_unreachable", absl::StrCat(where_, ": ", text),
              "start the receiver, or check sink.http.url; what was not answered is "
              "sent again"),
        !one, absl::ZeroDuration());
  }
  long status = 0;
  curl_.easy_getinfo(slot->easy, CURLINFO_RESPONSE_CODE, &status);
  const Answer answer = JudgeAnswer(static_cast<int>(status), where_);
  switch (answer.kind) {
    case Answer::Kind::kTaken:
      return OnTaken(slot);
    case Answer::Kind::kPassing: {
      if (status == 401 && tokens_ != nullptr) tokens_->Discard();
      curl_off_t asked = 0;
      curl_.easy_getinfo(slot->easy, CURLINFO_RETRY_AFTER, &asked);
      return OnPassing(slot, answer.status, answer.of_server,
                       std::min(absl::Seconds(asked), kMostAsked));
    }
    case Answer::Kind::kRefused:
      if (answer.certain || slot->attempts >= options_.refused_attempts)
        return OnRefused(slot, answer.status);
      return OnPassing(slot, answer.status, false, absl::ZeroDuration());
  }
}

void HttpSender::OnPassing(Slot* slot, const absl::Status& why, bool of_server,
                           absl::Duration at_least) {
  if (options_.attempts && slot->attempts >= *options_.attempts)
    return OnRefused(
        slot, Error(absl::StatusCode::kInvalidArgument, "attempts_used_up",
                    absl::StrCat(why.message(), ", in ", slot->attempts, " attempts"),
                    absl::StrCat(ErrorHint(why),
                                 "; without sink.http.retries it is waited for, and "
                                 "walduct.errors.exhausted says what becomes of the record")));
  if (!slot->patience)
    slot->patience.emplace(options_.retry_pause, options_.longest_pause, options_.steady_attempts,
                           static_cast<uint64_t>(absl::ToUnixNanos(environment_.clock->Now())));
  const absl::Duration pause =
      at_least > absl::ZeroDuration() ? at_least : slot->patience->After(slot->attempts);
  slot->again_at = environment_.clock->Monotonic() + pause;
  if (of_server) paused_until_ = std::max(paused_until_, slot->again_at);
  SetWaits(why, slot->attempts >= kWorthTelling || pause >= kLook);
}

void HttpSender::OnRefused(Slot* slot, const absl::Status& why) {
  Lane* const lane = slot->lane;
  if (slot->records.size() > 1) {
    // Which of them it means is found out by sending each alone.
    lane->singly = slot->records.size();
    for (auto record = slot->records.rbegin(); record != slot->records.rend(); ++record) {
      if (lane->first == nullptr) lane->last = record->get();
      (*record)->next = std::move(lane->first);
      lane->first = std::move(*record);
    }
    Free(slot);
    return MakeReady(lane);
  }
  made_.push_back({std::move(slot->records[0]), why});
  told_ = absl::OkStatus();
  SetWaits(told_, false);
  Free(slot);  // its lane stays busy until the verdict
}

void HttpSender::OnTaken(Slot* slot) {
  for (auto& record : slot->records) made_.push_back({std::move(record), absl::OkStatus()});
  Lane* const lane = slot->lane;
  if (slot->attempts > 1) SetWaits(absl::OkStatus(), false);
  Free(slot);
  MakeReady(lane);
}

void HttpSender::Free(Slot* slot) {
  slot->records.clear();
  slot->lane = nullptr;
}

void HttpSender::MakeReady(Lane* lane) {
  lane->busy = false;
  if (lane->first != nullptr) ready_.push_back(lane);
}

// To wake the thread that takes them costs more than many a request. Not signalled, they can be
// taken all the same.
void HttpSender::Publish() {
  if (!made_.empty()) {
    if (untold_ == 0) untold_since_ = environment_.clock->Monotonic();
    const bool refused =
        std::ranges::any_of(made_, [](const Outcome& one) { return !one.status.ok(); });
    untold_ += refused ? kToldTogether : made_.size();
    {
      const MutexLock lock(mutex_);
      for (Outcome& outcome : made_) outcomes_.push_back(std::move(outcome));
    }
    made_.clear();
    some_ = true;
  }
  if (untold_ == 0) return;
  const bool goes_on = sending_ > 0 || !ready_.empty();
  if (untold_ < kToldTogether && goes_on &&
      environment_.clock->Monotonic() - untold_since_ < kToldWithin)
    return;
  untold_ = 0;
  signalled_ = kSignals;
  wake_.Signal();
  signalled_ = kSignalled;
}

absl::Duration HttpSender::LongestSleep() {
  const absl::Duration now = environment_.clock->Monotonic();
  absl::Duration most = kLook;
  bool free = false;
  for (const auto& slot : slots_) {
    if (slot->sending) continue;
    if (slot->lane != nullptr) most = std::min(most, std::max(slot->again_at, paused_until_) - now);
    free = free || slot->lane == nullptr;
  }
  if (free && !ready_.empty())
    most = std::min(most, std::max(paused_until_ - now, absl::ZeroDuration()));
  if (!MaySend()) most = std::max(most, kPermitLook);
  if (untold_ > 0) most = std::min(most, kToldWithin);
  idle_.store(free && ready_.empty(), std::memory_order_relaxed);
  {
    const MutexLock lock(mutex_);
    if (!given_.empty() || !resumed_.empty()) most = absl::ZeroDuration();
    // Where all are busy, what is given waits for one of them, and its end wakes this thread.
    sleeps_ = free;
  }
  return most;
}

}  // namespace walduct::sink
