// What a plain client makes of JetStream on this machine: libnats's own asynchronous publishing, in a loop.
//   nats_limit URL SUBJECT MESSAGES BYTES
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int count, char** arguments) {
  if (count != 5) return 2;
  const long messages = atol(arguments[3]);
  const int bytes = atoi(arguments[4]);
  char* const body = malloc((size_t)bytes);
  if (body == NULL) return 1;
  memset(body, 'x', (size_t)bytes);
  natsConnection* connection = NULL;
  jsCtx* stream = NULL;
  jsOptions options;
  jsOptions_Init(&options);
  options.PublishAsync.MaxPending = 4096;
  if (natsConnection_ConnectTo(&connection, arguments[1]) != NATS_OK || natsConnection_JetStream(&stream, connection, &options) != NATS_OK) return 1;
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (long n = 0; n < messages; ++n)
    if (js_PublishAsync(stream, arguments[2], body, bytes, NULL) != NATS_OK) return 1;
  if (js_PublishAsyncComplete(stream, NULL) != NATS_OK) return 1;
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.0f\n", (double)messages / ((double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9));
  return 0;
}
