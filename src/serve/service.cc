#include "serve/service.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/log.h"
#include "base/shell_word.h"
#include "base/status_macros.h"
#include "engine/control/status_board.h"
#include "engine/errors/error_policy.h"
#include "names/called.h"
#include "operate/commands/version.h"
#include "postgres/sender_timeout.h"
#include "serve/load_worker.h"
#include "serve/topics/topic_formats.h"
#include "serve/topics/unconfigured.h"

namespace walduct::serve {
namespace {

constexpr absl::Duration kLook = absl::Milliseconds(200);
constexpr absl::Duration kTurn = absl::Milliseconds(20);
constexpr absl::Duration kRetry = absl::Seconds(5);
// Until the topics' ends; one that takes longer is read later.
constexpr absl::Duration kFollows = absl::Seconds(3);
// A lost host's slots are free by the time that its connectors have another worker.
constexpr absl::Duration kSenderTimeout = absl::Seconds(8);
constexpr absl::Duration kComparison = absl::Seconds(1);

// "property 'x': …", where another value mends it; empty: it names none, or one that is a secret,
// or a reference, whose target is to be mended.
absl::string_view NamedIn(absl::string_view refusal) {
  const std::vector<absl::string_view> parts = absl::StrSplit(refusal, absl::MaxSplits('\'', 2));
  const bool named = parts.size() == 3 && parts[0] == "property ";
  const bool refers = absl::StrContains(refusal, "${") || absl::StrContains(refusal, "password") ||
                      absl::StrContains(refusal, "secret");
  return named && !refers ? parts[1] : "";
}

}  // namespace

Service::Service(WorkerOptions options, const config::LoadRequest& request,
                 absl::string_view log_level, const Environment& environment,
                 engine::Connectors* connectors, engine::StopSignal* stop)
    : options_(std::move(options)),
      environment_(environment),
      stop_(*stop),
      board_(options_.group_id, *environment_.clock),
      seat_(options_, board_, environment_),
      topics_(options_, environment_, [this] { return seat_.IsAway(); }),
      shared_({.topics = &topics_,
               .environment = environment_,
               .group = options_.group_id,
               .url = options_.url,
               .timing = options_.timing,
               .view = [this] { return seat_.Now(); },
               .confirmed = [this] { return seat_.Confirmed(); },
               .weights = [this] { return worker_.Weights(); },
               .lease = [this] { return seat_.Lease(); },
               .changes = [this] { return worker_.changes(); },
               .ends_soon = [this] { seat_.Hurry(); }}),
      loader_(request, WorkerUrl(options_), environment_),
      operations_(
          &loader_, connectors, environment_,
          [this](const std::string& connector, const std::string& server) {
            return worker_.SlotsOfOthers(connector, server);
          },
          [this](const std::string& connector, const std::string& database) {
            return worker_.PublicationsOfOthers(connector, database);
          }),
      keys_(options_.session, *environment_.clock),
      worker_({.topics = &topics_,
               .assignment = options_.shares ? static_cast<Assignment*>(&shared_) : &seat_,
               .connectors = connectors,
               .environment = environment_,
               .group = options_.group_id,
               .worker_id = options_.worker_id,
               .version = operate::LibraryVersions().debezium,
               .loader = &loader_,
               .keys = &keys_}),
      resting_(worker_, *connectors, loader_),
      pages_({.connectors = connectors,
              .clock = environment_.clock,
              .configs = {},
              .worker = options_.worker_id,
              .known = [this] { return Known(); },
              .board = &board_}),
      connect_({.worker = &worker_,
                .topics = &topics_,
                .pages = &pages_,
                .clock = environment_.clock,
                .loader = &loader_,
                .operations = &operations_,
                .resting = &resting_,
                .board = &board_,
                .log_level = absl::AsciiStrToUpper(log_level),
                .url = options_.url,
                .between = {.keys = &keys_, .tls = options_.between}}) {
  if (options_.shares) board_.ShowGroup([this] { return shared_.View(); });
}

absl::Status Service::Listen(const Front& front) {
  for (const access::ListenerOptions& one : options_.listeners) {
    handlers_.push_back(std::make_unique<AccessHandler>(connect_, *environment_.clock,
                                                        options_.access, one.listens));
    if (one.listens != access::Listens::kAdminOnly) handlers_.push_back(front(*handlers_.back()));
    auto listener = http::Listener::Open(one.address, handlers_.back().get(), one.tls.get());
    if (!listener.ok()) return listener.status();
    listeners_.push_back(*std::move(listener));
    log::Info("listening", {{"address", listeners_.back()->address().ToString()},
                            {"tls", one.tls == nullptr ? "no" : "yes"}});
  }
  return absl::OkStatus();
}

std::vector<http::Address> Service::addresses() const {
  std::vector<http::Address> addresses;
  for (const auto& listener : listeners_) addresses.push_back(listener->address());
  return addresses;
}

absl::Status Service::Run(const std::function<void()>& watch) {
  if (options_.shares) postgres::AskForSenderTimeout(kSenderTimeout);
  seat_.ShowWaiting(absl::OkStatus());
  worker_.Start();
  absl::Status ended;
  while (ended.ok() && !stop_.requested()) {
    ended = TakeTurn();
    if (ended.ok()) Serve(watch);
  }
  if (served_) log::Info("stopping");
  worker_.Stop();
  if (served_) log::Info("stopped");
  return ended;
}

std::optional<engine::ConnectorError> Service::RefusedOf(const std::string& name) const {
  const std::optional<Runner::Failure> failure = worker_.FailureOf(name);
  if (!failure) return std::nullopt;
  const names::Called called{.who = ShellWord(name), .where = options_.url, .name = name};
  const absl::string_view property = NamedIn(failure->why);
  return engine::ConnectorError{
      .at = failure->at,
      .message =
          absl::StrCat("it cannot be loaded: ", absl::StrReplaceAll(failure->why, {{"\n", "; "}})),
      .reason = "configuration_refused",
      .hint = absl::StrCat(
          "put right what it names",
          property.empty()
              ? ""
              : absl::StrCat(": ", names::SetCommand(called, absl::StrCat(property, "=VALUE"))),
          "; after a change of a file, or of the machine: ", names::RestartCommand(called)),
      .change = {}};
}

// The seat goes at once: until the others know, nobody runs what this worker had. One with a name
// of its own comes back to what it had.
void Service::Leave() {
  worker_.Leave();
  if (!options_.shares) return;
  if (options_.instance.empty()) shared_.HandOver();
  seat_.Leave();
}

// Connectors of other classes have no version.
std::vector<admin::IdleConnector> Service::Known() const {
  std::vector<admin::IdleConnector> all;
  for (const std::string& name : worker_.Names()) {
    if (worker_.assignment().WhereIs(name)) continue;  // that worker tells of it
    const std::optional<StatusView> view = worker_.StatusOf(name);
    if (view && !view->version.empty())
      all.push_back({.name = name, .state = view->state, .refused = RefusedOf(name)});
  }
  return all;
}

// Until the group's seat is ours and it is known what is to run. What ends a first turn passes
// later: it went well once.
absl::Status Service::TakeTurn() {
  while (!stop_.requested()) {
    const absl::Status taken = TryTurn();
    if (taken.ok() || absl::IsCancelled(taken)) return taken;
    const engine::Phase phase = served_ ? engine::Phase::kRunning : engine::Phase::kStarting;
    if (engine::ActionFor(taken, phase) == engine::Action::kFail) return taken;
    seat_.ShowWaiting(taken);
    Wait(kRetry);
  }
  return absl::CancelledError();
}

absl::Status Service::TryTurn() {
  RETURN_IF_ERROR(topics_.Prepare());
  if (options_.shares && !served_) RETURN_IF_ERROR(topics_.CheckSession());
  // Who shares reads before it is a member: connectors that the leader gives to a member have ended
  // elsewhere, and nobody reads them until it begins. What is written after that it is told.
  if (options_.shares) RETURN_IF_ERROR(Follow());
  const bool told = options_.shares && plan_read_ && states_read_;
  if (told) RETURN_IF_ERROR(worker_.ReadAhead());
  RETURN_IF_ERROR(seat_.Ask());
  RETURN_IF_ERROR(AwaitSeat());
  seat_.ShowReading();
  if (!told) RETURN_IF_ERROR(worker_.ReadAhead());
  worker_.Open();
  RETURN_IF_ERROR(worker_.RenewSession());
  served_ = true;
  Judge(/*serves=*/true);
  connect_.Open(topics_.ClusterId());
  log::Info("serving", {{"group", options_.group_id}, {"connectors", worker_.Names().size()}});
  LookForUnconfigured();
  return absl::OkStatus();
}

// Not to be ready for it would be to cry wolf: positions outlive connectors that are deleted.
void Service::LookForUnconfigured() {
  board_.ShowWarning(std::nullopt);
  if (!worker_.Names().empty()) return;
  const absl::StatusOr<std::vector<std::string>> names = Unconfigured(topics_);
  if (!names.ok()) {
    log::Warn(absl::StrCat("no connector is configured; whether the offset topic has positions of "
                           "some could not be read: ",
                           names.status().message()),
              {{"reason", ErrorReason(names.status())}, {"hint", ErrorHint(names.status())}});
    return;
  }
  if (names->empty()) return;
  const absl::Status told =
      UnconfiguredError(*names, options_, topics_.SimilarTo(InternalTopic::kConfigs));
  log::Warn(told.message(), {{"reason", ErrorReason(told)}, {"hint", ErrorHint(told)}});
  board_.ShowWarning(admin::WorkerWarning{.reason = ErrorReason(told),
                                          .message = std::string(told.message()),
                                          .hint = ErrorHint(told)});
}

// Before the topics are read, so that nothing that is written meanwhile is missed.
absl::Status Service::Follow() {
  plan_read_ = states_read_ = false;
  RETURN_IF_ERROR(
      topics_.Follow([this](const InternalTopics::Followed& record) { OnFollowed(record); }));
  const absl::Duration end = environment_.clock->Monotonic() + kFollows;
  while (!stop_.requested() && !(plan_read_ && states_read_) && !seat_.IsAway() &&
         environment_.clock->Monotonic() < end)
    Wait(kTurn);
  return absl::OkStatus();
}

void Service::OnFollowed(const InternalTopics::Followed& record) {
  const bool configs = record.topic == InternalTopic::kConfigs;
  if (!record.key) {
    (configs ? plan_read_ : states_read_) = true;
    if (plan_read_ && states_read_) shared_.BeCaughtUp();
  } else if (!configs) {
    shared_.TakeStatus(*record.key, record.value);
    worker_.FollowStatus(*record.key, record.value);
  } else if (*record.key == kAssignmentKey) {
    if (record.value) shared_.TakePlan(*record.value, record.caught_up);
  } else if (*record.key == kSessionKey) {
    worker_.FollowSession(record.value, record.caught_up);
  } else if (const auto restarted = NameOfRestart(*record.key); restarted && record.value) {
    if (record.caught_up) worker_.FollowRestart(*restarted, *record.value);
  } else if (const ConfigRecordName name = NameOfConfigRecord(*record.key);
             name.kind == ConfigRecordKind::kLogger) {
    if (record.value && record.caught_up) connect_.FollowLogger(name.name, *record.value);
  } else if (record.caught_up) {
    worker_.FollowConfigs(*record.key, record.value);
  }
}

void Service::WaitForNews(absl::Duration wait) {
  environment_.poller->WaitReadable({stop_.fd(), seat_.news_fd()}, wait);
  seat_.DrainNews();
}

kafka::SeatVerdict Service::Judge(bool serves, const absl::Status& topics) {
  const kafka::SeatVerdict verdict = seat_.Judge(serves, topics);
  if (options_.shares) {
    const bool works =
        verdict == kafka::SeatVerdict::kOurs || verdict == kafka::SeatVerdict::kHoldOn;
    shared_.Turn(serves && works);
  }
  return verdict;
}

absl::Status Service::AwaitSeat() {
  while (!stop_.requested()) {
    if (seat_.Judge(/*serves=*/false) == kafka::SeatVerdict::kOurs) return absl::OkStatus();
    RETURN_IF_ERROR(seat_.Refused());
    WaitForNews(options_.shares ? kTurn : kLook);
  }
  return absl::CancelledError();
}

// Until a stop is asked for, or the seat is another worker's: then nothing of ours runs.
void Service::Serve(const std::function<void()>& watch) {
  while (!stop_.requested()) {
    const kafka::SeatVerdict verdict = Judge(/*serves=*/true, worker_.TopicsTrouble());
    if (verdict == kafka::SeatVerdict::kTaken || verdict == kafka::SeatVerdict::kMayBeTaken) {
      connect_.Close();
      Judge(/*serves=*/false);
      log::Warn(
          "the group's seat is another worker's now, or may be: all connectors are stopped "
          "here",
          {{"group", options_.group_id}});
      board_.ShowWarning(std::nullopt);
      worker_.Forget();
      resting_.Look();
      return;
    }
    if (const absl::Duration now = environment_.clock->Monotonic(); now >= next_comparison_) {
      next_comparison_ = now + kComparison;
      resting_.Look();
      if (!worker_.Names().empty()) board_.ShowWarning(std::nullopt);
      watch();
    }
    WaitForNews(kLook);
  }
}

}  // namespace walduct::serve
