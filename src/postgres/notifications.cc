#include "postgres/notifications.h"

#include <libpq-fe.h>

#include "postgres/connection.h"

namespace walduct::postgres {

bool TakeNotifications(Connection& connection) {
  PGconn* const raw = connection.raw();
  if (PQconsumeInput(raw) == 0) return false;
  bool any = false;
  while (PGnotify* const one = PQnotifies(raw)) {
    PQfreemem(one);
    any = true;
  }
  return any;
}

}  // namespace walduct::postgres
