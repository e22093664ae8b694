#include "sink/letters_apart.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
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
  const absl::Status polled = records_->Poll(acks);
  OfLetters of_letters(&acks);
  const absl::Status letters = WithContext(letters_->Poll(of_letters), "dead letter");
  return polled.ok() ? letters : polled;
}

// In turns: a refused record may wait for room among the letters.
absl::Status LettersApart::Flush(AckHandler& acks, absl::Duration timeout) {
  constexpr absl::Duration kTurn = absl::Milliseconds(20);
  Clock& clock = *environment_.clock;
  const absl::Duration deadline = clock.Monotonic() + timeout;
  OfLetters of_letters(&acks);
  while (true) {
    const absl::Duration begin = clock.Monotonic();
    const absl::Duration step = std::clamp(deadline - begin, absl::ZeroDuration(), kTurn);
    const absl::Status flushed = records_->Flush(acks, step);
    const absl::Duration now = clock.Monotonic();
    if (absl::IsDeadlineExceeded(flushed) && now < deadline && now - begin >= step) {
      RETURN_IF_ERROR(WithContext(letters_->Poll(of_letters), "dead letter"));
      continue;
    }
    const absl::Status letters = WithContext(
        letters_->Flush(of_letters, std::max(deadline - now, absl::ZeroDuration())), "dead letter");
    return flushed.ok() ? letters : flushed;
  }
}

bool LettersApart::AwaitsLetters() const {
  if (letters_->load().bytes == 0) return false;
  return records_->load().bytes == 0 || !letters_->HasCapacity();
}

std::string LettersApart::WaitingFor() {
  return AwaitsLetters() ? absl::StrCat(letters_->WaitingFor(), ", for dead letters")
                         : records_->WaitingFor();
}

void LettersApart::RenewPermit() {
  records_->RenewPermit();
  letters_->RenewPermit();
}

}  // namespace walduct::sink
