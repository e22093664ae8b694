// RequestWriter: a record as the request that Debezium Server would send, with what the options ask
// for beside that. Data thread only.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "event/record.h"
#include "sink/http/http_sink_options.h"
#include "sink/http/outgoing.h"

namespace walduct::sink {

// Of a record with a place in the stream: the same after a restart, a takeover, whoever reads the
// slot. Others (rows of snapshots, heartbeats) get one of this process.
std::string MessageIdOf(const event::Record& record, absl::string_view process, uint64_t number);

class RequestWriter {
 public:
  // options: borrowed. process: unlike that of any other.
  RequestWriter(const HttpSinkOptions& options, std::string process)
      : options_(options), process_(std::move(process)) {}

  // InvalidArgument record_refused: HTTP has no header like one of its headers.
  absl::Status Write(const event::Record& record, Ticket ticket, Outgoing* out);

 private:
  absl::Status AppendHeader(absl::string_view name, absl::string_view value, std::string* head);

  const HttpSinkOptions& options_;
  const std::string process_;
  uint64_t number_ = 0;
};

}  // namespace walduct::sink
