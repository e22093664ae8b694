#include "nats/admin.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/aside.h"
#include "base/error.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "nats/client.h"
#include "nats/connection.h"
#include "nats/error.h"

namespace walduct::nats {
namespace {

constexpr absl::Duration kAnswerTimeout = absl::Seconds(3);
constexpr int kNoSuchStream = 10059;
// Debezium Server's.
constexpr char kDescription[] =
    "The debezium stream, contains messages which are coming from debezium";

absl::Status Differs(const StreamInfo& there, const NewStream& wanted, absl::string_view address) {
  const auto text = [](const std::vector<std::string>& subjects, bool file) {
    return absl::StrCat("subjects ", absl::StrJoin(subjects, ","), " and storage ",
                        file ? "file" : "memory");
  };
  return AnswerError(10058,
                     absl::StrCat("it is there with ", text(there.subjects, there.file), ", not ",
                                  text(wanted.subjects, wanted.file)),
                     wanted.name, address);
}

// What is not named here has JetStream's defaults.
std::string CreateRequest(const NewStream& wanted) {
  JsonWriter json;
  json.Object().Key("name").Text(wanted.name).Key("description").Text(kDescription);
  json.Key("subjects").Array();
  for (const std::string& subject : wanted.subjects) json.Text(subject);
  json.EndArray().Key("retention").Text("limits").Key("discard").Text("old");
  for (const char* const limit : {"max_consumers", "max_msgs", "max_bytes", "max_msg_size"})
    json.Key(limit).Signed(-1);
  json.Key("max_age").Signed(0).Key("num_replicas").Signed(1);
  json.Key("storage").Text(wanted.file ? "file" : "memory");
  return json.EndObject().text();
}

}  // namespace

struct Admin::Held {
  explicit Held(const NatsLibrary& library) : nats(library) {}
  ~Held() {
    if (connection == nullptr) return;
    nats.natsConnection_Close(connection);
    nats.natsConnection_Destroy(connection);
  }
  const NatsLibrary& nats;
  const std::shared_ptr<Notes> notes = std::make_shared<Notes>();
  natsConnection* connection = nullptr;
};

absl::StatusOr<std::unique_ptr<Admin>> Admin::Connect(const NatsOptions& options,
                                                      const Environment& environment,
                                                      Stopping stopping) {
  ASSIGN_OR_RETURN(const NatsLibrary* const nats, NatsLibrary::Load());
  const auto held = std::make_shared<Held>(*nats);
  const auto connect = [held, options]() -> absl::Status {
    ASSIGN_OR_RETURN(const OptionsPointer made,
                     MakeOptions(options, held->nats, InboxPrefix(), held->notes.get()));
    ASSIGN_OR_RETURN(held->connection, ConnectWith(options, made.get(), held->nats, held->notes));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(RunAside(connect, environment, stopping));
  return std::unique_ptr<Admin>(new Admin(held, AddressOf(options), environment, stopping));
}

Admin::Admin(std::shared_ptr<Held> held, std::string address, const Environment& environment,
             Stopping stopping)
    : held_(std::move(held)),
      address_(std::move(address)),
      environment_(environment),
      stopping_(stopping) {}
Admin::~Admin() = default;

size_t Admin::max_payload() const {
  return static_cast<size_t>(
      std::max<int64_t>(0, held_->nats.natsConnection_GetMaxPayload(held_->connection)));
}

absl::StatusOr<std::string> Admin::Ask(const std::string& subject, const std::string& request) {
  struct Got {
    natsStatus status = NATS_OK;
    std::string answer;
  };
  const auto got = std::make_shared<Got>();
  const auto ask = [held = held_, subject, request, got] {
    natsMsg* message = nullptr;
    got->status = held->nats.natsConnection_RequestString(
        &message, held->connection, subject.c_str(), request.c_str(),
        absl::ToInt64Milliseconds(kAnswerTimeout));
    if (got->status != NATS_OK) return absl::OkStatus();
    got->answer.assign(held->nats.natsMsg_GetData(message),
                       static_cast<size_t>(held->nats.natsMsg_GetDataLength(message)));
    held->nats.natsMsg_Destroy(message);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(RunAside(ask, environment_, stopping_));
  const natsStatus status = got->status;
  if (status == NATS_OK) return std::move(got->answer);
  if (status == NATS_NO_RESPONDERS) return AnswerError(10076, "no JetStream answers", "", address_);
  {
    const MutexLock lock(held_->notes->mutex);
    RETURN_IF_ERROR(RightError(std::exchange(held_->notes->error, ""), address_));
  }
  return Unreachable(address_, absl::StrCat(subject, ": ", held_->nats.natsStatus_GetText(status)));
}

absl::StatusOr<StreamInfo> Admin::Find(const std::string& stream) {
  ASSIGN_OR_RETURN(const std::string answer, Ask(absl::StrCat("$JS.API.STREAM.INFO.", stream), ""));
  auto info = ParseStreamInfo(answer, address_);
  if (!info.ok() && absl::StrContains(info.status().message(), absl::StrCat("(", kNoSuchStream)))
    return Error(absl::StatusCode::kNotFound, "nats_no_stream",
                 absl::StrCat("NATS at ", address_, ": there is no stream ", stream),
                 "nats stream add, or sink.nats-jetstream.create-stream=true");
  return info;
}

absl::StatusOr<std::vector<std::string>> Admin::NamesFor(absl::string_view subject) {
  ASSIGN_OR_RETURN(const std::string answer,
                   Ask("$JS.API.STREAM.NAMES",
                       JsonWriter().Object().Key("subject").Text(subject).EndObject().text()));
  return ParseNames(answer, address_);
}

absl::StatusOr<StreamInfo> Admin::Create(const NewStream& wanted) {
  auto there = Find(wanted.name);
  if (there.ok()) {
    std::vector<std::string> mine = wanted.subjects, its = there->subjects;
    std::sort(mine.begin(), mine.end());
    std::sort(its.begin(), its.end());
    if (mine != its || there->file != wanted.file) return Differs(*there, wanted, address_);
    return there;
  }
  if (!absl::IsNotFound(there.status())) return there;
  ASSIGN_OR_RETURN(const std::string answer,
                   Ask(absl::StrCat("$JS.API.STREAM.CREATE.", wanted.name), CreateRequest(wanted)));
  return ParseStreamInfo(answer, address_);
}

}  // namespace walduct::nats
