// The record of an emission in words, for messages: which row, where in the log.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "event/emission.h"

namespace walduct::delivery {

// "table public.orders": what the record is about; a message's prefix, a heartbeat, a transaction
// otherwise.
std::string SubjectOf(const event::Emission& emission);

// "id=5, region=eu": the key columns as PostgreSQL prints them, long values cut. "none" for a table
// without key, empty where the record is about no row.
std::string KeyOf(const event::Emission& emission);

// The names of the key's columns and their whole values, as PostgreSQL prints them; empty as KeyOf
// is, and where one is not known.
std::vector<std::pair<std::string, std::string>> KeyColumnsOf(const event::Emission& emission);

// All of it: "insert into table public.orders, key id=5, LSN 0/1A2B3C, transaction 740".
std::string DescribeRecord(const event::Emission& emission);

}  // namespace walduct::delivery
