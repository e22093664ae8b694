#include "redis/client.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "redis/command.h"
#include "redis/error.h"

namespace walduct::redis {
namespace {

constexpr size_t kReadBytes = 64u << 10;

absl::Status Wait() { return absl::OkStatus(); }

}  // namespace

std::string AddressOf(const RedisOptions& options) {
  return absl::StrContains(options.host, ':') ? absl::StrCat("[", options.host, "]:", options.port)
                                              : absl::StrCat(options.host, ":", options.port);
}

absl::StatusOr<std::unique_ptr<Client>> Client::Create(const RedisOptions& options,
                                                       const Environment& environment) {
  ASSIGN_OR_RETURN(TlsContext context, MakeTlsContext(options.tls));
  return std::unique_ptr<Client>(new Client(options, environment, std::move(context)));
}

Client::Client(const RedisOptions& options, const Environment& environment, TlsContext context)
    : options_(options),
      environment_(environment),
      address_(AddressOf(options)),
      context_(std::move(context)) {
  watched_.Add(alarm_.fd());
}

Client::~Client() { CloseSocket(); }

void Client::AwaitRoom(bool wanted) {
  if (socket_ < 0 || wanted == awaits_room_) return;
  awaits_room_ = wanted;
  watched_.Change(socket_, wanted ? ReadySet::For::kReadingOrWriting : ReadySet::For::kReading);
}

// With what the kernel still holds for the server: a batch that is sent again must not be overtaken
// by its own first half.
void Client::CloseSocket() {
  session_.reset();
  if (socket_ < 0) return;
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  close(socket_);  // epoll forgets it
  socket_ = -1;
  awaits_room_ = false;
}

void Client::Close() {
  CloseSocket();
  resolver_.reset();
  reader_.reset();
  step_ = Step::kClosed;
}

void Client::Connect() {
  Close();
  step_ = Step::kResolving;
  deadline_ = environment_.clock->Monotonic() + options_.connect_timeout;
  resolver_.emplace(options_.host, options_.port);
  watched_.Add(resolver_->fd());
  WakeIn(options_.connect_timeout);
}

absl::Status Client::Unreachable(absl::string_view why) const {
  return Error(absl::StatusCode::kUnavailable, "redis_unavailable",
               absl::StrCat("Redis at ", address_, ": ", why),
               "check that Redis runs and that its address, port and ssl.enabled are right");
}

absl::Status Client::Fail(absl::Status error) {
  Close();
  return error;
}

absl::Status Client::Advance() {
  alarm_.Drain();
  absl::Status done = Go();
  if (done.ok() && !ready() && !closed() && environment_.clock->Monotonic() >= deadline_)
    done = Unreachable(
        absl::StrCat("no answer within ", absl::FormatDuration(options_.connect_timeout)));
  return done.ok() ? done : Fail(std::move(done));
}

absl::Status Client::Go() {
  if (step_ == Step::kResolving) RETURN_IF_ERROR(TakeAddresses());
  if (step_ == Step::kConnecting) RETURN_IF_ERROR(CheckConnected());
  if (step_ == Step::kHandshake) RETURN_IF_ERROR(Shake());
  if (step_ == Step::kLogin) RETURN_IF_ERROR(Login());
  return absl::OkStatus();
}

absl::Status Client::TakeAddresses() {
  auto answer = resolver_->Take();
  if (!answer) return Wait();
  resolver_.reset();
  RETURN_IF_ERROR(answer->status());
  addresses_ = *std::move(*answer);
  std::reverse(addresses_.begin(), addresses_.end());
  return TryNextAddress();
}

absl::Status Client::TryNextAddress() {
  if (addresses_.empty()) return Unreachable("it has no address");
  const SocketAddress address = addresses_.back();
  addresses_.pop_back();
  CloseSocket();
  socket_ = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) return Unreachable(std::strerror(errno));
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(socket_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  step_ = Step::kConnecting;
  awaits_room_ = true;
  watched_.Add(socket_, ReadySet::For::kReadingOrWriting);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0 ||
      errno == EINPROGRESS)
    return Wait();
  const int error = errno;
  return addresses_.empty() ? Unreachable(std::strerror(error)) : TryNextAddress();
}

absl::Status Client::CheckConnected() {
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0 && !addresses_.empty()) return TryNextAddress();
  if (error != 0) return Unreachable(std::strerror(error));
  sockaddr_storage peer{};
  size = sizeof(peer);
  if (getpeername(socket_, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return Wait();
  AwaitRoom(false);
  if (context_ == nullptr) {
    BeginLogin();
    return absl::OkStatus();
  }
  session_ = MakeTlsSession(options_, context_.get(), socket_);
  if (session_ == nullptr) return Unreachable("no memory for TLS");
  step_ = Step::kHandshake;
  return absl::OkStatus();
}

// True: done; false: to be called again when the socket is ready for it.
absl::StatusOr<bool> Client::OnTlsResult(int result) {
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_NONE:
      return true;
    case SSL_ERROR_WANT_READ:
      return false;
    case SSL_ERROR_WANT_WRITE:
      AwaitRoom(true);
      return false;
    case SSL_ERROR_ZERO_RETURN:
      return Unreachable("the connection was closed");
    case SSL_ERROR_SYSCALL:
      return Unreachable(errno == 0 ? "the connection was closed" : std::strerror(errno));
    default:
      return TlsError(options_, session_.get());
  }
}

absl::Status Client::Shake() {
  ASSIGN_OR_RETURN(const bool done, OnTlsResult(SSL_do_handshake(session_.get())));
  AwaitRoom(!done && SSL_want_write(session_.get()));
  if (done) BeginLogin();
  return absl::OkStatus();
}

void Client::BeginLogin() {
  step_ = Step::kLogin;
  reader_.emplace();
  login_.clear();
  login_answers_ = 1;
  if (!options_.password.empty()) {
    ++login_answers_;
    if (options_.user.empty()) {
      AppendCommand({"AUTH", options_.password}, &login_);
    } else {
      AppendCommand({"AUTH", options_.user, options_.password}, &login_);
    }
  }
  if (options_.database != 0) {
    ++login_answers_;
    AppendCommand({"SELECT", absl::StrCat(options_.database)}, &login_);
  }
  AppendCommand({"PING"}, &login_);
}

absl::Status Client::Login() {
  if (!login_.empty()) {
    ASSIGN_OR_RETURN(const size_t sent, Write(login_));
    login_.erase(0, sent);
    AwaitRoom(!login_.empty());
  }
  while (login_answers_ > 0) {
    ASSIGN_OR_RETURN(const Reply* const reply, NextAnswer());
    if (reply == nullptr) return Wait();
    RETURN_IF_ERROR(CheckLogin(*reply));
    --login_answers_;
  }
  step_ = Step::kReady;
  return absl::OkStatus();
}

absl::Status Client::CheckLogin(const Reply& reply) {
  if (!reply.is_error()) return absl::OkStatus();
  absl::Status error = AnswerError(reply.text(), address_);
  // Whoever may not PING has been heard all the same.
  const bool of_ping = login_answers_ == 1;
  return of_ping && absl::IsPermissionDenied(error) ? absl::OkStatus() : error;
}

absl::StatusOr<size_t> Client::Write(absl::string_view bytes) {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const absl::string_view rest = bytes.substr(sent);
    if (session_ != nullptr) {
      size_t count = 0;
      const int result = SSL_write_ex(session_.get(), rest.data(), rest.size(), &count);
      ASSIGN_OR_RETURN(const bool done, OnTlsResult(result));
      if (!done) break;
      sent += count;
      continue;
    }
    const ssize_t count = send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0) return Unreachable(std::strerror(errno));
    sent += static_cast<size_t>(count);
  }
  return sent;
}

absl::StatusOr<bool> Client::Read() {
  char bytes[kReadBytes];
  while (true) {
    if (session_ != nullptr) {
      size_t count = 0;
      const int result = SSL_read_ex(session_.get(), bytes, sizeof(bytes), &count);
      ASSIGN_OR_RETURN(const bool done, OnTlsResult(result));
      if (done) reader_->Feed({bytes, count});
      return done;
    }
    const ssize_t count = recv(socket_, bytes, sizeof(bytes), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return false;
    if (count < 0) return Unreachable(std::strerror(errno));
    if (count == 0) return Unreachable("the connection was closed");
    reader_->Feed({bytes, static_cast<size_t>(count)});
    return true;
  }
}

absl::StatusOr<const Reply*> Client::NextAnswer() {
  while (true) {
    ASSIGN_OR_RETURN(const Reply* const reply, reader_->Next());
    if (reply != nullptr) return reply;
    ASSIGN_OR_RETURN(const bool more, Read());
    if (!more) return static_cast<const Reply*>(nullptr);
  }
}

absl::StatusOr<size_t> Client::Send(absl::string_view bytes) {
  CHECK(ready());
  auto sent = Write(bytes);
  if (!sent.ok()) return Fail(sent.status());
  AwaitRoom(*sent < bytes.size());
  return sent;
}

absl::StatusOr<const Reply*> Client::Next() {
  CHECK(ready());
  auto reply = NextAnswer();
  if (!reply.ok()) return Fail(reply.status());
  return reply;
}

absl::StatusOr<const Reply*> Client::Call(std::initializer_list<absl::string_view> command,
                                          absl::Duration timeout, Stopping stopping) {
  const absl::Duration deadline = environment_.clock->Monotonic() + timeout;
  if (closed()) Connect();
  std::string bytes;
  AppendCommand(command, &bytes);
  while (true) {
    if (!ready()) {
      RETURN_IF_ERROR(Advance());
    }
    if (ready()) {
      if (!bytes.empty()) {
        ASSIGN_OR_RETURN(const size_t sent, Send(bytes));
        bytes.erase(0, sent);
      }
      ASSIGN_OR_RETURN(const Reply* const reply, Next());
      if (reply != nullptr && reply->is_error()) return AnswerError(reply->text(), address_);
      if (reply != nullptr) return reply;
    }
    const absl::Duration left = deadline - environment_.clock->Monotonic();
    if (left <= absl::ZeroDuration())
      return Fail(Unreachable(absl::StrCat("no answer within ", absl::FormatDuration(timeout))));
    if (stopping()) return Fail(Interrupted());
    WakeIn(std::min(left, options_.connect_timeout));
    environment_.poller->WaitReadable({fd()}, std::min(left, kStoppingLook));
  }
}

}  // namespace walduct::redis
