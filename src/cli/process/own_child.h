// OwnChild: this program once more, as a process of its own, for as long as this one lives.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace walduct::cli {

class OwnChild {
 public:
  // arguments: behind the program's name. What it prints goes to log, a file.
  OwnChild(const std::vector<std::string>& arguments, const std::string& log);
  // Ends it.
  ~OwnChild();
  OwnChild(const OwnChild&) = delete;
  OwnChild& operator=(const OwnChild&) = delete;

  // Absent: it runs. 128 and the signal, of one that a signal ended.
  std::optional<int> exit_code();
  // Asks it to end, and has it ended after a while; its exit code.
  int Stop();

 private:
  pid_t pid_ = -1;
  std::optional<int> ended_;
};

}  // namespace walduct::cli
