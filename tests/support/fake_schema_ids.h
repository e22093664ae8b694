// FakeSchemaIds: a registry in memory: ids count from 1, equal schemas share one.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "event/schema_ids.h"

namespace walduct::test {

class FakeSchemaIds final : public event::SchemaIds {
 public:
  absl::StatusOr<int64_t> Find(absl::string_view subject, absl::string_view schema) override {
    ++asked_;
    if (away_) return absl::ResourceExhaustedError("the schema registry is asked");
    if (refused_.count(std::string(subject)) > 0)
      return Error(absl::StatusCode::kInvalidArgument, "schema_refused", "incompatible");
    subjects_.emplace_back(subject);
    const auto known = std::find(schemas_.begin(), schemas_.end(), schema);
    if (known != schemas_.end()) return known - schemas_.begin() + 1;
    schemas_.emplace_back(schema);
    return static_cast<int64_t>(schemas_.size());
  }
  std::shared_ptr<const event::ValueRewriter> RewriterOf(absl::string_view,
                                                         absl::string_view) override {
    return rewriter_;
  }
  int ready_fd() const override { return -1; }
  std::string WaitingFor() const override { return away_ ? "the schema registry" : ""; }

  void set_away(bool away) { away_ = away; }
  void set_rewriter(std::shared_ptr<const event::ValueRewriter> rewriter) {
    rewriter_ = std::move(rewriter);
  }
  void Refuse(const std::string& subject) { refused_.insert(subject); }

  size_t asked() const { return asked_; }
  // In the order of registration.
  const std::vector<std::string>& subjects() const { return subjects_; }
  const std::vector<std::string>& schemas() const { return schemas_; }

 private:
  std::vector<std::string> subjects_, schemas_;
  std::set<std::string> refused_;
  std::shared_ptr<const event::ValueRewriter> rewriter_;
  bool away_ = false;
  size_t asked_ = 0;
};

}  // namespace walduct::test
