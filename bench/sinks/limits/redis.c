// What a plain client makes of Redis on this machine: XADD in pipelines of 500, in a loop.
//   redis HOST PORT STREAM MESSAGES BYTES
#include <hiredis/hiredis.h>

#include "limit.h"

enum { kPipeline = 500 };

int main(int count, char** arguments) {
  if (count != 6) return 2;
  const long messages = atol(arguments[4]);
  const size_t bytes = (size_t)atol(arguments[5]);
  const char* words[] = {"XADD", arguments[3], "*", "{\"id\":123456}", body_of((long)bytes)};
  const size_t sizes[] = {4, strlen(arguments[3]), 1, strlen(words[3]), bytes};
  redisContext* const redis = redisConnect(arguments[1], atoi(arguments[2]));
  if (redis == NULL || redis->err) return failed("no connection");
  const double begin = seconds();
  for (long n = 0; n < messages;) {
    const long now = messages - n < kPipeline ? messages - n : kPipeline;
    for (long i = 0; i < now; ++i) redisAppendCommandArgv(redis, 5, words, sizes);
    for (long i = 0; i < now; ++i, ++n) {
      redisReply* reply = NULL;
      if (redisGetReply(redis, (void**)&reply) != REDIS_OK || reply->type != REDIS_REPLY_STRING)
        return failed("refused");
      freeReplyObject(reply);
    }
  }
  return printed(messages, begin);
}
