// TransferLoop: transfers of libcurl, driven by a thread that waits for all of them at once. It
// looks only at sockets that are ready: a turn costs what happens in it, however many are under
// way, and a request on a connection that is open costs no system call beside its own.
//
// Thread-safety: one thread at a time; Wake from any.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/wake.h"
#include "http/curl_library.h"

namespace walduct::http {

class TransferLoop {
 public:
  struct Ended {
    CURL* easy = nullptr;
    CURLcode code = CURLE_OK;
  };

  // FailedPrecondition libcurl_missing; Unavailable no_file_descriptor. curl: borrowed.
  static absl::StatusOr<std::unique_ptr<TransferLoop>> Create(const CurlLibrary& curl);
  // Closes its connections. What is under way has been removed.
  ~TransferLoop();
  TransferLoop(const TransferLoop&) = delete;
  TransferLoop& operator=(const TransferLoop&) = delete;

  // Once for each handle, before it is added; the loop outlives its handles' transfers.
  void Prepare(CURL* easy);
  // Begins a transfer, with the next Run.
  void Add(CURL* easy);
  // Gives up one that has not ended.
  void Remove(CURL* easy);

  // Goes on with all, and waits so long at most until something happens. Those that have ended are
  // not in it any more, and may be added again; good until the next call.
  const std::vector<Ended>& Run(absl::Duration most);
  // Ends the wait of a Run, or of the next one.
  void Wake() { wake_->Signal(); }

 private:
  // Of epoll: EPOLLIN, EPOLLOUT.
  struct Socket {
    uint32_t wanted = 0;      // by libcurl
    uint32_t registered = 0;  // 0: is not in epoll
    bool connection = false;  // its end is told: OnClose
  };

  explicit TransferLoop(const CurlLibrary& curl);
  absl::Status SetUp();
  void Wait(absl::Duration most);
  void OnReady(int fd, uint32_t events);
  void OnDue();
  absl::Duration UntilDue() const;
  void Collect();
  void Want(int fd, int what);
  void Register(int fd, Socket* socket, uint32_t events) const;

  static int OnSocket(CURL* easy, curl_socket_t fd, int what, void* loop, void* of_socket);
  static int OnOpen(void* loop, curl_socket_t fd, curlsocktype purpose);
  static int OnClose(void* loop, curl_socket_t fd);

  const CurlLibrary& curl_;
  int epoll_ = -1;
  CURLM* multi_ = nullptr;
  absl::flat_hash_map<int, Socket> sockets_;
  std::vector<Ended> ended_;
  std::vector<Ended> failed_;  // could not even begin
  long prepared_ = 0;
  std::unique_ptr<walduct::Wake> wake_;
};

}  // namespace walduct::http
