// Publication: created or altered as publication.autocreate.mode says, always before the slot,
// because pgoutput looks a publication up as of the change it decodes.
//
//   mode        missing                       exists
//   all_tables  CREATE … FOR ALL TABLES       kept
//   filtered    CREATE … FOR TABLE captured   tables added and dropped where they differ,
//                                             `publish` set where it was configured
//   no_tables   CREATE                        kept
//   disabled    FailedPrecondition            kept
//
// Row filters and column lists of tables that stay are left alone, and so are schemas a publication
// names. In every mode but disabled publish_via_partition_root is switched on (never off) where it
// was configured. Unlogged tables, which never reach the WAL, and before PostgreSQL 13 partitioned
// ones are left out. A standby is never written to: there the publication must exist and fit.
//
// Debezium folds publication.name to lower case. Here the name is taken as it is written; a folded
// one is used only when it exists and the exact one does not.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "replication/advice.h"
#include "replication/publication/publication_sql.h"

namespace walduct::replication {

struct ReplicationOptions;

// captured: the tables the filters include now. The tables that it has put into the publication by
// name. FailedPrecondition / PermissionDenied with the SQL to type. read_by_others: publications of
// other connectors, which no hint names.
absl::StatusOr<std::vector<PublishedTable>> EnsurePublication(
    postgres::Connection& connection, const ReplicationOptions& options,
    const std::vector<postgres::TableName>& captured,
    const std::set<std::string>& read_by_others = {});

// Looks only: whether tables that are created later come into the publication by themselves, as
// into one FOR ALL TABLES or of schemas. False where there is none. name: as it is configured.
absl::StatusOr<bool> TakesNewTables(postgres::Connection& connection, const std::string& name);

// Looks only: what EnsurePublication would fail for, as far as the catalog tells, and what is to be
// known about the publication, or about the one that would be created. read_by_others: as above.
absl::StatusOr<std::vector<Advice>> CheckPublication(
    postgres::Connection& connection, const ReplicationOptions& options,
    const std::vector<postgres::TableName>& captured,
    const std::set<std::string>& read_by_others = {});

}  // namespace walduct::replication
