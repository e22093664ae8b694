// What is read beside the stream, who asks for it, and who is told. Immutable once built.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "incremental/options/pace.h"

namespace walduct::incremental {

class SignalQueue;

struct IncrementalOptions {
  // signal.data.collection; empty: none.
  std::string signal_schema, signal_table;
  // signal.enabled.channels: signals are rows of that table, lines of a file, records of a topic.
  bool source_channel = false, file_channel = false, kafka_channel = false;
  absl::Duration poll_interval = absl::Seconds(5);  // of file and topic
  std::string signal_file;
  std::string kafka_topic, kafka_group;
  std::string kafka_brokers;                          // empty: the connector's
  std::map<std::string, std::string> kafka_consumer;  // Java properties; secrets inside
  absl::Duration kafka_poll_timeout;
  // Of the process itself, over its listener. Null: none, as where a connector reads several slots.
  std::shared_ptr<SignalQueue> asked;
  bool read_only = false;
  bool deletes_watermarks = false;  // incremental.snapshot.watermarking.strategy=insert_delete
  int chunk_size = 1024;            // rows; never 0
  bool reads_by_place = false;      // walduct.snapshot.keyless=ctid
  Pace::Limits pace;                // of incremental snapshots
  bool keeps_pause = false;         // walduct.snapshot.pause.kept: over a start of the process
  bool reads_new_tables = false;    // walduct.snapshot.new.tables=incremental
  bool notifies_sink = false, notifies_log = false;  // notification.enabled.channels
  std::string notification_topic;
  bool tells_refusals = false;  // walduct.notification.refused.signals: there, too

  bool rests = false;  // the gap of a lost slot is read: no chunk is, and signals are refused

  bool notifies() const { return notifies_sink || notifies_log; }
  // Somebody has a channel for signals.
  bool channels() const {
    return (source_channel && !signal_table.empty()) || file_channel || kafka_channel;
  }
  // Windows are told as Debezium tells them. Where not, it takes no signal for one.
  bool marks_windows() const { return read_only || !signal_table.empty(); }
  // Anybody may ask for something.
  bool signals() const { return channels() || asked != nullptr || reads_new_tables; }
  // Windows are told from transaction ids: nothing is written.
  bool writes_nothing() const { return read_only || signal_table.empty(); }
};

}  // namespace walduct::incremental
