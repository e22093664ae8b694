#include "sink/letters_apart.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::sink {
namespace {

// Acknowledgements of letters, whose refusal is nobody's business but the engine's.
class OfLetters final : public AckHandler {
 public:
  explicit OfLetters(AckHandler* acks) : acks_(*acks) {}
  void OnAcknowledged(Ticket ticket, uint32_t count) override {
    acks_.OnAcknowledged(ticket, count);
  }

 private:
  AckHandler& acks_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Sink>> LettersApart::Join(std::unique_ptr<Sink> records,
                                                         std::unique_ptr<Sink> letters,
                                                         const Environment& environment) {
  int fd = -1;
  if (letters->ready_fd() >= 0 && records->ready_fd() >= 0) {
    fd = epoll_create1(EPOLL_CLOEXEC);
    bool watched = fd >= 0;
    for (const int one : {letters->ready_fd(), records->ready_fd()}) {
      epoll_event event = {};
      event.events = EPOLLIN;
      watched = watched && epoll_ctl(fd, EPOLL_CTL_ADD, one, &event) == 0;
    }
    if (!watched) {
      if (fd >= 0) close(fd);
      return absl::InternalError("no file descriptor is left");
    }
  }
  return std::unique_ptr<Sink>(
      new LettersApart(std::move(records), std::move(letters), environment, fd));
}

LettersApart::~LettersApart() {
  if (fd_ >= 0) close(fd_);
}

absl::Status LettersApart::PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) {
  RETURN_IF_ERROR(records_->PrepareTopics(topics, stopping));
  return WithContext(letters_->PrepareTopics({}, stopping), "dead letters");
}

absl::Status LettersApart::Poll(AckHandler& acks) {
  RETURN_IF_ERROR(records_->Poll(acks));
  OfLetters of_letters(&acks);
  return WithContext(letters_->Poll(of_letters), "dead letter");
}

absl::Status LettersApart::Flush(AckHandler& acks, absl::Duration timeout) {
  const absl::Duration deadline = environment_.clock->Monotonic() + timeout;
  RETURN_IF_ERROR(records_->Flush(acks, timeout));
  OfLetters of_letters(&acks);
  const absl::Duration left = deadline - environment_.clock->Monotonic();
  return WithContext(letters_->Flush(of_letters, std::max(left, absl::ZeroDuration())),
                     "dead letter");
}

void LettersApart::RenewPermit() {
  records_->RenewPermit();
  letters_->RenewPermit();
}

}  // namespace walduct::sink
