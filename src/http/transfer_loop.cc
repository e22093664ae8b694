#include "http/transfer_loop.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::http {
namespace {

constexpr int kMostEvents = 64;   // at once; the others come next
constexpr long kConnections = 4;  // of each handle

uint32_t EventsOf(int what) {
  switch (what) {
    case CURL_POLL_IN:
      return EPOLLIN;
    case CURL_POLL_OUT:
      return EPOLLOUT;
    case CURL_POLL_INOUT:
      return EPOLLIN | EPOLLOUT;
    default:
      return 0;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<TransferLoop>> TransferLoop::Create(const CurlLibrary& curl) {
  std::unique_ptr<TransferLoop> loop(new TransferLoop(curl));
  RETURN_IF_ERROR(loop->SetUp());
  return loop;
}

TransferLoop::TransferLoop(const CurlLibrary& curl)
    : curl_(curl), epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_(walduct::Wake::TryMake()) {}

absl::Status TransferLoop::SetUp() {
  if (epoll_ < 0 || wake_ == nullptr)
    return Error(absl::StatusCode::kUnavailable, "no_file_descriptor",
                 "no file descriptor is left for HTTP requests", "raise ulimit -n");
  Socket waker;
  Register(wake_->fd(), &waker, EPOLLIN);
  multi_ = curl_.multi_init();
  if (multi_ == nullptr)
    return Error(absl::StatusCode::kFailedPrecondition, "libcurl_missing",
                 "libcurl does not start");
  curl_.multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &TransferLoop::OnSocket);
  curl_.multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  return absl::OkStatus();
}

TransferLoop::~TransferLoop() {
  if (multi_ != nullptr) curl_.multi_cleanup(multi_);
  if (epoll_ >= 0) close(epoll_);
}

void TransferLoop::Prepare(CURL* easy) {
  curl_.easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, &TransferLoop::OnOpen);
  curl_.easy_setopt(easy, CURLOPT_SOCKOPTDATA, this);
  curl_.easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, &TransferLoop::OnClose);
  curl_.easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, this);
  // Open connections. Unless it is said, libcurl counts the transfers that are under way: the more
  // have just ended, the more it would close.
  curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kConnections * ++prepared_);
}

void TransferLoop::Add(CURL* easy) {
  if (curl_.multi_add_handle(multi_, easy) != CURLM_OK)
    failed_.push_back({easy, CURLE_FAILED_INIT});
}

void TransferLoop::Remove(CURL* easy) {
  std::erase_if(failed_, [easy](const Ended& one) { return one.easy == easy; });
  curl_.multi_remove_handle(multi_, easy);
}

const std::vector<TransferLoop::Ended>& TransferLoop::Run(absl::Duration most) {
  ended_.clear();
  ended_.swap(failed_);
  OnDue();
  Collect();
  Wait(ended_.empty() ? most : absl::ZeroDuration());
  OnDue();
  Collect();
  return ended_;
}

void TransferLoop::Wait(absl::Duration most) {
  most = std::min(most, UntilDue());
  const int64_t millis = absl::ToInt64Milliseconds(
      absl::Ceil(std::clamp(most, absl::ZeroDuration(), absl::Hours(1)), absl::Milliseconds(1)));
  std::array<epoll_event, kMostEvents> events;
  const int count = epoll_wait(epoll_, events.data(), kMostEvents, static_cast<int>(millis));
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<size_t>(i)];
    if (event.data.fd == wake_->fd()) {
      wake_->Drain();
    } else {
      OnReady(event.data.fd, event.events);
    }
  }
}

// Of a socket that one before it has closed, and another opened, at the most a look too many.
void TransferLoop::OnReady(int fd, uint32_t events) {
  const auto found = sockets_.find(fd);
  if (found == sockets_.end()) return;
  Socket& socket = found->second;
  if (socket.wanted == 0) return Register(fd, &socket, 0);
  // As poll's answer is read by libcurl: an error is found by who reads or writes.
  const bool failed = (events & (EPOLLERR | EPOLLHUP)) != 0;
  int ready = 0;
  if ((socket.wanted & EPOLLIN) != 0 && (failed || (events & EPOLLIN) != 0))
    ready |= CURL_CSELECT_IN;
  if ((socket.wanted & EPOLLOUT) != 0 && (failed || (events & EPOLLOUT) != 0))
    ready |= CURL_CSELECT_OUT;
  int running = 0;
  curl_.multi_socket_action(multi_, fd, ready, &running);
}

// What begins is due at once.
void TransferLoop::OnDue() {
  if (UntilDue() > absl::ZeroDuration()) return;
  int running = 0;
  curl_.multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
}

absl::Duration TransferLoop::UntilDue() const {
  long millis = -1;
  curl_.multi_timeout(multi_, &millis);
  return millis < 0 ? absl::InfiniteDuration() : absl::Milliseconds(millis);
}

void TransferLoop::Collect() {
  int left = 0;
  while (const CURLMsg* const message = curl_.multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    ended_.push_back({message->easy_handle, message->data.result});
    curl_.multi_remove_handle(multi_, ended_.back().easy);
  }
}

// A connection that nobody uses stays registered: most are used again at once. If something comes
// on it nevertheless, its end mostly, OnReady takes it out.
void TransferLoop::Want(int fd, int what) {
  Socket& socket = sockets_[fd];
  socket.wanted = EventsOf(what);
  if (socket.wanted == socket.registered || (socket.wanted == 0 && socket.connection)) return;
  Register(fd, &socket, socket.wanted);
  // Who closes it says nothing, and the next one may have its number.
  if (socket.wanted == 0) sockets_.erase(fd);
}

void TransferLoop::Register(int fd, Socket* socket, uint32_t events) const {
  epoll_event event = {};
  event.events = events;
  event.data.fd = fd;
  if (events == 0) {
    epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
  } else if (epoll_ctl(epoll_, socket->registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd,
                       &event) != 0) {
    return;  // no memory: OnDue ends it
  }
  socket->registered = events;
}

int TransferLoop::OnSocket(CURL* easy, curl_socket_t fd, int what, void* loop, void* of_socket) {
  static_cast<void>(easy);
  static_cast<void>(of_socket);
  static_cast<TransferLoop*>(loop)->Want(fd, what);
  return 0;
}

int TransferLoop::OnOpen(void* loop, curl_socket_t fd, curlsocktype purpose) {
  static_cast<void>(purpose);
  static_cast<TransferLoop*>(loop)->sockets_[fd] = {.connection = true};
  return CURL_SOCKOPT_OK;
}

int TransferLoop::OnClose(void* loop, curl_socket_t fd) {
  auto* const self = static_cast<TransferLoop*>(loop);
  // Before: a process that was forked may have another one of it, with which epoll would keep it.
  if (const auto found = self->sockets_.find(fd); found != self->sockets_.end()) {
    if (found->second.registered != 0) self->Register(fd, &found->second, 0);
    self->sockets_.erase(found);
  }
  return close(fd);
}

}  // namespace walduct::http
