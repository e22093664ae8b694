// What is read beside the stream, who asks for it, and who is told. Immutable once built.
#pragma once

#include <string>

namespace walduct::incremental {

struct IncrementalOptions {
  // signal.data.collection; empty: none.
  std::string signal_schema, signal_table;
  bool source_channel = false;      // signals are rows of that table
  bool deletes_watermarks = false;  // incremental.snapshot.watermarking.strategy=insert_delete
  int chunk_size = 1024;            // rows; never 0
  bool notifies_sink = false, notifies_log = false;  // notification.enabled.channels
  std::string notification_topic;

  bool notifies() const { return notifies_sink || notifies_log; }
  bool signals() const { return source_channel && !signal_table.empty(); }
};

}  // namespace walduct::incremental
