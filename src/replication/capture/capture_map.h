// CaptureMap: under which name the rows of a table come with a publication, as pgoutput decides it.
// Pure; borrows the facts.
//
// Source: get_rel_sync_entry in src/backend/replication/pgoutput/pgoutput.c of PostgreSQL.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "replication/capture/capture_facts.h"

namespace walduct::replication {

class CaptureMap {
 public:
  explicit CaptureMap(const CaptureFacts& facts);

  // Null: there is no such table.
  const TableFacts* Find(Oid relation) const;
  const TableFacts* Find(const std::string& name) const;  // of NameOf
  // Nearest first.
  std::vector<const TableFacts*> Ancestors(const TableFacts& table) const;
  // A table with rows: itself; a partitioned one: its partitions that have rows.
  std::vector<const TableFacts*> Leaves(const TableFacts& table) const;
  // What its rows come as; null: they do not come. leaf: a table with rows.
  const TableFacts* SentAs(const TableFacts& leaf, const PublicationFacts& publication) const;

 private:
  const CaptureFacts& facts_;
  std::map<Oid, const TableFacts*> by_oid_;
  std::map<std::string, const TableFacts*> by_name_;
  std::multimap<Oid, const TableFacts*> partitions_;
};

// By its identity: one without it, though it has a key for one, is the weakest.
bool Weaker(const TableFacts& a, const TableFacts& b);
std::string NameOf(const TableFacts& table);  // see postgres::TableKey
// By itself or by its schema, whatever its ancestors.
bool Names(const PublicationFacts& publication, const TableFacts& table);

}  // namespace walduct::replication
