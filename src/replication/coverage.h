// Coverage: how a publication comes to send tables. Each of what names them has an OID that goes
// with it: a table that left the publication and came back, or came back with another row filter or
// other columns, is named by another one. Looks only; opens and locks no table but those that were
// attached as partitions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"

namespace walduct::replication {

struct Coverage {
  struct Table {
    // Rows of pg_publication_rel and pg_publication_namespace: its own, those of the tables that it
    // is a partition of, and of their schemas. None where the publication is for all tables.
    std::vector<Oid> named_by;
    // One of them names it, or its schema; or the publication is for all tables.
    bool by_itself = false;
    // Its changes are sent, under its own name: not under its root's, nor its partitions'.
    bool sent = false;
    // It has partitions, none of which was asked for, and its rows come under their names.
    bool by_leaves = false;
    // It has had another name or schema, or was made before it became a partition. Not seen: what
    // its owner was changed behind.
    bool placed_later = false;
    // Since then it has had rows as it is now alone; and what did that. Seen where `since` does not
    // show it; else false, 0.
    bool placed_empty = false;
    int64_t placed_at = 0;
    // Its schema was changed after it was made: renamed, or its rights.
    bool schema_changed = false;
    // Transactions are open that may have written to it before something named it: not `sent`, and
    // judged by a later look. Set by who looks for them.
    bool held = false;
    // It never reaches the WAL; or a partition whose rows come as its own does not.
    bool unlogged = false;
    // Its files are not those that it was made with: SET LOGGED, VACUUM FULL, TRUNCATE; and it had
    // rows then, where `since` does not show that.
    bool rewritten = false;
    // All its rows are from behind the time that the publication names it from: seen where `since`
    // does not show that.
    bool whole = false;
    // The transaction that named it first, where `since` shows none of what names it; else 0.
    int64_t named_at = 0;

    void HoldBack() {
      sent = false;
      held = true;
    }
  };
  // A partition that was made, and may have had rows, before it became one of a table that brings
  // its rows into the stream.
  struct Attached {
    Oid table{}, partition{};    // table: as which its rows come; perhaps itself
    std::string name;            // of the partition, "schema.table"
    std::string condition = {};  // which of the table's rows are its own; empty: all
    std::string link;            // another one whenever it is attached again
  };

  Oid publication{};      // 0: there is none of that name
  std::string name = {};  // of it, as the server has it
  // "iudtrg 1234": inserts, updates, deletes, truncates, by partition roots, generated columns;
  // then what is another one whenever somebody has altered any of them, with an "o" where that was
  // its owner.
  std::string settings = {};
  bool all_tables = false;
  // Of those, by which tables come in that are not made yet: of schemas, of partitioned tables.
  std::vector<Oid> names_others;
  absl::flat_hash_map<Oid, Table> tables;  // those that were asked for, and are there
  std::string seen = {};  // which transactions it shows: the text of a snapshot of theirs
  std::string since = {};
  std::vector<Attached> attached = {};  // by transactions that `since` does not show
};

// since: what an earlier look has seen; empty: who was attached is not asked.
absl::StatusOr<Coverage> ReadCoverage(postgres::Connection& connection,
                                      absl::string_view publication,
                                      const std::vector<postgres::TableName>& tables,
                                      absl::string_view since = "");

}  // namespace walduct::replication
