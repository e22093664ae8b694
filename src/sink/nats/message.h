// Message: a record as JetStream gets it, kept until it is acknowledged: headers and body, without
// anything of the connection.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "event/record.h"
#include "nats/client.h"

namespace walduct::sink {

class Message {
 public:
  // Takes a copy; without a value the body is empty. id: for Nats-Msg-Id, where the record has no
  // header of that name. InvalidArgument: a header that NATS has no room for.
  absl::Status Assign(const event::Record& record, absl::string_view id);

  // What JetStream knows it by.
  const char* id() const { return bytes_.data() + id_at_; }
  absl::string_view body() const { return absl::string_view(bytes_).substr(body_at_); }
  // With headers; in the form in which limits are counted.
  size_t size() const { return size_; }
  // Appends to what points into this.
  void AppendHeaders(std::vector<nats::HeaderText>* headers) const;
  size_t capacity() const { return bytes_.capacity(); }

 private:
  std::string bytes_;  // name 0 value 0 …, the body
  size_t id_at_ = 0, body_at_ = 0;
  size_t size_ = 0;
};

}  // namespace walduct::sink
