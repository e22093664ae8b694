// ReadySet: one file descriptor that is readable when any of several is ready; and Alarm, one that
// is readable once a time has come. One thread at a time.
#pragma once

#include "absl/time/time.h"

namespace walduct {

class ReadySet {
 public:
  // CHECKs that a file descriptor is left.
  ReadySet();
  ~ReadySet();
  ReadySet(const ReadySet&) = delete;
  ReadySet& operator=(const ReadySet&) = delete;

  enum class For { kReading, kReadingOrWriting };
  // Without effect for one that is there, or, of Change and Remove, that is not. The kernel removes
  // what is closed.
  void Add(int fd, For wanted = For::kReading);
  void Change(int fd, For wanted);
  void Remove(int fd);
  int fd() const { return fd_; }

 private:
  void Control(int operation, int fd, For wanted);

  const int fd_;
};

class Alarm {
 public:
  // CHECKs that a file descriptor is left.
  Alarm();
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // Once, a millisecond from now at the earliest; in the place of what was set before.
  void Set(absl::Duration delay);
  // Makes fd() unreadable.
  void Drain();
  int fd() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace walduct
