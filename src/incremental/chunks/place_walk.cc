#include "incremental/chunks/place_walk.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "incremental/chunks/place.h"

namespace walduct::incremental {
namespace {

constexpr uint64_t kFirstBlocks = 8;
constexpr uint64_t kMostBlocks = 8192;

Place PlaceOf(const std::optional<Key>& key) {
  const auto place =
      key && key->size() == 1 && key->front() ? ParsePlace(*key->front()) : std::optional<Place>();
  return place.value_or(Place());
}

// "(12,3) 745" without the transaction.
std::string WithoutWriter(const std::string& place) { return place.substr(0, place.find(' ')); }

}  // namespace

absl::Status PlaceWalk::Read(postgres::Connection& connection, const Table& table,
                             const ChunkRequest& request, RowReader* reader, Chunk* chunk) {
  if (table_ != table.walk.table) blocks_ = kFirstBlocks;
  table_ = table.walk.table;
  const Place end = PlaceOf(request.maximum);
  Place at = PlaceOf(request.after);
  while (at < end && chunk->rows.empty()) {
    const Place to{.block = std::min(at.block + blocks_, end.block), .number = 0};
    // Rows of several members share their places: of those a range is read whole.
    RowReader::Ask ask{.statement = RangeSql(table.walk, table.ReadNames(), at.Text(), to.Text()),
                       .columns = table.columns.size(),
                       .reads = table.reads,
                       .has_places = true,
                       .most_rows = table.members == 1 ? request.most_rows : 0};
    RETURN_IF_ERROR(reader->Read(connection, &ask, chunk));
    Learn(to.block - at.block, chunk->rows.size(), request.most_rows, ask);
    at = ask.complete ? to : ParsePlace(WithoutWriter(chunk->places.back())).value_or(to);
  }
  chunk->end = Key{at.Text()};
  return absl::OkStatus();
}

void PlaceWalk::Learn(uint64_t blocks, size_t rows, int most_rows, const RowReader::Ask& ask) {
  const bool large = !ask.complete || ask.bytes > RowReader::kMostBytes / 2;
  if (large) {
    blocks_ = std::max<uint64_t>(1, blocks / 2);
  } else if (rows == 0) {
    blocks_ = std::min(kMostBlocks, 2 * std::max<uint64_t>(1, blocks));
  } else {
    const uint64_t fitting = blocks * static_cast<uint64_t>(most_rows) / rows;
    blocks_ = std::clamp<uint64_t>(fitting, 1, std::min(kMostBlocks, 2 * blocks));
  }
}

absl::Status ReadPlaces(postgres::Connection& connection, const PlaceWalk::Table& table,
                        const ChunkRequest& request, RowReader* reader, Chunk* chunk) {
  std::vector<std::string> places;
  for (const std::string& one : request.places) places.push_back(WithoutWriter(one));
  RowReader::Ask ask{.statement = PlacesSql(table.walk, table.ReadNames(), places),
                     .columns = table.columns.size(),
                     .reads = table.reads,
                     .has_places = true};
  Chunk there;
  RETURN_IF_ERROR(reader->Read(connection, &ask, &there));
  const absl::flat_hash_set<std::string> wanted(request.places.begin(), request.places.end());
  for (size_t i = 0; i < there.rows.size(); ++i) {
    if (!wanted.contains(there.places[i])) continue;
    chunk->rows.push_back(std::move(there.rows[i]));
    chunk->places.push_back(std::move(there.places[i]));
  }
  chunk->maximum = request.maximum;
  chunk->end = request.end;
  return absl::OkStatus();
}

}  // namespace walduct::incremental
