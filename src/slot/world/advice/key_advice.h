// Tables whose rows can share the key of their records: what an operator should know. Advice: it
// never stops a start.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/errors/warn_once.h"
#include "event/table_schema.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "route/message_keys.h"

namespace walduct::slot {

// message.key.columns.
using MessageKeys = std::optional<route::MessageKeys>;

struct KeyAdvice {
  std::string reason;  // key_not_unique, key_index_not_valid
  std::string message, hint;
};

// Of these tables, by name; none where message.key.columns chooses another key.
absl::StatusOr<std::vector<KeyAdvice>> ListKeyAdvice(
    postgres::Connection& connection, postgres::Catalog& catalog,
    const std::vector<postgres::TableName>& captured, const MessageKeys& keys);

// The same in the log.
void WarnOfKeys(postgres::Connection& connection, postgres::Catalog& catalog,
                const std::vector<postgres::TableName>& captured, const MessageKeys& keys,
                engine::WarnOnce* warn_once);
// Of a table that the stream describes, where it has not been said.
void WarnOfKey(const event::TableSchema& schema, const MessageKeys& keys,
               engine::WarnOnce* warn_once);

}  // namespace walduct::slot
