// SQL that sets an outbox up. Every name is quoted; the statements run as they are on PostgreSQL 13
// and later. Pure functions; the options must have passed CheckNames.
#pragma once

#include <string>

#include "outbox/init_options.h"

namespace walduct::outbox {

// Table, index, publication, role and grants, in one transaction. Runs once; the role may exist
// already.
std::string InitSql(const InitOptions& options);

// One event as an application writes it, in the transaction of its own row.
std::string ExampleSql(const InitOptions& options);

// The consumer's table of what it has handled, for the database that holds the effects.
std::string InboxSql(const InitOptions& options);

}  // namespace walduct::outbox
