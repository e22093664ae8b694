// Files of a test, in a folder of its own that goes with it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace walduct::config {

class FileFixture : public testing::Test {
 protected:
  FileFixture() : folder_(testing::TempDir() + "walduct_config_" + TestName()) {
    std::filesystem::create_directories(folder_);
  }
  ~FileFixture() override { std::filesystem::remove_all(folder_); }

  std::string WriteFile(const std::string& name, const std::string& text) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
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
