// Wakeup: a file descriptor that becomes readable when librdkafka has put something into a queue.
// Not thread-safe, except that librdkafka writes to fd() from its threads.
#pragma once

struct rd_kafka_queue_s;

namespace walduct::kafka {

class Wakeup {
 public:
  Wakeup();
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  // From now on the queue wakes fd() whenever it stops being empty. The queue must not outlive
  // this.
  void Watch(rd_kafka_queue_s* queue);
  // Makes fd() unreadable. Call it before looking into the queues: what comes in between wakes
  // again.
  void Drain();
  // Makes fd() readable. Any thread.
  void Signal();
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace walduct::kafka
