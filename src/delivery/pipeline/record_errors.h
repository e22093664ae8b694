// RecordErrors: what becomes of a record that cannot be published, by Connect's errors.*
// properties: the connector stops, or the record goes to the dead letter topic or the log. Costs
// nothing while nothing fails: the record as it was before the transforms is made anew from the
// row, which is still at hand. Data thread only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "delivery/pipeline/verdict.h"
#include "encode/record_encoder.h"
#include "event/emission.h"
#include "event/record.h"
#include "metrics/connector_metrics.h"
#include "names/called.h"

namespace walduct::encode {
struct EncodeOptions;
}
namespace walduct::engine {
struct RecordErrorOptions;
}

namespace walduct::delivery {

class RecordErrors {
 public:
  struct Options {
    const engine::RecordErrorOptions* policy = nullptr;  // borrowed
    std::string connector;                               // its name
    names::Called called;                                // by commands
    const encode::EncodeOptions* encode = nullptr;       // borrowed
    std::string run_id;
    Clock* clock = nullptr;                        // borrowed
    metrics::ConnectorMetrics* metrics = nullptr;  // borrowed
  };
  explicit RecordErrors(Options options);

  enum class Stage {
    kEncode,   // transforms and converters
    kProduce,  // the sink will never take it
  };
  // The record of emission cannot be published. OK: it is let pass, and was logged when there is no
  // dead letter to write. An error: the connector has to stop; the same one, with the row, its key
  // and its LSN. *letter: the dead letter to be written in its place, borrowed until the next call;
  // null: none.
  absl::Status Take(const event::Emission& emission, const absl::Status& error, Stage stage,
                    const event::Record** letter);

  // Rows of snapshots that were let pass: no topic of a table has them.
  uint64_t rows_left_out() const { return rows_left_out_; }

  // The connector stops with that error: the same one, with the change, or the row of a snapshot,
  // that could be left out and how. Any other as it is.
  absl::Status Skippable(const event::Emission& emission, const absl::Status& error) const;

  // A record that the sink never takes: whether its values are to make room first.
  bool WantsPlaceholder(const absl::Status& error) const;
  // They did: columns were replaced, and it was taken.
  void OnPlaceholder(const event::Emission& emission, const absl::Status& error,
                     absl::string_view columns);

  // The sink cannot take the dead letter either, and says why: leaves the value out, or the key, at
  // last both. False: it has nothing left but its headers.
  bool Shrink(const absl::Status& why);

 private:
  // Of a row of a snapshot: whether somebody has said that it is to be left out.
  bool IsSkippedRow(const event::Emission& emission) const;
  std::string WaysOut(const event::Emission& emission) const;

  absl::Status Decide(const event::Emission& emission, const absl::Status& error, Stage stage,
                      const event::Record** letter);
  void Skip(const event::Emission& emission, const absl::Status& error, Stage stage);
  void Log(const event::Emission& emission, const absl::Status& error, Stage stage);
  void MakeLetter(const event::Emission& emission, const absl::Status& error, Stage stage);
  // The record before the transforms, or as much of it as can be written.
  bool EncodeOriginal(const event::Emission& emission, event::Record* record);
  void AddContextHeaders();
  void SetContext(const event::Emission& emission, const absl::Status& error, Stage stage);
  std::string ClassOf(const absl::Status& error, Stage stage) const;

  const Options options_;
  std::unique_ptr<encode::RecordEncoder> encoder_;  // without transforms; made at the first error
  event::Record letter_;
  std::optional<absl::string_view> spare_key_;  // of letter_, which is tried without it
  std::vector<event::Header> headers_;
  std::array<std::string, kContextNames.size()> context_;
  bool has_context_ = false;
  uint64_t rows_left_out_ = 0;
  SkippedRecords skipped_;
};

}  // namespace walduct::delivery
