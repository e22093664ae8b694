// The slot, the publication and the stream of one connector. Immutable once built.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "replication/offset_mismatch.h"
#include "replication/publication_mode.h"
#include "replication/slot_share.h"

namespace walduct::java {
class RegexList;
}

namespace walduct::replication {

// One entry of replica.identity.autoset.values.
struct ReplicaIdentityRule {
  std::shared_ptr<const java::RegexList> tables;  // "schema.table"
  std::string identity;  // as ALTER TABLE takes it: FULL, DEFAULT, NOTHING, or INDEX
  std::string index;     // INDEX only
};

struct ReplicationOptions {
  std::string slot_name = "debezium";
  bool drop_slot_on_stop = false;
  bool holds_lost_slot = false;  // made anew at once, and not streamed from
  bool failover_slot = false;
  bool temporary_slot = false;  // `tail` and `record` only
  // A backup that is fed with WAL stands in for the primary, where the lost slot is held still.
  bool restored_server = false;
  std::vector<std::pair<std::string, std::string>> stream_params;
  int max_retries = 6;
  absl::Duration retry_delay = absl::Seconds(10);
  // One of the two was given: exactly so often and so far apart. Else for as long as the server may
  // take to notice that whoever held the slot is gone.
  bool retries_given = false;
  std::string publication_name = "dbz_publication";
  std::vector<std::string> more_publications;  // read through as well; `tail` and `record` only
  PublicationAutocreate publication_autocreate = PublicationAutocreate::kAllTables;
  bool publish_via_partition_root = false;
  bool publication_follow = false;  // with kFiltered alone
  bool allow_empty = false;         // a first start without a captured table goes on
  absl::Duration status_interval = absl::Seconds(10);
  absl::Duration xmin_interval;   // source.xmin is read so often; zero: never
  bool confirm_positions = true;  // false: the slot stays where it is
  absl::Duration create_slot_timeout = absl::Seconds(90);
  OffsetMismatch offset_mismatch = OffsetMismatch::kNoValidation;
  std::vector<ReplicaIdentityRule> replica_identities;
  bool stream_in_progress = false;  // from PostgreSQL 15 on
  bool logical_messages = true;     // are wanted; from PostgreSQL 14 on
  SlotShare share;
  // `publish` of an autocreated publication; absent: server default. Set only when
  // skipped.operations was given explicitly.
  std::optional<std::string> publish_operations;

  // It goes on with a slot that is there already, once it has a position.
  bool takes_up_a_slot() const { return !temporary_slot && !restored_server && !share.hands_over; }
};

}  // namespace walduct::replication
