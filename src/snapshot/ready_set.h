// ReadySet: one descriptor that can be read when any of several sockets can.
#pragma once

namespace walduct::snapshot {

class ReadySet {
 public:
  ReadySet();
  ~ReadySet();
  ReadySet(const ReadySet&) = delete;
  ReadySet& operator=(const ReadySet&) = delete;

  // Without effect for one that is there, or not.
  void Add(int socket);
  void Remove(int socket);
  int fd() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace walduct::snapshot
