// Statements for a session that a connection pooler shares among its clients: from one transaction
// to the next it may be another one. What must hold is set in each transaction, and nothing is left
// behind for others. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "postgres/connection_parameters.h"

namespace walduct::postgres {

// "SET LOCAL a = 'b'; …": in front of a statement that begins a transaction, in one message. Takes
// no view of the database, so that the transaction may yet be given an isolation level or one.
std::string SetInTransaction(const SessionSettings& settings);
// "SET a = 'b'; …": for a session that is ours alone.
std::string SetInSession(const SessionSettings& settings);
// A setting of that name is replaced.
void Replace(absl::string_view name, absl::string_view value, SessionSettings* settings);

// SET of somebody else's as SET LOCAL, with "; " behind it; "" for another statement.
std::string AsLocal(absl::string_view statement);

// The statement with its parameters as literals of no type, as parameters are: for the simple
// protocol, in which several statements are one transaction, and which walsenders take alone.
std::string WithLiterals(absl::string_view sql,
                         const std::vector<std::optional<std::string>>& parameters);

}  // namespace walduct::postgres
