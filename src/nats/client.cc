#include "nats/client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/wake.h"
#include "nats/connection.h"

namespace walduct::nats {
namespace {

// Answers that nobody has taken yet: as many as messages can be on their way.
constexpr int kMostAnswers = 65536;

}  // namespace

// One connection, and the thread that makes it. The thread may outlive the client.
//
// Over TLS libnats waits for the rest of a record, whatever its event loop says. There the thread
// that has made the connection reads and writes, too, and ours does not touch the connection while
// that writes (busy).
struct Attempt {
  explicit Attempt(const NatsLibrary& library) : nats(library) {}
  ~Attempt() {
    if (subscription != nullptr) nats.natsSubscription_Destroy(subscription);
    if (connection != nullptr) End();
    if (socket >= 0) close(socket);
  }
  void End() {
    // libnats would await an answer to what is in its buffer: it is to see that nobody is there.
    if (!nats.natsConnection_IsClosed(connection)) {
      // With what the kernel still holds for the server: what is sent again must not be followed by
      // its own first half.
      const linger at_once{.l_onoff = 1, .l_linger = 0};
      setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
      shutdown(socket, SHUT_RD);
      nats.natsConnection_ProcessReadEvent(connection);
    }
    nats.natsConnection_Close(connection);
    nats.natsConnection_Destroy(connection);
  }

  const NatsLibrary& nats;
  const std::shared_ptr<Notes> notes = std::make_shared<Notes>();
  Wake done;  // made, refused, closed, read, written; something is to be written
  Wake go;    // TLS: to be written, or given up
  std::atomic<bool> busy = false, given_up = false, closed = false;
  std::atomic<bool> made = false;
  std::atomic<bool> writes = false;
  std::atomic<std::thread::id> reader;  // who is woken by what others want to be written
  absl::Status error;                   // once made
  natsConnection* connection = nullptr;
  natsSubscription* subscription = nullptr;
  int socket = -1;  // ours: libnats closes its own when it likes
};

namespace {

natsStatus Attach(void** user, void* loop, natsConnection* connection, natsSock socket) {
  static_cast<void>(connection);
  auto* const attempt = static_cast<Attempt*>(loop);
  attempt->socket = fcntl(static_cast<int>(socket), F_DUPFD_CLOEXEC, 0);
  *user = attempt;
  return attempt->socket < 0 ? NATS_SYS_ERROR : NATS_OK;
}

natsStatus Reads(void* user, bool add) {
  static_cast<void>(user);
  static_cast<void>(add);
  return NATS_OK;
}

// Ours, or the thread that pings.
natsStatus Writes(void* user, bool add) {
  auto* const attempt = static_cast<Attempt*>(user);
  attempt->writes = add;
  if (add && attempt->reader.load() != std::this_thread::get_id()) attempt->done.Signal();
  return NATS_OK;
}

natsStatus Detach(void* user) {
  auto* const attempt = static_cast<Attempt*>(user);
  attempt->closed = true;
  attempt->done.Signal();
  return NATS_OK;
}

void Make(const std::shared_ptr<Attempt>& attempt, const NatsOptions& options,
          const OptionsPointer& made) {
  const auto connection = ConnectWith(options, made.get(), attempt->nats, attempt->notes);
  if (connection.ok()) {
    attempt->connection = *connection;
  } else {
    attempt->error = connection.status();
  }
  attempt->made = true;
  attempt->done.Signal();
}

// For a connection over TLS, until it is closed.
void Serve(Attempt& attempt) {
  while (!attempt.closed && !attempt.given_up) {
    pollfd wanted[] = {{.fd = attempt.socket, .events = POLLIN, .revents = 0},
                       {.fd = attempt.go.fd(), .events = POLLIN, .revents = 0}};
    poll(wanted, 2, -1);
    attempt.go.Drain();
    if (attempt.given_up) return;
    if (wanted[0].revents != 0) attempt.nats.natsConnection_ProcessReadEvent(attempt.connection);
    if (attempt.busy && !attempt.closed) {
      attempt.nats.natsConnection_ProcessWriteEvent(attempt.connection);
      attempt.busy = false;
    }
    attempt.done.Signal();
  }
}

}  // namespace

const std::string& InboxPrefix() {
  static const auto* const prefix = new std::string([] {
    std::random_device random;
    return absl::StrFormat("_INBOX.walduct.%08x%08x", random(), random());
  }());
  return *prefix;
}

absl::StatusOr<std::unique_ptr<Client>> Client::Create(const NatsOptions& options,
                                                       const Environment& environment) {
  ASSIGN_OR_RETURN(const NatsLibrary* const nats, NatsLibrary::Load());
  Notes notes;
  RETURN_IF_ERROR(MakeOptions(options, *nats, InboxPrefix(), &notes).status());
  return std::unique_ptr<Client>(new Client(options, environment, *nats));
}

Client::Client(const NatsOptions& options, const Environment& environment, const NatsLibrary& nats)
    : options_(options), environment_(environment), nats_(nats), address_(AddressOf(options)) {
  watched_.Add(alarm_.fd());
}

Client::~Client() { Close(); }

void Client::FreeAnswer() {
  if (answer_ != nullptr) nats_.Free(static_cast<natsMsg*>(std::exchange(answer_, nullptr)));
}

void Client::Close() {
  FreeAnswer();
  if (attempt_ == nullptr) return;
  watched_.Remove(attempt_->done.fd());
  attempt_->given_up = true;
  if (options_.tls) {
    if (ready_) shutdown(attempt_->socket, SHUT_RDWR);
    attempt_->go.Signal();
  } else if (ready_) {
    watched_.Remove(attempt_->socket);
  }
  ready_ = awaits_room_ = false;
  attempt_.reset();
}

void Client::Connect() {
  Close();
  auto attempt = std::make_shared<Attempt>(nats_);
  auto made = MakeOptions(options_, nats_, InboxPrefix(), attempt->notes.get());
  if (made.ok()) {
    nats_.natsOptions_SetSendAsap(made->get(), true);
    nats_.natsOptions_SetEventLoop(made->get(), attempt.get(), Attach, Reads, Writes, Detach);
    std::thread([attempt, options = options_, made = *std::move(made)] {
      Make(attempt, options, made);
      if (options.tls && attempt->connection != nullptr) Serve(*attempt);
    }).detach();
  } else {
    attempt->error = made.status();
    attempt->made = true;
    attempt->done.Signal();
  }
  watched_.Add(attempt->done.fd());
  inbox_ = absl::StrCat(InboxPrefix(), ".", ++connections_, ".");
  attempt_ = std::move(attempt);
}

absl::Status Client::Fail(absl::Status error) {
  Close();
  return error;
}

bool Client::ready() const { return ready_; }

absl::Status Client::Adopt() {
  RETURN_IF_ERROR(attempt_->error);
  attempt_->reader = std::this_thread::get_id();
  natsConnection* const connection = attempt_->connection;
  natsStatus status = nats_.natsConnection_SubscribeSync(&attempt_->subscription, connection,
                                                         absl::StrCat(inbox_, "*").c_str());
  if (status == NATS_OK)
    status = nats_.natsSubscription_SetPendingLimits(attempt_->subscription, kMostAnswers, -1);
  if (status != NATS_OK) return Unreachable(address_, nats_.natsStatus_GetText(status));
  max_payload_ =
      static_cast<size_t>(std::max<int64_t>(0, nats_.natsConnection_GetMaxPayload(connection)));
  if (!options_.tls) watched_.Add(attempt_->socket);
  ready_ = true;
  return Write();
}

absl::Status Client::Advance() {
  alarm_.Drain();
  if (attempt_ == nullptr) return absl::OkStatus();
  attempt_->done.Drain();
  if (!ready_) {
    if (!attempt_->made) return absl::OkStatus();
    const absl::Status adopted = Adopt();
    return adopted.ok() ? adopted : Fail(adopted);
  }
  if (!options_.tls) nats_.natsConnection_ProcessReadEvent(attempt_->connection);
  if (!attempt_->closed) return absl::OkStatus();
  const char* text = nullptr;
  nats_.natsConnection_GetLastError(attempt_->connection, &text);
  return Fail(
      Unreachable(address_, text == nullptr || *text == '\0' ? "the connection was closed" : text));
}

absl::Status Client::Publish(const char* subject, absl::string_view number,
                             absl::Span<const HeaderText> headers, absl::string_view body) {
  CHECK(ready_);
  reply_.assign(inbox_);
  absl::StrAppend(&reply_, number);
  natsMsg* message = nullptr;
  natsStatus status = nats_.natsMsg_Create(&message, subject, reply_.c_str(), body.data(),
                                           static_cast<int>(body.size()));
  for (const HeaderText& header : headers) {
    if (status == NATS_OK) status = nats_.natsMsgHeader_Add(message, header.name, header.value);
  }
  if (status == NATS_OK) status = nats_.natsConnection_PublishMsg(attempt_->connection, message);
  nats_.Free(message);
  if (status == NATS_OK) return absl::OkStatus();
  return Fail(Unreachable(address_, nats_.natsStatus_GetText(status)));
}

size_t Client::buffered() const {
  if (!ready_) return 0;
  if (attempt_->busy) return std::numeric_limits<size_t>::max();
  return static_cast<size_t>(std::max(0, nats_.natsConnection_Buffered(attempt_->connection)));
}

absl::Status Client::Write() {
  if (!ready_) return absl::OkStatus();
  if (options_.tls) {
    if (attempt_->writes && !attempt_->busy.exchange(true)) attempt_->go.Signal();
    return absl::OkStatus();
  }
  if (attempt_->writes) nats_.natsConnection_ProcessWriteEvent(attempt_->connection);
  if (attempt_->closed) return Fail(Unreachable(address_, "the connection was closed"));
  if (const bool more = attempt_->writes; more != awaits_room_) {
    awaits_room_ = more;
    watched_.Change(attempt_->socket,
                    more ? ReadySet::For::kReadingOrWriting : ReadySet::For::kReading);
  }
  return absl::OkStatus();
}

std::optional<Answer> Client::Next() {
  FreeAnswer();
  if (!ready_) return std::nullopt;
  natsMsg* message = nullptr;
  const natsStatus status = nats_.natsSubscription_NextMsg(&message, attempt_->subscription, 0);
  if (status == NATS_NO_RESPONDERS) return Answer{.nobody = true};
  if (status != NATS_OK) return std::nullopt;
  answer_ = message;
  absl::string_view number = nats_.natsMsg_GetSubject(message);
  number.remove_prefix(std::min(number.size(), inbox_.size()));
  return Answer{.number = number,
                .text = {nats_.natsMsg_GetData(message),
                         static_cast<size_t>(nats_.natsMsg_GetDataLength(message))}};
}

absl::Status Client::TakeRightError() {
  if (attempt_ == nullptr) return absl::OkStatus();
  const MutexLock lock(attempt_->notes->mutex);
  return RightError(std::exchange(attempt_->notes->error, ""), address_);
}

}  // namespace walduct::nats
