#include "slot/lanes/lanes.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/runtime_options.h"
#include "names/table_filter.h"
#include "names/table_share.h"
#include "offset/options.h"
#include "replication/options.h"
#include "slot/lanes/handover_news.h"

namespace walduct::slot {
namespace {

std::string SuffixOf(int number) { return number == 1 ? "" : absl::StrCat("_", number); }

engine::ConnectorOptions LaneOf(const engine::ConnectorOptions& whole, int number,
                                const std::vector<std::string>& publications) {
  engine::ConnectorOptions lane = whole;
  replication::ReplicationOptions& replication = *lane.replication;
  replication.share.number = number;
  replication.share.publications = publications;
  lane.tables->share = std::make_shared<names::TableShare>();
  lane.offset->connector = whole.name;
  lane.offset->slot = number;
  if (number == 1) return lane;
  lane.name = absl::StrCat(whole.name, "/", number);
  replication.slot_name += SuffixOf(number);
  replication.publication_name = publications[static_cast<size_t>(number) - 1];
  replication.logical_messages = false;
  *lane.heartbeat = {};
  // Else two lanes would be one in Debezium's series, and their ages a sum.
  lane.runtime->metric_tags = absl::StrCat(", slot=", number, whole.runtime->metric_tags);
  return lane;
}

std::vector<std::string> PublicationsOf(const engine::ConnectorOptions& first, int count) {
  std::vector<std::string> publications;
  for (int number = 1; number <= count; ++number)
    publications.push_back(first.replication->publication_name + SuffixOf(number));
  return publications;
}

}  // namespace

std::vector<engine::ConnectorOptions> LanesOf(const engine::ConnectorOptions& whole) {
  const int count = whole.replication->share.count;
  std::vector<engine::ConnectorOptions> lanes;
  // `tail` looks through several publications with one slot.
  for (int number = 1; number <= count; ++number)
    lanes.push_back(count == 1 ? whole : LaneAmong(whole, number, count));
  const auto news = std::make_shared<HandoverNews>();
  for (engine::ConnectorOptions& lane : lanes) lane.handover_news = news;
  return lanes;
}

engine::ConnectorOptions LaneAmong(const engine::ConnectorOptions& first, int number, int count) {
  engine::ConnectorOptions whole = first;
  whole.replication->share.count = count;
  if (count > 1) return LaneOf(whole, number, PublicationsOf(first, count));
  whole.replication->share.publications.clear();
  whole.tables->share = nullptr;
  return whole;
}

engine::ConnectorOptions FirstLaneOf(const engine::ConnectorOptions& lane) {
  engine::ConnectorOptions first = lane;
  if (!lane.replication->share.several()) return first;
  first.name = lane.offset->connector;
  first.offset->slot = 1;
  return first;
}

}  // namespace walduct::slot
