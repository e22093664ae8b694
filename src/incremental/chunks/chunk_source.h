// ChunkSource: who reads chunks and writes watermarks, beside the stream. Seam for simulation and
// tests; the real one is ChunkThread.
//
// One thing at a time: what is begun is over when Poll has answered. Thread-safety: one caller, the
// data thread; nothing waits.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "incremental/chunks/chunk.h"

namespace walduct::incremental {

// The columns of the key of a table's records. Any thread.
using RecordKeyOf = std::function<std::vector<uint16_t>(const event::TableSchema&)>;

class ChunkSource {
 public:
  virtual ~ChunkSource() = default;

  // A row in the signaling table, committed: the window of that chunk is open.
  virtual void WriteOpen(const std::string& window) = 0;
  virtual void Read(const ChunkRequest& request) = 0;
  virtual void WriteClose(const std::string& window) = 0;

  struct Answer {
    absl::Status status = {};         // an error: it may be tried again
    std::optional<Chunk> chunk = {};  // of Read
  };
  virtual std::optional<Answer> Poll() = 0;
  // Readable when Poll may have an answer; -1: none.
  virtual int ready_fd() const = 0;
};

}  // namespace walduct::incremental
