// Chunks: who reads tables in chunks from the simulated database and writes watermarks into it, on
// a thread and a session of its own. Statements take a while, wait for locks, and may break with or
// without an effect. Each view lacks what is committed and not visible yet.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "incremental/chunks/chunk_source.h"
#include "incremental/chunks/held_commits.h"
#include "tests/simulation/process.h"

namespace walduct::simulation {

class Chunks final : public incremental::ChunkSource {
 public:
  Chunks(World* world, Process* process);
  ~Chunks() override { state_->closed = true; }

  void WriteOpen(const std::string& window) override;
  void Read(const incremental::ChunkRequest& request) override;
  void WriteClose(const std::string& window) override;
  std::optional<Answer> Poll() override;
  int ready_fd() const override { return state_->fd; }

 private:
  // What may end later than the object.
  struct State {
    World* world = nullptr;
    Process* process = nullptr;
    bool closed = false;
    int fd = -1;
    uint32_t timeline = 1;
    incremental::HeldCommits held;
    event::TableSchemaPtr schemas[kTables];
    std::optional<Answer> answer = {};
  };
  using Shared = std::shared_ptr<State>;

  // Goes on after a while, unless the process or the server is gone by then.
  static void Later(const Shared& state, absl::Duration most, std::function<void()> what);
  static void Reply(const Shared& state, Answer answer);
  static void Write(const Shared& state, const Signal& signal);
  static incremental::Chunk Take(State* state, const incremental::ChunkRequest& request);
  static void AddRows(const State& state, const incremental::ChunkRequest& request, size_t table,
                      incremental::Chunk* chunk);

  const Shared state_;
};

}  // namespace walduct::simulation
