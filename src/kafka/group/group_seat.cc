#include "kafka/group/group_seat.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/freed_by.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "kafka/error.h"

namespace walduct::kafka {
namespace {

using PartitionsPtr = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                      FreedBy<rd_kafka_topic_partition_list_destroy>>;
using GroupsPtr = std::unique_ptr<const rd_kafka_group_list, FreedBy<rd_kafka_group_list_destroy>>;
using MessagePtr = std::unique_ptr<rd_kafka_message_t, FreedBy<rd_kafka_message_destroy>>;
using QueuePtr = std::unique_ptr<rd_kafka_queue_t, FreedBy<rd_kafka_queue_destroy>>;

constexpr int kPollMs = 100;
constexpr int kLeavePolls = 20;
// A broker that hangs holds the answers of all others back for so long.
constexpr int kAnswerMs = 3000;
constexpr int kSharingAnswerMs = 1500;
// Between two questions who has the seat.
constexpr absl::Duration kAtRest = absl::Seconds(10);
constexpr absl::Duration kElse = absl::Seconds(1);
constexpr absl::Duration kSharing = absl::Milliseconds(500);
// The same of one that has just joined, and is not listed yet: what it is given waits for that. And
// where a member is about to leave.
constexpr absl::Duration kJoining = absl::Milliseconds(100);
constexpr absl::Duration kJoiningLasts = absl::Seconds(5);
constexpr size_t kOwnIds = 64;
// More than a session and a rebalance take.
constexpr absl::Duration kStuckAfter = absl::Seconds(30);

constexpr GroupTiming kOfOneSeat{.session = absl::Seconds(10), .heartbeat = absl::Seconds(3)};

// A newcomer takes nothing from who has it: so assigns cooperative-sticky.
absl::StatusOr<Properties> MemberProperties(const GroupSeat::Options& options) {
  ASSIGN_OR_RETURN(Properties properties, TranslateProperties(options.java));
  properties["group.id"] = options.group_id;
  properties["partition.assignment.strategy"] = "cooperative-sticky";
  const auto put = [&properties](const char* name, absl::Duration value) {
    properties[name] = absl::StrCat(absl::ToInt64Milliseconds(value));
  };
  const GroupTiming timing = options.shares ? options.timing : kOfOneSeat;
  put("session.timeout.ms", timing.session);
  put("heartbeat.interval.ms", timing.heartbeat);
  // Whatever the file says of other consumers: the margin is that of the classic protocol.
  for (const char* name : {"group.protocol", "group.remote.assignor", "max.poll.interval.ms"})
    properties.erase(name);
  properties["enable.auto.commit"] = "false";
  properties["auto.offset.reset"] = "latest";
  properties["allow.auto.create.topics"] = "false";
  if (options.shares) properties.erase("client.id");
  if (!options.instance.empty()) properties["group.instance.id"] = options.instance;
  if (!options.member.empty()) properties.try_emplace("client.id", options.member);
  return properties;
}

// The coordinator is not to be had now: nothing was said of the group.
bool IsSilence(int code) {
  return IsConnectionError(code) || code == RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE ||
         code == RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS ||
         code == RD_KAFKA_RESP_ERR_NOT_COORDINATOR || code == RD_KAFKA_RESP_ERR__PARTIAL ||
         code == RD_KAFKA_RESP_ERR__DESTROY;
}

absl::string_view OrEmpty(const char* text) { return text == nullptr ? "" : text; }

// "worker2:8083 at 10.0.0.5"
std::string NameOf(const rd_kafka_group_member_info& member) {
  const absl::string_view host = absl::StripPrefix(OrEmpty(member.client_host), "/");
  return absl::StrCat(OrEmpty(member.client_id), host.empty() ? "" : " at ", host);
}

absl::string_view AssignmentOf(const rd_kafka_group_member_info& member) {
  if (member.member_assignment == nullptr || member.member_assignment_size <= 0) return "";
  return {static_cast<const char*>(member.member_assignment),
          static_cast<size_t>(member.member_assignment_size)};
}

}  // namespace

GroupSeat::GroupSeat(const Options& options, Properties properties)
    : bootstrap_servers_(options.bootstrap_servers),
      properties_(std::move(properties)),
      group_id_(options.group_id),
      topic_(options.topic),
      shares_(options.shares),
      timing_(options.shares ? options.timing : kOfOneSeat),
      instance_(options.instance),
      on_change_(options.on_change),
      on_listed_(options.on_listed),
      hurries_(options.hurries),
      environment_(options.environment),
      clock_(*environment_.clock),
      next_question_(clock_.Monotonic()),
      first_trouble_(absl::InfiniteDuration()) {
  view_.held_since = view_.silent_since = clock_.Monotonic();
  view_.others = options.known.others;
  view_.holder = options.known.holder;
  view_.members = options.known.members;
  view_.listed_at = options.known.listed_at;
}

absl::StatusOr<std::unique_ptr<GroupSeat>> GroupSeat::Ask(const Options& options) {
  ASSIGN_OR_RETURN(Properties properties, MemberProperties(options));
  std::unique_ptr<GroupSeat> seat(new GroupSeat(options, std::move(properties)));
  RETURN_IF_ERROR(seat->Join());
  seat->thread_ = std::thread([raw = seat.get()] { raw->Run(); });
  seat->asker_ = std::thread([raw = seat.get()] { raw->AskOn(); });
  return seat;
}

absl::Status GroupSeat::Join() {
  ASSIGN_OR_RETURN(Client made,
                   Client::Create(Client::Role::kConsumer, bootstrap_servers_, properties_));
  rd_kafka_t* const handle = made.handle();
  rd_kafka_poll_set_consumer(handle);
  const PartitionsPtr topics(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(topics.get(), topic_.c_str(), RD_KAFKA_PARTITION_UA);
  const rd_kafka_resp_err_t error = rd_kafka_subscribe(handle, topics.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return KafkaError(error, absl::StrCat("group ", group_id_));
  const MutexLock lock(mutex_);
  client_ = std::make_shared<Client>(std::move(made));
  joined_ = clock_.Monotonic();
  return absl::OkStatus();
}

std::shared_ptr<Client> GroupSeat::client() const {
  const MutexLock lock(mutex_);
  return client_;
}

GroupSeat::~GroupSeat() {
  ends_ = true;
  Interrupt();
  if (thread_.joinable()) thread_.join();
  const std::shared_ptr<Client> last = client();
  if (last) Leave();
  if (asker_.joinable()) asker_.join();
  if (last) rd_kafka_consumer_close(last->handle());
}

// The poll that waits returns.
void GroupSeat::Interrupt() {
  if (const std::shared_ptr<Client> member = client()) {
    const QueuePtr queue(rd_kafka_queue_get_consumer(member->handle()));
    if (queue) rd_kafka_queue_yield(queue.get());
  }
}

void GroupSeat::Changed() const {
  if (on_change_) on_change_();
}

// Closing alone would not say goodbye: librdkafka gives the partition back first, and is gone by
// then. Whoever is next would wait for the session's end. One with a name of its own does not say
// goodbye: it comes back.
void GroupSeat::Leave() {
  if (!instance_.empty()) return;
  rd_kafka_t* const handle = client()->handle();
  rd_kafka_unsubscribe(handle);
  for (int polls = 0; polls < kLeavePolls && (held_ || polls < 2); ++polls) {
    const MessagePtr message(rd_kafka_consumer_poll(handle, kPollMs));
    LookAtAssignment();
  }
}

SeatView GroupSeat::Look() const {
  const MutexLock lock(mutex_);
  SeatView view = view_;
  view.held = held_;
  return view;
}

void GroupSeat::Run() {
  while (!ends_) {
    if (IsStuck()) JoinAnew();
    const MessagePtr message(rd_kafka_consumer_poll(client()->handle(), kPollMs));
    if (message != nullptr && message->err == RD_KAFKA_RESP_ERR__FATAL) {
      std::array<char, 512> why{};
      OnError(rd_kafka_fatal_error(client()->handle(), why.data(), why.size()), why.data());
    } else if (message != nullptr && message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      OnError(message->err, rd_kafka_message_errstr(message.get()));
    }
    LookAtMemberId();
    LookAtAssignment();
  }
}

// Another member's seat is waited for as long as it takes. Who shares is to be listed, seat or not.
bool GroupSeat::IsStuck() const {
  const MutexLock lock(mutex_);
  const absl::Duration now = clock_.Monotonic();
  if (shares_) return !view_.foreign && now - std::max(joined_, view_.listed_at) >= kStuckAfter;
  const absl::Duration since = now - std::max(joined_, view_.held_since);
  const bool waits = view_.foreign || (view_.answered && !view_.holder.empty());
  return !held_ && !waits && since >= kStuckAfter;
}

// What is known of the group stays known: the member's ids, and since when there is no seat.
void GroupSeat::JoinAnew() {
  const std::shared_ptr<Client> before = client();
  Leave();
  if (const absl::Status joined = Join(); !joined.ok()) {
    log::Warn("the group cannot be joined anew", {{"error", std::string(joined.message())}});
    const MutexLock lock(mutex_);
    joined_ = clock_.Monotonic();
    return;
  }
  log::Debug("no seat and no answer: the group is joined anew", {{"group", group_id_}});
  rd_kafka_consumer_close(before->handle());
}

void GroupSeat::LookAtMemberId() {
  const std::shared_ptr<Client> member = client();
  char* const found = rd_kafka_memberid(member->handle());
  if (found == nullptr) return;
  const std::string id = found;
  rd_kafka_mem_free(member->handle(), found);
  const MutexLock lock(mutex_);
  if (id.empty() || absl::c_linear_search(own_ids_, id)) return;
  if (own_ids_.size() == kOwnIds) own_ids_.erase(own_ids_.begin());
  own_ids_.push_back(id);
}

void GroupSeat::LookAtAssignment() {
  const std::shared_ptr<Client> member = client();
  rd_kafka_topic_partition_list_t* list = nullptr;
  if (rd_kafka_assignment(member->handle(), &list) != RD_KAFKA_RESP_ERR_NO_ERROR) return;
  const PartitionsPtr assigned(list);
  bool first = false;
  for (int i = 0; i < assigned->cnt; ++i) first = first || assigned->elems[i].partition == 0;
  if (held_ == first) return;
  // What is written to the topic does not concern us.
  if (first) rd_kafka_pause_partitions(member->handle(), assigned.get());
  {
    const MutexLock lock(mutex_);
    view_.held_since = next_question_ = clock_.Monotonic();
    view_.holder.clear();
    view_.foreign = false;
    if (first) view_.error = absl::OkStatus();
    held_ = first;
  }
  Changed();
}

void GroupSeat::AskOn() {
  while (!ends_) {
    if (UntilNextQuestion() <= absl::ZeroDuration()) {
      AskWhoHasIt();
    } else {
      environment_.poller->WaitReadable({}, absl::Milliseconds(kPollMs));
    }
  }
}

absl::Duration GroupSeat::UntilNextQuestion() const {
  const bool hurries = hurries_ && hurries_();
  const MutexLock lock(mutex_);
  const absl::Duration next =
      hurries ? std::min(next_question_, last_question_ + kJoining) : next_question_;
  return next - clock_.Monotonic();
}

// Not by the calls of the admin interface, though they would not block: what they ask of a
// coordinator can end the process when its connection breaks (an assertion of librdkafka 2.15,
// "eonce->refcnt > 0"; seen after nine minutes of questions to a broker that was away).
void GroupSeat::AskWhoHasIt() {
  const absl::Duration asked_at = clock_.Monotonic();
  {
    const MutexLock lock(mutex_);
    const bool joins = view_.listed_at < joined_ && asked_at - joined_ < kJoiningLasts;
    const absl::Duration sharing = joins ? kJoining : kSharing;
    last_question_ = asked_at;
    next_question_ = asked_at + (shares_ ? sharing : held_ ? kAtRest : kElse);
  }
  const std::shared_ptr<Client> member = client();
  const rd_kafka_group_list* list = nullptr;
  const rd_kafka_resp_err_t error = rd_kafka_list_groups(member->handle(), group_id_.c_str(), &list,
                                                         shares_ ? kSharingAnswerMs : kAnswerMs);
  const GroupsPtr groups(list);
  const bool some = error == RD_KAFKA_RESP_ERR__PARTIAL;
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR && !some) return NotHeard(error);
  const bool found = groups != nullptr && groups->group_cnt > 0;
  // It has no members, or is a broker's that has not answered.
  if (!found && some) return NotHeard(error);
  const rd_kafka_group_info none{};
  const rd_kafka_group_info& group = found ? groups->groups[0] : none;
  if (group.err != RD_KAFKA_RESP_ERR_NO_ERROR) return NotHeard(group.err);
  // The coordinator's error is lost when another broker answers after it: such an answer does not
  // prove that a member is alone.
  if (shares_ && group.member_cnt == 0 && WasListed())
    return NotHeard(RD_KAFKA_RESP_ERR__TIMED_OUT);
  TakeMembers(group, asked_at);
}

bool GroupSeat::WasListed() const {
  const MutexLock lock(mutex_);
  return view_.listed_at > -absl::InfiniteDuration();
}

void GroupSeat::TakeMembers(const rd_kafka_group_info& group, absl::Duration asked_at) {
  Heard();
  LookAtMemberId();  // the answer may be about one that this member has only just got
  bool changed = false;
  {
    const MutexLock lock(mutex_);
    changed = TakeMembersLocked(group, asked_at);
  }
  if (changed) Changed();
}

bool GroupSeat::TakeMembersLocked(const rd_kafka_group_info& group, absl::Duration asked_at) {
  const std::vector<GroupMember> before = std::exchange(view_.members, {});
  view_.others = 0;
  view_.holder.clear();
  for (int i = 0; i < group.member_cnt; ++i) {
    const rd_kafka_group_member_info& one = group.members[i];
    const bool self = absl::c_linear_search(own_ids_, OrEmpty(one.member_id));
    view_.members.push_back({.client = std::string(OrEmpty(one.client_id)),
                             .self = self,
                             .host = std::string(OrEmpty(one.client_host))});
    if (self) view_.listed_at = asked_at;
    if (self && shares_) view_.foreign = false;
    if (self) continue;
    ++view_.others;
    if (AssignsSeat(AssignmentOf(one), topic_)) view_.holder = NameOf(one);
  }
  // Its end is heard by the assignment; and a broker lists all of its groups.
  if (!view_.holder.empty() && !shares_) next_question_ = clock_.Monotonic() + kAtRest;
  if (on_listed_) on_listed_({.listed_at = view_.listed_at, .others = view_.others});
  return view_.members != before;
}

void GroupSeat::Heard() {
  const MutexLock lock(mutex_);
  if (!view_.answered || held_) view_.error = absl::OkStatus();
  view_.answered = true;
  answered_at_ = clock_.Monotonic();
  first_trouble_ = absl::InfiniteDuration();
}

void GroupSeat::NotHeard(int code) {
  if (!IsSilence(code)) {
    Heard();
    return OnError(code, rd_kafka_err2str(static_cast<rd_kafka_resp_err_t>(code)));
  }
  const absl::Duration now = clock_.Monotonic();
  const MutexLock lock(mutex_);
  if (view_.answered) {
    // One that shares works without the seat: when that was lost says nothing of Kafka.
    view_.silent_since = SilentSince({.now = now,
                                      .answered = answered_at_,
                                      .trouble = first_trouble_,
                                      .lost = held_ || shares_ ? now : view_.held_since});
  }
  view_.answered = false;
  // Who was refused hears nothing more than that the broker went.
  if (absl::IsUnauthenticated(view_.error) || ErrorReason(view_.error) == "kafka_tls_failed")
    return;
  view_.error = KafkaError(code, absl::StrCat("no answer from Kafka at ", bootstrap_servers_));
}

void GroupSeat::OnError(int code, const char* text) {
  const auto error = static_cast<rd_kafka_resp_err_t>(code);
  if (IsConnectionError(error)) {
    // Perhaps one broker of several: the question tells.
    const absl::Duration now = clock_.Monotonic();
    const MutexLock lock(mutex_);
    next_question_ = std::min(next_question_, now + kElse);
    first_trouble_ = std::min(first_trouble_, now);
    return;
  }
  const MutexLock lock(mutex_);
  if (error == RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL) {
    view_.foreign = !held_;
    view_.error = Error(absl::StatusCode::kFailedPrecondition, "group_in_use",
                        absl::StrCat("the group ", group_id_,
                                     " has members of another kind, such as workers of Kafka "
                                     "Connect: two would run the same connectors"),
                        "stop the workers of Kafka Connect first, or give this one its own "
                        "group.id and topics");
  } else if (error == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID) {
    view_.foreign = true;
    view_.error = Error(absl::StatusCode::kFailedPrecondition, "group_in_use",
                        absl::StrCat("another worker of the group ", group_id_,
                                     " has walduct.group.instance.id=", instance_,
                                     ", too, and has taken this one's place"),
                        "give each worker an instance id of its own, such as its host's name");
  } else if (error == RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT) {
    view_.foreign = !held_;
    view_.error = SessionRefused(group_id_, timing_, shares_, {});
  } else {
    view_.error = KafkaError(error, absl::StrCat("group ", group_id_, ": ", text));
  }
}

}  // namespace walduct::kafka
