// CommitBuilder: what the record of a commit holds, with the messages that commands leave in it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "recover/commit_record.h"
#include "tests/recover/wal_builder.h"

namespace walduct::recover {

class CommitBuilder {
 public:
  explicit CommitBuilder(int major = 17, uint32_t database = 5)
      : major_(major), database_(database) {}

  // Of a table that is touched in any way.
  CommitBuilder& Relation(uint32_t oid) { return Message(-2, oid); }
  CommitBuilder& Column(uint32_t oid, int16_t number) {
    return Relation(oid).Message(7, HashOfAttribute(oid, number)).Message(6, 1);
  }
  // Made, or dropped.
  CommitBuilder& Table(uint32_t oid) {
    for (int16_t number = -6; number <= 2; ++number) {
      if (number != 0) Column(oid, number);
    }
    return Type();
  }
  CommitBuilder& Index(uint32_t oid) {
    return Column(oid, 1).Message(major_ >= 18 ? 34 : 32, HashOfIndex(oid));
  }
  CommitBuilder& Type() { return Message(major_ >= 18 ? 82 : 80, 2); }
  CommitBuilder& Label() { return Message(23, 3).Message(24, 4); }
  CommitBuilder& Message(int8_t id, uint32_t subject) { return Message(id, subject, database_); }
  CommitBuilder& Message(int8_t id, uint32_t subject, uint32_t database) {
    const size_t at = messages_.size();
    messages_.resize(at + 16, '\x55');
    messages_[at] = static_cast<char>(id);
    WalBuilder::Put<uint32_t>(&messages_, at + 4, database);
    WalBuilder::Put<uint32_t>(&messages_, at + 8, subject);
    return *this;
  }
  // That are gone with it.
  CommitBuilder& Files(uint32_t count) {
    files_ = count;
    return *this;
  }
  CommitBuilder& Statistics(uint32_t count) {
    statistics_ = count;
    return *this;
  }
  CommitBuilder& Subtransactions(std::vector<uint32_t> ids) {
    subtransactions_ = std::move(ids);
    return *this;
  }
  CommitBuilder& Prepared(uint32_t xid) {
    prepared_ = xid;
    return *this;
  }

  std::string Data() const {
    std::string data(8, '\x77');
    const auto put = [&data](uint32_t number) {
      WalBuilder::Put<uint32_t>(&data, data.size(), number);
    };
    const auto fill = [&](uint32_t count, size_t bytes) {
      put(count);
      data.append(count * bytes, '\x66');
    };
    put(1u | (subtransactions_.empty() ? 0 : 2) | (files_ == 0 ? 0 : 4) |
        (messages_.empty() ? 0 : 8) | (prepared_ == 0 ? 0 : 16) | (statistics_ == 0 ? 0 : 0x100));
    put(database_);
    put(1663);
    if (!subtransactions_.empty()) put(static_cast<uint32_t>(subtransactions_.size()));
    for (const uint32_t id : subtransactions_) put(id);
    if (files_ != 0) fill(files_, 12);
    if (statistics_ != 0) fill(statistics_, major_ >= 18 ? 16 : 12);
    if (!messages_.empty()) {
      put(static_cast<uint32_t>(messages_.size() / 16));
      data += messages_;
    }
    if (prepared_ != 0) put(prepared_);
    return data;
  }

 private:
  const int major_;
  const uint32_t database_;
  std::string messages_;
  uint32_t files_ = 0, statistics_ = 0, prepared_ = 0;
  std::vector<uint32_t> subtransactions_;
};

}  // namespace walduct::recover
