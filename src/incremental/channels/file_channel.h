// FileChannel: signals are lines of a file, which is emptied once they are all done with: a crash
// before that lets them come again. A line counts when it is ended, or has not grown since the last
// look.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "incremental/channels/signal_channel.h"

namespace walduct::incremental {

class FileChannel final : public SignalChannel {
 public:
  explicit FileChannel(std::string path) : path_(std::move(path)) {}

  absl::StatusOr<Signals> Poll() override;
  void Done(size_t signals) override { pending_ -= signals; }

 private:
  absl::StatusOr<Signals> Read(int fd);
  void TakeLine(absl::string_view line, Signals* signals) const;
  absl::Status Empty(int fd);

  const std::string path_;
  uint64_t file_ = 0;   // the inode that was read
  int64_t read_ = 0;    // bytes of it
  int64_t size_ = 0;    // at the last look
  size_t pending_ = 0;  // signals that are not done with
};

}  // namespace walduct::incremental
