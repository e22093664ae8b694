#include "serve/assignment/one_seat.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "kafka/options.h"

namespace walduct::serve {
namespace {

using admin::WorkerWait;
using kafka::SeatVerdict;
using kafka::SeatView;

constexpr absl::Duration kRenewal = absl::Seconds(10);
constexpr absl::Duration kFirstLine = absl::Seconds(5);
constexpr absl::Duration kRemind = absl::Minutes(1);

// The session's time of a member that is gone, and what a group waits for others.
constexpr absl::string_view kSeatPasses =
    "it passes by itself, within some 15 s of Kafka's first answer as a rule; what runs goes on "
    "meanwhile. Where it lasts over 30 s, look whether the brokers answer, then at the log of the "
    "group's coordinator";

constexpr absl::string_view kOneAddress =
    "Kafka gives it up after session.timeout.ms; if it does not, another worker has the same "
    "address: give each its own rest.advertised.host.name and rest.advertised.port";

std::string Seconds(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Seconds(1)));
}

std::string SinceText(absl::Time since, absl::Duration age) {
  return absl::StrCat("since ", absl::FormatTime("%H:%M:%S UTC", since, absl::UTCTimeZone()), " (",
                      Seconds(age), ")");
}

absl::string_view LineOf(WorkerWait kind, bool serves) {
  switch (kind) {
    case WorkerWait::kKafka:
      return serves ? "Kafka does not answer: the connectors go on as far as they can"
                    : "waiting for Kafka";
    case WorkerWait::kSeat:
      return "waiting: another worker serves the group";
    case WorkerWait::kGroup:
      return "waiting for the seat of the group";
    default:
      return "waiting for the worker's topics";
  }
}

}  // namespace

const std::string& OneSeat::Servers() const { return options_.clients->bootstrap_servers; }

absl::StatusOr<OneSeat::Seat> OneSeat::AskKafka(const kafka::GroupSeat::Options& options) {
  ASSIGN_OR_RETURN(std::shared_ptr<kafka::GroupSeat> seat, kafka::GroupSeat::Ask(options));
  return [seat = std::move(seat)] { return seat->Look(); };
}

absl::Status OneSeat::Ask() {
  if (View()) return absl::OkStatus();
  const kafka::KafkaOptions clients = kafka::WithFreshSecrets(*options_.clients);
  ASSIGN_OR_RETURN(Seat seat,
                   ask_for_({.bootstrap_servers = clients.bootstrap_servers,
                             .java = clients.consumer,
                             .group_id = options_.group_id,
                             .topic = options_.configs.name,
                             .environment = environment_,
                             .member = options_.shares ? options_.url : options_.worker_id,
                             .shares = options_.shares,
                             .timing = options_.timing,
                             .instance = options_.instance,
                             .known = Now(),
                             .on_change = [this] { news_.Signal(); },
                             .on_listed = [this](const kafka::MemberLease& lease) { Take(lease); },
                             .hurries = [this] { return NanosecondsNow() < hurries_until_; }}));
  asked_with_ = clients.consumer;
  const MutexLock lock(mutex_);
  seat_ = std::move(seat);
  return absl::OkStatus();
}

std::optional<SeatView> OneSeat::View() const {
  Seat seat;
  {
    const MutexLock lock(mutex_);
    seat = seat_;
  }
  return seat ? std::optional(seat()) : std::nullopt;
}

SeatView OneSeat::Now() const {
  if (std::optional<SeatView> view = View()) return *std::move(view);
  const MutexLock lock(mutex_);
  return known_;
}

// A member that was alone for long is listed beside others: who asks meanwhile must not see the
// others, and that it was listed long ago.
void OneSeat::Take(const kafka::MemberLease& lease) {
  if (lease.listed_at > -absl::InfiniteDuration())
    listed_at_ = absl::ToInt64Nanoseconds(lease.listed_at);
  others_ = lease.others;
}

kafka::MemberLease OneSeat::Lease() const {
  kafka::MemberLease lease{.others = others_};
  if (const int64_t listed_at = listed_at_; listed_at != kNever)
    lease.listed_at = absl::Nanoseconds(listed_at);
  return lease;
}

void OneSeat::DropSeat() {
  SeatView known = Now();
  known.held = known.answered = false;
  Seat before;  // it leaves the group first
  {
    const MutexLock lock(mutex_);
    if (options_.shares) known_ = std::move(known);
    before = std::exchange(seat_, nullptr);
  }
}

void OneSeat::Leave() {
  if (View()) DropSeat();
}

// A member keeps the password that it was made with.
void OneSeat::RenewSecrets(const SeatView& view) {
  const absl::Duration now = environment_.clock->Monotonic();
  if (view.held || view.answered || now < next_renewal_) return;
  next_renewal_ = now + kRenewal;
  if (kafka::WithFreshSecrets(*options_.clients).consumer == asked_with_) return;
  log::Info("the credentials for Kafka have changed: the group is joined with the new ones");
  DropSeat();
  if (absl::Status asked = Ask(); !asked.ok()) log::Warn(asked.message());
}

absl::Status OneSeat::Refused() const {
  const std::optional<SeatView> view = View();
  return view && absl::IsFailedPrecondition(view->error) && view->foreign ? view->error
                                                                          : absl::OkStatus();
}

SeatVerdict OneSeat::Judge(bool serves, const absl::Status& topics) {
  if (const std::optional<SeatView> before = View()) {
    RenewSecrets(*before);
  } else if (environment_.clock->Monotonic() >= next_renewal_) {
    next_renewal_ = environment_.clock->Monotonic() + kRenewal;
    if (absl::Status asked = Ask(); !asked.ok()) log::Warn(asked.message());
  }
  const SeatView view = Now();
  const absl::Duration now = environment_.clock->Monotonic();
  if (!view.answered)
    answered_since_.reset();
  else if (!answered_since_)
    answered_since_ = now;
  heard_ = heard_ || view.answered;
  const SeatVerdict verdict = VerdictOf(view, now, serves);
  if (verdict == SeatVerdict::kOurs) {
    if (!ours_.exchange(true)) Changed();
  } else if (verdict != SeatVerdict::kHoldOn) {
    if (ours_.exchange(false)) Revoke([] {});
  }
  Wait wait = WaitOf(view, verdict);
  // The seat goes with the topic.
  if (!topics.ok() && (wait.kind == WorkerWait::kNothing || wait.kind == WorkerWait::kGroup)) {
    wait = {.kind = WorkerWait::kTopics,
            .since = shown_ == WorkerWait::kTopics ? shown_since_ : now,
            .message = absl::StrCat("for the worker's topics: ", topics.message()),
            .hint = ErrorHint(topics)};
  }
  Show(serves, wait);
  return verdict;
}

SeatVerdict OneSeat::VerdictOf(const SeatView& view, absl::Duration now, bool serves) const {
  return options_.shares ? JudgeShare(view, now, options_.timing.lease(), serves)
                         : JudgeSeat(view, now);
}

// Alone among those who share, and nobody leads: nothing can be changed, and without a plan nothing
// begins.
bool OneSeat::IsLeaderless(const SeatView& view) const {
  return options_.shares && !view.held && view.others == 0;
}

OneSeat::Wait OneSeat::WaitOf(const SeatView& view, SeatVerdict verdict) const {
  Wait wait;
  // As long as Kafka was away it was Kafka that was waited for.
  const absl::Duration seat_since =
      std::max(view.held_since, answered_since_.value_or(view.held_since));
  if (!view.answered) {
    wait.kind = WorkerWait::kKafka;
    wait.since = view.silent_since;
    // The seat is asked for once the brokers have answered and the topics are there.
    wait.message = heard_ ? absl::StrCat("for Kafka at ", Servers(), ", which does not answer")
                          : absl::StrCat("for the coordinator of the group ", options_.group_id,
                                         ", of which Kafka at ", Servers(),
                                         " has not said anything yet (a first start has it made)");
    if (!view.error.ok() && ErrorReason(view.error) != "broker_unavailable")
      absl::StrAppend(&wait.message, ": ", view.error.message());
    if (verdict == SeatVerdict::kMayBeTaken) {
      absl::StrAppend(&wait.message, "; another worker of the group ", options_.group_id,
                      " may have taken over");
    }
    wait.hint = ErrorHint(view.error);
  } else if (verdict == SeatVerdict::kTaken) {
    wait.kind = WorkerWait::kSeat;
    wait.since = seat_since;
    // "127.0.0.1:8083 at 10.0.0.7"
    const absl::string_view address =
        absl::string_view(view.holder).substr(0, view.holder.find(' '));
    if (!view.foreign && address == options_.worker_id) {
      wait.message = absl::StrCat(
          "for its turn: a worker with this one's own address (", view.holder,
          ") has the seat of the group ", options_.group_id,
          ": as a rule the one before this one, which ended without leaving the group");
      wait.hint = std::string(kOneAddress);
    } else if (options_.shares && absl::IsFailedPrecondition(view.error)) {
      wait.message = absl::StrCat("for its turn: ", view.error.message());
      wait.hint = ErrorHint(view.error);
    } else {
      wait.message = absl::StrCat("for its turn: another worker (",
                                  view.foreign ? "of another kind" : view.holder,
                                  ") serves the group ", options_.group_id, ", or has just ended");
      wait.hint = "stop the other one, or give this one its own group.id and topics";
    }
  } else if (verdict != SeatVerdict::kOurs && options_.shares && kafka::HasTwin(view)) {
    wait.kind = WorkerWait::kGroup;
    wait.since = answered_since_.value_or(view.held_since);
    wait.message = absl::StrCat(
        "for another member of the group ", options_.group_id,
        " to leave it, which has this "
        "one's own address (",
        options_.url,
        ") on another host: as a rule the one before this one, which ended without leaving");
    wait.hint = std::string(kOneAddress);
  } else if (verdict != SeatVerdict::kOurs || IsLeaderless(view)) {
    wait.kind = WorkerWait::kGroup;
    wait.since = seat_since;
    wait.message =
        options_.shares && view.others > 0
            ? absl::StrCat("for the group ", options_.group_id, " to have this worker among its ",
                           view.others + 1, " members")
            : absl::StrCat("for the seat of the group ", options_.group_id,
                           ", which Kafka has given to nobody yet");
    if (!view.error.ok()) absl::StrAppend(&wait.message, ": ", view.error.message());
    wait.hint = view.error.ok() ? std::string(kSeatPasses) : ErrorHint(view.error);
  }
  return wait;
}

void OneSeat::Show(bool serves, const Wait& wait) {
  const absl::Duration now = environment_.clock->Monotonic();
  if (std::exchange(shown_, wait.kind) != wait.kind) {
    if (told_ && wait.kind == WorkerWait::kNothing)
      log::Info("the worker has what it waited for", {{"after", Seconds(now - shown_since_)}});
    shown_since_ = wait.since;
    // What a start goes through in a moment is not worth a line.
    const bool passes = wait.kind == WorkerWait::kGroup || wait.kind == WorkerWait::kTopics ||
                        (wait.kind == WorkerWait::kKafka && wait.hint.empty() && !serves);
    next_line_ = passes ? now + kFirstLine : now;
    told_ = wait.kind != WorkerWait::kNothing && told_;
  }
  board_.Show(serves, wait.kind, environment_.clock->Now() - (now - wait.since), wait.message,
              wait.hint);
  if (wait.kind == WorkerWait::kNothing || now < next_line_) return;
  const std::string lasts = Seconds(now - wait.since);
  if (wait.hint.empty()) {
    log::Warn(LineOf(wait.kind, serves),
              {{"group", options_.group_id}, {"waits", wait.message}, {"for", lasts}});
  } else {
    log::Warn(LineOf(wait.kind, serves), {{"group", options_.group_id},
                                          {"waits", wait.message},
                                          {"for", lasts},
                                          {"hint", wait.hint}});
  }
  told_ = true;
  next_line_ = now + kRemind;
}

void OneSeat::ShowReading() {
  Show(false, {.kind = WorkerWait::kTopics,
               .since = environment_.clock->Monotonic(),
               .message = "for the worker's topics, which it reads",
               .hint = ""});
}

void OneSeat::ShowWaiting(const absl::Status& error) {
  if (IsAway()) {
    Judge(/*serves=*/false);
    return;
  }
  const bool is_away = error.ok() || absl::IsUnavailable(error) || absl::IsDeadlineExceeded(error);
  const WorkerWait kind = is_away ? WorkerWait::kKafka : WorkerWait::kTopics;
  const absl::Duration now = environment_.clock->Monotonic();
  Show(false, {.kind = kind,
               .since = shown_ == kind ? shown_since_ : now,
               .message = absl::StrCat(
                   is_away ? absl::StrCat("for Kafka at ", Servers()) : "for the worker's topics",
                   error.ok() ? "" : ": ", error.message()),
               .hint = ErrorHint(error)});
}

absl::Status OneSeat::Confirmed() const {
  const std::optional<SeatView> view = View();
  if (!view) return absl::AbortedError("The worker is starting, or ends");
  if (!view->answered) {
    const absl::Duration age = environment_.clock->Monotonic() - view->silent_since;
    return Error(absl::StatusCode::kUnavailable, "kafka_away",
                 absl::StrCat("Kafka at ", Servers(), " has been away ",
                              SinceText(environment_.clock->Now() - age, age),
                              ": nothing was stored and nothing is changed. Ask again when it is "
                              "back; walduct status says when"),
                 ErrorHint(view->error));
  }
  const absl::Duration now = environment_.clock->Monotonic();
  if (options_.shares ? VerdictOf(*view, now, ours_) == SeatVerdict::kOurs : view->held)
    return absl::OkStatus();
  return absl::AbortedError(absl::StrCat(
      "Cannot complete request because of a conflicting operation (e.g. worker rebalance): Kafka "
      "has not given the seat of the group ",
      options_.group_id, " back yet. Nothing is changed; ask again in some seconds"));
}

Assignment::Leader OneSeat::leader() const {
  const SeatView view = View().value_or(SeatView());
  return {.self = view.held, .worker = view.held ? "" : view.holder};
}

bool OneSeat::IsAway() const {
  const std::optional<SeatView> view = View();
  return view && !view->answered;
}

}  // namespace walduct::serve
