// Asks a server to cancel what a session runs. libpq knows only a call that waits for the server's
// answer, however long that takes: it is made on a thread of its own, and waited for no longer than
// a moment.
#pragma once

struct pg_conn;

namespace walduct::postgres {

// Returns within about a second. Logs a request that failed or is not answered.
void SendCancel(pg_conn* connection);

}  // namespace walduct::postgres
