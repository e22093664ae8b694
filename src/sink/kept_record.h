// KeptRecord: a copy of a record, for as long as it is not settled. Belongs to one thread at a
// time.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "event/record.h"
#include "sink/sink.h"

namespace walduct::sink {

class KeptRecord {
 public:
  void Keep(const event::Record& record, Ticket its_ticket);
  // Borrows this and *headers.
  event::Record AsRecord(std::vector<event::Header>* headers) const;
  // Empty without a value.
  absl::string_view body() const { return {text_.data() + body_at_, body_size_}; }
  bool has_value() const { return has_value_; }
  size_t kept_bytes() const { return text_.size(); }

  Ticket ticket = 0;

 private:
  struct HeaderSize {
    size_t name = 0, value = 0;
    bool is_null = false;
  };
  std::string text_;  // topic, key, body, names and values of headers
  size_t topic_size_ = 0, key_size_ = 0, body_at_ = 0, body_size_ = 0;
  bool has_key_ = false, has_value_ = false;
  std::vector<HeaderSize> headers_;
  event::RecordId record_id_;
};

inline void KeptRecord::Keep(const event::Record& record, Ticket its_ticket) {
  ticket = its_ticket;
  record_id_ = record.id;
  has_key_ = record.key.has_value();
  has_value_ = record.value.has_value();
  topic_size_ = record.topic.size();
  key_size_ = has_key_ ? record.key->size() : 0;
  body_at_ = topic_size_ + key_size_;
  body_size_ = has_value_ ? record.value->size() : 0;
  text_.assign(record.topic.data(), record.topic.size());
  if (has_key_) absl::StrAppend(&text_, *record.key);
  if (has_value_) absl::StrAppend(&text_, *record.value);
  headers_.clear();
  for (const event::Header& header : record.headers) {
    headers_.push_back({header.name.size(), header.value.size(), header.is_null});
    absl::StrAppend(&text_, header.name, header.value);
  }
}

inline event::Record KeptRecord::AsRecord(std::vector<event::Header>* headers) const {
  const absl::string_view text = text_;
  event::Record record;
  record.topic = text.substr(0, topic_size_);
  if (has_key_) record.key = text.substr(topic_size_, key_size_);
  if (has_value_) record.value = body();
  record.id = record_id_;
  size_t at = body_at_ + body_size_;
  headers->clear();
  for (const HeaderSize& size : headers_) {
    headers->push_back(
        {text.substr(at, size.name), text.substr(at + size.name, size.value), size.is_null});
    at += size.name + size.value;
  }
  record.headers = *headers;
  return record;
}

}  // namespace walduct::sink
