// Where the position is stored, and how often. Immutable once built.
#pragma once

#include <memory>
#include <string>

#include "absl/time/time.h"

namespace walduct::kafka {
struct KafkaOptions;
}  // namespace walduct::kafka
namespace walduct::redis {
struct RedisOptions;
}  // namespace walduct::redis

namespace walduct::offset {

struct JdbcOptions;  // jdbc_options.h

enum class OffsetStoreKind { kKafkaTopic, kFile, kRedis, kJdbc, kMemory };

struct OffsetOptions {
  OffsetStoreKind kind = OffsetStoreKind::kKafkaTopic;
  // Whose entry of the store it is, where that is not the connector's name.
  std::string connector;
  int slot = 1;                           // which of the connector's slots, from 1
  std::string file_path;                  // offset.storage.file.filename
  std::string topic = "walduct-offsets";  // offset.storage.topic / offsets.storage.topic
  int topic_partitions = 25;              // when we create it
  int topic_replication_factor = -1;
  // How the topic is reached; null: as the connector's records are. Secrets inside.
  std::shared_ptr<const kafka::KafkaOptions> clients;
  // Of kRedis: the server, and the hash.
  std::shared_ptr<const redis::RedisOptions> redis;
  std::string redis_key;
  std::shared_ptr<const JdbcOptions> jdbc;            // of kJdbc; secrets inside
  absl::Duration flush_interval = absl::Seconds(10);  // zero: at every acknowledgement
  absl::Duration flush_timeout = absl::Seconds(5);
  // Between two saves that follow records; with transactions of the sink, between two of those.
  absl::Duration commit_interval = absl::Milliseconds(200);
};

}  // namespace walduct::offset
