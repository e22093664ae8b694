// ScratchFolder: a folder below the one for temporary files, which goes with all that is in it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace walduct::cli {

class ScratchFolder {
 public:
  // purpose: "demo", of walduct-demo-….
  explicit ScratchFolder(absl::string_view purpose) {
    std::error_code error;
    const std::filesystem::path below = std::filesystem::temp_directory_path(error);
    path_ = absl::StrCat(error ? "/tmp" : below.string(), "/walduct-", purpose, "-XXXXXX");
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }  // empty: none could be made, errno says why

 private:
  std::string path_;
};

}  // namespace walduct::cli
