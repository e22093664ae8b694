// Loads a connector from texts, as LoadConnector does from files.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "loader/load_connector.h"
#include "tests/config/file_fixture.h"

namespace walduct::loader {

class LoadFixture : public config::FileFixture {
 protected:
  // The four required properties, the broker and a name: nothing to warn about.
  static std::string Minimal() {
    return "name=orders\ndatabase.hostname=db\ndatabase.user=cdc\ndatabase.dbname=shop\ntopic."
           "prefix=srv\n"
           "bootstrap.servers=kafka:9092\n";
  }

  LoadResult Load(const std::string& connector, const std::string& worker = "",
                  std::vector<std::pair<std::string, std::string>> overrides = {}) const {
    config::LoadRequest request;
    request.connector_path = WriteFile("connector.conf", connector);
    if (!worker.empty()) request.worker_path = WriteFile("worker.properties", worker);
    request.overrides = std::move(overrides);
    return LoadConnector(request);
  }

  // With one more property.
  LoadResult LoadWith(const std::string& lines) const { return Load(Minimal() + lines + "\n"); }

  static const config::PropertyReport* Report(const LoadResult& result, const std::string& name) {
    for (const config::PropertyReport& report : result.properties) {
      if (report.name == name) return &report;
    }
    return nullptr;
  }
};

}  // namespace walduct::loader
