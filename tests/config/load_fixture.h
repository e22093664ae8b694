// Loads a connector from texts, as LoadConnector does from files.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "config/loader.h"

namespace walduct::config {

class LoadFixture : public testing::Test {
 protected:
  LoadFixture() : folder_(testing::TempDir() + "walduct_config_" + TestName()) {
    std::filesystem::create_directories(folder_);
  }
  ~LoadFixture() override { std::filesystem::remove_all(folder_); }

  std::string WriteFile(const std::string& name, const std::string& text) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  // The four required properties, the broker and a name: nothing to warn about.
  static std::string Minimal() {
    return "name=orders\ndatabase.hostname=db\ndatabase.user=cdc\ndatabase.dbname=shop\ntopic."
           "prefix=srv\n"
           "bootstrap.servers=kafka:9092\n";
  }

  LoadResult Load(const std::string& connector, const std::string& worker = "",
                  std::vector<std::pair<std::string, std::string>> overrides = {}) const {
    LoadRequest request;
    request.connector_path = WriteFile("connector.conf", connector);
    if (!worker.empty()) request.worker_path = WriteFile("worker.properties", worker);
    request.overrides = std::move(overrides);
    return LoadConnector(request);
  }

  // With one more property.
  LoadResult LoadWith(const std::string& lines) const { return Load(Minimal() + lines + "\n"); }

  static const PropertyReport* Report(const LoadResult& result, const std::string& name) {
    for (const PropertyReport& report : result.loaded.properties) {
      if (report.name == name) return &report;
    }
    return nullptr;
  }

  const std::string& folder() const { return folder_; }

 private:
  static std::string TestName() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    return std::string(test->test_suite_name()) + "_" + test->name();
  }

  std::string folder_;
};

}  // namespace walduct::config
