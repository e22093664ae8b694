// LineSink: records as text to standard output or to a file, in the order they are written. A file
// is appended to, behind the last whole line (torn_line.h), and synchronised before its records are
// acknowledged; standard output acknowledges what the system has taken.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "sink/line/line_sink_options.h"
#include "sink/line/record_text.h"
#include "sink/sink.h"
#include "sink/unacknowledged.h"

namespace walduct::sink {

class LineSink final : public Sink {
 public:
  static absl::StatusOr<std::unique_ptr<Sink>> ToStandardOutput(const StdoutSinkOptions& options);
  // output_unwritable names the path: FailedPrecondition; Unavailable where it is a pipe that
  // nobody reads yet. To the null device: a NullSink.
  static absl::StatusOr<std::unique_ptr<Sink>> ToFile(const FileSinkOptions& options);
  // Looks only: whether the file could be opened, or made. FailedPrecondition output_unwritable.
  static absl::Status CheckFile(const FileSinkOptions& options);
  ~LineSink() override;

  bool HasCapacity() override { return buffer_.size() < buffer_bytes_; }
  Load load() const override { return {.bytes = buffer_.size(), .limit_bytes = buffer_bytes_}; }
  absl::Status Write(const event::Record& record, Ticket ticket) override;
  absl::Status Poll(AckHandler& acks) override;
  int ready_fd() const override { return -1; }
  absl::Status Flush(AckHandler& acks, absl::Duration timeout) override;

 private:
  struct Options {
    std::string name;           // for messages
    std::string property = {};  // empty: of standard output
    int fd = -1;
    bool owned = false;  // close it, and fsync before acknowledging
    bool pretty = false;
    bool full = false;
    bool eyes = false;
    size_t buffer_bytes = 0;
    std::function<void()> reader_left = nullptr;  // as of StdoutSinkOptions
  };

  explicit LineSink(const Options& options);
  void Append(const event::Record& record);
  absl::Status WriteOut();
  bool IsGone() const;

  const Options options_;
  const PrettyStyle style_;
  const size_t buffer_bytes_;
  std::string buffer_;      // not written out yet
  Unacknowledged written_;  // in the file, or in buffer_
  absl::Status broken_;
};

}  // namespace walduct::sink
