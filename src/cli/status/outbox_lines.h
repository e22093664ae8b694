// What the status screen says of the rows of polled outbox tables. Pure.
#pragma once

#include <rapidjson/document.h>

#include <string>
#include <utility>
#include <vector>

namespace walduct::cli {

// rows: `outbox` of a connector. "2 rows are not published, the oldest for 112 s".
std::string WaitingRows(const rapidjson::Value& rows);
// Empty: none is.
std::string ParkedRows(const rapidjson::Value& rows);
// What is wrong with them, those that are parked among it, and what to type.
std::vector<std::pair<std::string, std::string>> OutboxTroubles(const rapidjson::Value& rows);

}  // namespace walduct::cli
