#include "admin/outbox_rows_body.h"

namespace walduct::admin {

void WriteOutboxRows(const metrics::ConnectorMetrics& numbers, absl::Duration monotonic,
                     JsonWriter* json) {
  const auto rows = numbers.backlog.Read(monotonic);
  if (!rows || !rows->counted) return;
  json->Key("outbox").Object().Key("unpublished").Whole(rows->unpublished);
  json->Key("parked").Whole(rows->parked);
  json->Key("oldest_seconds").Number(absl::ToDoubleSeconds(rows->oldest));
  json->Key("age_seconds").Number(absl::ToDoubleSeconds(monotonic - rows->counted_at));
  if (rows->parked > 0) json->Key("hint").Text(rows->hint);
  const auto server = numbers.outbox_server.Read();
  if (server && server->dead_rows) json->Key("dead_rows").Whole(*server->dead_rows);
  if (server && server->queue_used) json->Key("notify_queue").Number(*server->queue_used);
  if (server && metrics::HoldsDeadRows(*server)) {
    json->Key("dead_rows_kept_by").Text(server->holder);
    json->Key("dead_rows_kept_seconds").Number(absl::ToDoubleSeconds(server->held));
    json->Key("dead_rows_hint").Text(server->release);
  }
  json->EndObject();
}

}  // namespace walduct::admin
