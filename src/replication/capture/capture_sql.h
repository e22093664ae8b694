// What to type about a publication that does not send what it should. Pure.
#pragma once

#include <set>
#include <string>

#include "replication/capture/capture_facts.h"

namespace walduct::replication {

struct CaptureMemory;
struct CaptureWish;

std::string Quoted(const TableFacts& table);
std::string AddSql(const PublicationFacts& publication, const TableFacts& table);
std::string DropSql(const PublicationFacts& publication, const TableFacts& table);
// Without the row filter and the column list that it has.
std::string AnewSql(const PublicationFacts& publication, const TableFacts& table);
// What gives a table without replica identity one. as: under which its rows come.
std::string IdentitySql(const PublicationFacts& publication, const TableFacts& table,
                        const TableFacts& as);
// REPLICA IDENTITY FULL, with what has to be sent first; empty: the server would refuse UPDATE and
// DELETE all the same.
std::string FullSql(const PublicationFacts& publication, const TableFacts& table,
                    const TableFacts& as);
std::string ViaRootSql(const PublicationFacts& publication, bool via_root);
std::string GeneratedSql(const PublicationFacts& publication);
// What was published before, and what is published now.
std::string OperationsSql(const PublicationFacts& publication, const CaptureMemory& memory);
// A publication that is gone, as it was. wanted: tables of one that has never been there.
std::string CreateAgain(const PublicationFacts& publication, const CaptureFacts& facts,
                        const CaptureMemory& memory, const std::set<Oid>& wanted);
// The table, in the publication, with the rights that it takes.
std::string SignalTableSql(const PublicationFacts& publication, const CaptureWish& wish);

}  // namespace walduct::replication
