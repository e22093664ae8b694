// What is asked about single rows of a polled outbox table: as options, as the query and the body
// of a request of REST. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::operate {

struct OutboxRowsRequest {
  enum class Act { kList, kShow, kRetry, kPark, kSkip };
  static constexpr int64_t kMostListed = 100, kMostAtOnce = 10'000;

  Act act = Act::kList;
  // schema.table; empty: the connector's only one, and of kList all.
  std::string table = {};
  // By their primary keys: its text; of several columns a JSON object (poll::RowText).
  std::vector<std::string> rows = {};
  bool all = false;  // of kRetry: all that are parked or wait
  std::string why = {};
  int64_t most = kMostListed;  // of kList
};

absl::string_view ActName(OutboxRowsRequest::Act act);

// InvalidArgument: it lacks something.
absl::Status CheckRowsRequest(const OutboxRowsRequest& request);

using RowsQuery = std::multimap<std::string, std::string>;
// "?row=7&table=public.outbox&limit=100", or empty; of kList and kShow.
std::string QueryOfRows(const OutboxRowsRequest& request);
absl::StatusOr<OutboxRowsRequest> ParseRowsQuery(const RowsQuery& query);
// {"do":"retry","rows":["7"],"all":false,"table":"public.outbox","reason":"…"}; of the others.
std::string BodyOfRows(const OutboxRowsRequest& request);
absl::StatusOr<OutboxRowsRequest> ParseRowsBody(const std::string& body);

}  // namespace walduct::operate
