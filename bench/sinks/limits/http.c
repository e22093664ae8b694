// What a plain client makes of an HTTP server on this machine: POST after POST on so many
// connections, each awaiting its 200.   http HOST PORT IN_FLIGHT MESSAGES BYTES
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "limit.h"

enum { kMost = 256 };

static int connected(const char* host, const char* port) {
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((unsigned short)atoi(port)),
                                      .sin_addr.s_addr = inet_addr(host)};
  const int made = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return connect(made, (const struct sockaddr*)&address, sizeof address) == 0 ? made : -1;
}

// Whole answers fit in one segment; a part of one is no 200.
static int answered(int connection) {
  char answer[4096];
  const ssize_t size = read(connection, answer, sizeof answer - 1);
  if (size <= 0) return 0;
  answer[size] = 0;
  return strncmp(answer, "HTTP/1.1 200", 12) == 0 && strstr(answer, "\r\n\r\n") != NULL;
}

int main(int count, char** arguments) {
  if (count != 6) return 2;
  const long messages = atol(arguments[4]), bytes = atol(arguments[5]);
  const int in_flight = atoi(arguments[3]);
  if (in_flight < 1 || in_flight > kMost) return 2;
  char* const request = malloc((size_t)bytes + 512);
  const int head = sprintf(request,
                           "POST /events HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
                           "Content-Length: %ld\r\n\r\n",
                           arguments[1], bytes);
  memcpy(request + head, body_of(bytes), (size_t)bytes);
  const size_t size = (size_t)(head + bytes);
  struct pollfd waiting[kMost];
  for (int i = 0; i < in_flight; ++i) {
    waiting[i] = (struct pollfd){.fd = connected(arguments[1], arguments[2]), .events = POLLIN};
    if (waiting[i].fd < 0) return failed("no connection");
  }
  const double begin = seconds();
  long sent = 0, done = 0;
  for (int i = 0; i < in_flight && sent < messages; ++i, ++sent)
    if (write(waiting[i].fd, request, size) != (ssize_t)size) return failed("not sent");
  while (done < messages) {
    if (in_flight > 1 && poll(waiting, (nfds_t)in_flight, -1) < 0) return failed("poll");
    for (int i = 0; i < in_flight && done < messages; ++i) {
      if (in_flight > 1 && waiting[i].revents == 0) continue;
      if (!answered(waiting[i].fd)) return failed("not answered with 200");
      ++done;
      if (sent < messages && write(waiting[i].fd, request, size) != (ssize_t)size)
        return failed("not sent");
      sent += sent < messages;
    }
  }
  return printed(messages, begin);
}
