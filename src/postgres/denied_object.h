// What a statement was denied, by the whole of its name: the server's message has it without its
// schema.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "postgres/connection.h"

namespace walduct::postgres {

// The hint of a permission_denied of that statement names it and the rights that such a statement
// needs: "give the role the right SELECT, UPDATE on table "s"."t"". Any other error, and what the
// catalog does not tell apart, stays as it is. connection: the one it was run on; asks the catalog.
absl::Status NameDenied(Connection& connection, absl::string_view sql, const absl::Status& error);

// The parts of that. Pure.
struct DeniedObject {
  std::string kind;  // "table", also of a view; "sequence", "function"
  std::string name;  // without its schema
};
// Absent: it is none of these, or the message is in another language.
std::optional<DeniedObject> DeniedIn(absl::string_view message);
struct SchemaOfName {
  std::string schema;
  bool visible = false;  // by the search_path
};
// The schema that the statement means, of those that have something of that name; empty: not known.
std::string SchemaMeant(absl::string_view sql, absl::string_view name,
                        const std::vector<SchemaOfName>& schemas);
// What a statement may do with a table that it names; more than it needs, rather than less.
std::string RightsFor(absl::string_view sql);

}  // namespace walduct::postgres
