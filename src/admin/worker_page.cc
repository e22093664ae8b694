// The member "worker" of /status.
#include "admin/status_page.h"
#include "admin/worker_board.h"

namespace walduct::admin {

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
}

namespace {

void WriteGroup(const GroupView& group, JsonWriter* json) {
  json->Key("shares").Object().Key("epoch").Signed(group.epoch);
  json->Key("workers").Array();
  for (const GroupWorker& one : group.workers) {
    json->Object().Key("address").Text(one.address).Key("connectors").Signed(one.connectors);
    json->Key("self").Flag(one.self).Key("leads").Flag(one.leads);
    json->Key("member").Flag(one.member).Key("names").Array();
    for (const std::string& name : one.names) json->Text(name);
    json->EndArray().EndObject();
  }
  json->EndArray().Key("unassigned").Array();
  for (const UnassignedConnector& one : group.unassigned) {
    json->Object().Key("name").Text(one.name).Key("since").Text(TimeText(one.since));
    json->Key("why").Text(one.why).EndObject();
  }
  json->EndArray().Key("moves").Array();
  for (const GroupMove& one : group.moves) {
    json->Object().Key("at").Text(TimeText(one.at)).Key("connector").Text(one.connector);
    json->Key("from").Text(one.from).Key("to").Text(one.to).Key("why").Text(one.why).EndObject();
  }
  json->EndArray().EndObject();
}

}  // namespace

void WriteWorker(const WorkerView& worker, JsonWriter* json) {
  json->Key("worker").Object();
  json->Key("group").Text(worker.group);
  json->Key("state").Text(worker.serves ? "serving" : "waiting");
  json->Key("state_since").Text(TimeText(worker.serves_since));
  if (worker.wait != WorkerWait::kNothing) {
    json->Key("waiting_for").Text(WaitWord(worker.wait));
    json->Key("waiting_since").Text(TimeText(worker.wait_since));
    json->Key("message").Text(worker.message);
    json->Key("hint").Text(worker.hint);
  }
  if (const auto& warning = worker.warning) {
    json->Key("warning").Object().Key("reason").Text(warning->reason);
    json->Key("message").Text(warning->message).Key("hint").Text(warning->hint).EndObject();
  }
  if (worker.shares) WriteGroup(*worker.shares, json);
  json->EndObject();
}

}  // namespace walduct::admin
