// Reply: an answer of Redis, nested arrays as one flat list in the order they are read; and its
// reader, which is hiredis's. Memory is kept from one answer to the next. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/freed_by.h"

struct redisReader;
extern "C" void redisReaderFree(redisReader* reader);

namespace walduct::redis {

class Reply {
 public:
  enum class Type : uint8_t { kText, kStatus, kError, kInteger, kArray, kNil };
  struct Value {
    Type type = Type::kNil;
    int64_t integer = 0;         // kInteger
    size_t begin = 0, size = 0;  // of the text; kArray: size elements follow, each with its own
  };

  // Of the answer itself; the elements of an array begin at 1.
  const Value& top() const { return values_.front(); }
  const std::vector<Value>& values() const { return values_; }
  absl::string_view Text(const Value& value) const {
    return absl::string_view(texts_).substr(value.begin, value.size);
  }
  absl::string_view text() const { return Text(top()); }
  bool is(Type type) const { return top().type == type; }
  bool is_error() const { return is(Type::kError); }

  void Clear();
  void Add(Type type, absl::string_view text);
  void Add(Value value) { values_.push_back(value); }

 private:
  std::vector<Value> values_;
  std::string texts_;
};

class ReplyReader {
 public:
  ReplyReader();

  void Feed(absl::string_view bytes);
  // The next whole answer, valid until the next call; null: there is none yet. Unavailable: what
  // answers is no Redis.
  absl::StatusOr<const Reply*> Next();

 private:
  std::unique_ptr<Reply> reply_ = std::make_unique<Reply>();
  bool taken_ = true;
  std::unique_ptr<redisReader, FreedBy<redisReaderFree>> reader_;
};

}  // namespace walduct::redis
