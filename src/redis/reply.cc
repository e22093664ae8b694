#include "redis/reply.h"

#include <hiredis/hiredis.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::redis {
namespace {

using Type = Reply::Type;

// hiredis wants an object for each value; what it is is for us to know.
void* const kMade = reinterpret_cast<void*>(1);

Reply& Of(const redisReadTask* task) { return *static_cast<Reply*>(task->privdata); }

void* MakeText(const redisReadTask* task, char* text, size_t size) {
  const Type type = task->type == REDIS_REPLY_ERROR    ? Type::kError
                    : task->type == REDIS_REPLY_STATUS ? Type::kStatus
                                                       : Type::kText;
  Of(task).Add(type, {text, size});
  return kMade;
}

// An int before hiredis 1.0.
template <typename Count>
void* MakeArray(const redisReadTask* task, Count count) {
  Of(task).Add({.type = Type::kArray, .size = static_cast<size_t>(count)});
  return kMade;
}

void* MakeInteger(const redisReadTask* task, long long number) {
  Of(task).Add({.type = Type::kInteger, .integer = number});
  return kMade;
}

void* MakeNil(const redisReadTask* task) {
  Of(task).Add({.type = Type::kNil});
  return kMade;
}

redisReplyObjectFunctions MakeFunctions() {
  redisReplyObjectFunctions functions{};
  functions.createString = MakeText;
  functions.createArray = MakeArray;
  functions.createInteger = MakeInteger;
  functions.createNil = MakeNil;
  functions.freeObject = [](void*) {};
  return functions;
}

}  // namespace

void Reply::Clear() {
  values_.clear();
  texts_.clear();
}

void Reply::Add(Type type, absl::string_view text) {
  values_.push_back({.type = type, .begin = texts_.size(), .size = text.size()});
  texts_.append(text.data(), text.size());
}

ReplyReader::ReplyReader() {
  static redisReplyObjectFunctions functions = MakeFunctions();
  reader_.reset(redisReaderCreateWithFunctions(&functions));
  reader_->privdata = reply_.get();
}

void ReplyReader::Feed(absl::string_view bytes) {
  redisReaderFeed(reader_.get(), bytes.data(), bytes.size());
}

absl::StatusOr<const Reply*> ReplyReader::Next() {
  if (taken_) reply_->Clear();
  taken_ = false;
  void* made = nullptr;
  if (redisReaderGetReply(reader_.get(), &made) != REDIS_OK)
    return Error(absl::StatusCode::kUnavailable, "redis_unavailable",
                 absl::StrCat("what answers does not speak Redis's protocol: ", reader_->errstr),
                 "check the port, and whether the server wants TLS (ssl.enabled)");
  if (made == nullptr) return static_cast<const Reply*>(nullptr);
  taken_ = true;
  return reply_.get();
}

}  // namespace walduct::redis
