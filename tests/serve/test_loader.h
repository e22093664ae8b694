// TestLoader: configurations become those of connectors on a fake database.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "metrics/topic_board.h"
#include "serve/worker/connector_loader.h"
#include "tests/support/fake_world.h"

namespace walduct::test {

class TestLoader final : public serve::ConnectorLoader {
 public:
  // A configuration that has it is taken, and does not load.
  static constexpr char kUnknownProperty[] = "no.such.property";

  explicit TestLoader(std::shared_ptr<metrics::TopicBoard> board = nullptr)
      : ConnectorLoader({}, "", Environment::Real()), board_(std::move(board)) {}

  // One that has "bad" is refused.
  serve::Loaded Load(const serve::ConfigMap& config) const override {
    ++loads;
    serve::Loaded loaded;
    loaded.topics = board_;
    if (serve::FindValue(config, "bad") != nullptr) {
      loaded.errors = {"property 'bad': is bad"};
    } else {
      loaded.options = std::make_shared<const engine::ConnectorOptions>(
          FakeConfig(*serve::FindValue(config, "name")));
    }
    return loaded;
  }
  serve::ValidationQuestions Questions() const override { return {}; }

  mutable int loads = 0;

 private:
  const std::shared_ptr<metrics::TopicBoard> board_;
};

}  // namespace walduct::test
