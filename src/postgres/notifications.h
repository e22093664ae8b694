// What a session that listens has been notified of.
#pragma once

namespace walduct::postgres {

class Connection;

// Takes what has arrived; true: something has. Never waits, and leaves statements alone.
bool TakeNotifications(Connection& connection);

}  // namespace walduct::postgres
