// SQL about single rows of an outbox table that somebody asks for by hand: those that could not be
// published, and the rest of their keys. Pure.
//
// "keys" are arrays of the columns of the primary key, from the first parameter on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poll/layouts/outbox_table.h"

namespace walduct::poll {

// The columns of a described row: those of the primary key, then these.
enum class RowColumn { kState, kAttempts, kError, kDue, kBorn, kKey, kType, kPayloadBytes, kCount };
int ColumnOf(const OutboxTable& table, RowColumn column);
// What kState says of it.
inline constexpr char kParked[] = "parked", kWaits[] = "waits", kIsOpen[] = "open",
                      kIsDone[] = "done";

// The columns of the primary key, as they are.
std::vector<std::string> KeyColumns(const OutboxTable& table);
// How a row is named by it: its text; of several columns a JSON object, {"id":"7","day":"…"}.
std::string RowText(const OutboxTable& table, const std::vector<std::string>& key);

// What could not be published can wait in it, and be parked.
bool KeepsFailed(const OutboxTable& table);

// Rows that are parked or wait after an attempt, in their order. $1: the most.
std::string FailedRowsSql(const OutboxTable& table, const std::string& where);
// Those of the keys; locks: those of them alone that nobody has locked, and locks them.
std::string NamedRowsSql(const OutboxTable& table, const std::string& where, bool locks);

// Each answers how many of the keys' rows it has changed.
std::string RetrySql(const OutboxTable& table);
// The parameter behind the keys, where the table has a column for it: why.
std::string ParkSql(const OutboxTable& table, int64_t max_attempts);

// The keys' rows of whose key a later row is published already. Empty: nobody can tell.
std::string OvertakenSql(const OutboxTable& table);
// How many open rows of their key stand behind those of the keys. Empty: rows wait for no other.
std::string BehindRowsSql(const OutboxTable& table);

}  // namespace walduct::poll
