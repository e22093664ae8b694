// JdbcOffsetStore: the table of Debezium's JdbcOffsetBackingStore, in a PostgreSQL database: a row
// for each connector, with Connect's key and the offset map as JSON. Blocks: for BackgroundStore.
//
// Debezium empties the table at each save and writes what it has read at its start: connectors that
// share a table undo each other's positions. Here a save touches the connector's own row alone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "offset/offset_key.h"
#include "offset/offset_store.h"
#include "offset/seen_value.h"
#include "postgres/connection.h"

namespace walduct::offset {

struct JdbcOptions;  // jdbc_options.h

class JdbcOffsetStore final : public OffsetStore {
 public:
  // Touches nothing yet. timeout: of a save, and of connecting.
  static std::unique_ptr<OffsetStore> Create(const JdbcOptions& options, OffsetIdentity identity,
                                             const Environment& environment,
                                             absl::Duration timeout);

  absl::StatusOr<std::optional<StoredOffset>> Load() override;
  // Makes the table where there is none.
  absl::Status Prepare() override;
  absl::Status StartSave(const StoredOffset& offset) override;
  std::optional<absl::Status> PollSave() override { return absl::OkStatus(); }
  int ready_fd() const override { return -1; }
  absl::Status Erase() override;

 private:
  // What the table holds for the connector: several rows where more than one has been written, the
  // last of them counts.
  struct Held {
    std::vector<std::string> ids;
    std::string key;
    std::optional<std::string> value;
  };

  JdbcOffsetStore(const JdbcOptions& options, OffsetIdentity identity,
                  const Environment& environment, absl::Duration timeout);
  absl::Status Connect();
  absl::Status Find();
  absl::StatusOr<Held> Read();
  // False: the row is not as it was left.
  absl::StatusOr<bool> SaveInPlace(const std::string& value);
  absl::Status SaveAnew(const std::string& value);
  absl::Status Remove(const Held& held);
  absl::Status CheckUnchanged(const Held& held);
  absl::Status CheckFits(const std::string& value) const;
  // What has failed: the session is not used again.
  absl::Status Failed(const absl::Status& error);

  const std::unique_ptr<const JdbcOptions> options_;
  const OffsetIdentity identity_;
  const Environment environment_;
  const absl::Duration timeout_;
  std::unique_ptr<postgres::Connection> connection_;
  std::string table_;       // as SQL; empty: not found yet
  int max_characters_ = 0;  // of offset_val; 0: any
  SeenValue value_;
};

}  // namespace walduct::offset
