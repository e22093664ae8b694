// What a plain client makes of JetStream on this machine: libnats's own asynchronous publishing.
//   nats HOST PORT SUBJECT MESSAGES BYTES
#include <nats/nats.h>

#include "limit.h"

int main(int count, char** arguments) {
  if (count != 6) return 2;
  const long messages = atol(arguments[4]);
  const int bytes = atoi(arguments[5]);
  char* const body = body_of(bytes);
  char url[256];
  snprintf(url, sizeof url, "nats://%s:%s", arguments[1], arguments[2]);
  natsConnection* connection = NULL;
  jsCtx* stream = NULL;
  jsOptions options;
  jsOptions_Init(&options);
  options.PublishAsync.MaxPending = 4096;
  options.PublishAsync.StallWait = 60000;  // how long it waits for room, in ms; by default 200
  if (natsConnection_ConnectTo(&connection, url) != NATS_OK ||
      natsConnection_JetStream(&stream, connection, &options) != NATS_OK)
    return failed("no connection");
  const double begin = seconds();
  for (long n = 0; n < messages; ++n)
    if (js_PublishAsync(stream, arguments[3], body, bytes, NULL) != NATS_OK)
      return failed(nats_GetLastError(NULL));
  if (js_PublishAsyncComplete(stream, NULL) != NATS_OK) return failed("not acknowledged");
  return printed(messages, begin);
}
