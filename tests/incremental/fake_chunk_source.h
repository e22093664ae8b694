// FakeChunkSource: answers when the test says so.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "incremental/chunks/chunk_source.h"

namespace walduct::incremental {

class FakeChunkSource final : public ChunkSource {
 public:
  // What was begun, in order: "open w1", "read public.big after 4", "close w1".
  struct Desk {
    std::vector<std::string> begun;
    std::optional<Answer> answer;
    int most_rows = 0;  // of the last read
  };
  explicit FakeChunkSource(Desk* desk) : desk_(desk) {}

  void WriteOpen(const std::string& window) override {
    desk_->begun.push_back(absl::StrCat("open ", window));
  }
  void Read(const ChunkRequest& request) override {
    desk_->most_rows = request.most_rows;
    std::string text = absl::StrCat("read ", request.table.table.Text());
    if (request.after) absl::StrAppend(&text, " after ", request.after->front().value_or("NULL"));
    if (request.maximum) absl::StrAppend(&text, " to ", request.maximum->front().value_or("NULL"));
    if (!request.storage.empty()) absl::StrAppend(&text, " of ", request.storage);
    if (!request.places.empty())
      absl::StrAppend(&text, " at ", absl::StrJoin(request.places, ","), " before ",
                      request.end->front().value_or("NULL"));
    desk_->begun.push_back(std::move(text));
  }
  void WriteClose(const std::string& window) override {
    desk_->begun.push_back(absl::StrCat("close ", window));
  }
  std::optional<Answer> Poll() override { return std::exchange(desk_->answer, std::nullopt); }
  int ready_fd() const override { return -1; }

 private:
  Desk* const desk_;
};

}  // namespace walduct::incremental
