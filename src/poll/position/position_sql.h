// The statements that read an outbox table by its position. Pure.
#pragma once

#include <string>

#include "poll/layouts/outbox_table.h"
#include "poll/position/table_position.h"

namespace walduct::poll {

// Answers the present snapshot, the server's timeline, up to where its WAL is flushed, which server
// it is, and up to where its WAL is written: all that the snapshot sees is before that place.
std::string NowSql();

// Answers up to where the WAL is flushed. hastens: where nobody commits, a page that is half full
// stays in memory for a while; the end of a transaction with a number makes the server write it.
std::string FlushedSql(bool hastens);

// Of what became visible between two snapshots, $1 and $2: how many rows there are, and the ids of
// the first and the last, behind $3. The conditions on numbers find the window by the index on
// them.
std::string BoundsSql(const OutboxTable& table);

// Rows of the window, $1 and $2, with ids behind $3 up to $4, by id, $5 at most and what else has
// the id of the last of them; columns as a claim has them. Without conditions that any index but
// the primary key's could be used for: by the one on numbers the whole window would be sorted for
// every batch.
std::string WindowSql(const OutboxTable& table, const std::string& where);

// As OutboxTable::BacklogSql: rows that are not visible in $1, without those of the window $2 up to
// the id $3.
std::string BehindSql(const OutboxTable& table, const std::string& where);

// Which rows are not published at that position, as SQL about a row, for who goes on another way.
std::string RestCondition(const OutboxTable& table, const TablePosition& position);

}  // namespace walduct::poll
