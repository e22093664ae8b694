#include "kafka/wakeup.h"

#include <librdkafka/rdkafka.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/check.h"

namespace walduct::kafka {

Wakeup::Wakeup() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) { CHECK(fd_ >= 0); }

Wakeup::~Wakeup() { close(fd_); }

void Wakeup::Watch(rd_kafka_queue_s* queue) {
  constexpr uint64_t kOne = 1;  // an eventfd takes eight bytes
  rd_kafka_queue_io_event_enable(queue, fd_, &kOne, sizeof(kOne));
}

void Wakeup::Signal() {
  constexpr uint64_t kOne = 1;
  [[maybe_unused]] const ssize_t put = write(fd_, &kOne, sizeof(kOne));
}

void Wakeup::Drain() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(fd_, &count, sizeof(count));
}

}  // namespace walduct::kafka
