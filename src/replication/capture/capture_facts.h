// CaptureFacts: what the catalog says of publications and of the tables that they might send, all
// as of one moment. Plain data.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/lsn.h"

namespace walduct::replication {

// What the server can send of a row that is changed.
enum class SentIdentity {
  kNone,  // nothing: it refuses UPDATE and DELETE where they are published
  kKey,   // a key or a unique index
  kFull,  // the whole old row
};

struct TableFacts {
  Oid relation{};
  std::string schema;
  std::string table;
  bool partitioned = false;   // it has no rows of its own
  bool unlogged = false;      // it never reaches the WAL
  bool has_children = false;  // by INHERITS
  Oid parent{};               // as a partition; 0: it is none
  SentIdentity identity = SentIdentity::kKey;
  bool has_key = false;  // a primary key that could be its identity; known of those without one
  // It has generated columns of these kinds, and REPLICA IDENTITY FULL would need them sent.
  bool stored_ones = false, virtual_ones = false;
  bool owned = true;  // by the role that looks: it may put it into a publication
};

// Why the server refuses UPDATE and DELETE of a table that has a replica identity.
enum class Refusal {
  kGenerated,  // the identity has generated columns that are not sent
  kList,       // the column list lacks columns of the identity
  kFilter,     // the row filter reads columns outside of the identity
};

// How a publication names a table.
struct MemberFacts {
  std::string filter;       // its row filter, as the catalog keeps it; empty: none
  bool all_columns = true;  // no column is missing from its list, or it has no list
  bool has_list = false;    // of columns, whichever
};

struct PublicationFacts {
  std::string name;
  bool exists = false;
  Oid oid{};
  bool all_tables = false;
  bool inserts = true, updates = true, deletes = true, truncates = true;
  bool via_root = false;
  bool generated = false;   // stored generated columns are sent
  bool owned = true;        // by the role that looks
  bool on_standby = false;  // it was read there, where nobody can alter it
  std::map<Oid, MemberFacts> members = {};
  std::set<std::string> schemas = {};  // FOR TABLES IN SCHEMA
  std::map<Oid, Refusal> refusals = {};

  bool refuses_without_identity() const { return updates || deletes; }
};

struct CaptureFacts {
  std::vector<PublicationFacts> publications;  // of the connector's slots, by number
  std::vector<TableFacts> tables;              // permanent and unlogged ones of users
  std::map<Oid, std::string> names = {};       // of all publications
};

}  // namespace walduct::replication
