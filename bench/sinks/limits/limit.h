// What the plain clients have in common: a body of so many bytes, a clock, what is printed.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char* body_of(long bytes) {
  char* const body = malloc((size_t)bytes + 1);
  if (body == NULL) exit(1);
  memset(body, 'x', (size_t)bytes);
  body[bytes] = 0;
  return body;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// Messages a second, since `begin`.
static int printed(long messages, double begin) {
  printf("%.0f\n", (double)messages / (seconds() - begin));
  return 0;
}

static int failed(const char* what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}
