#include "cli/process/own_child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environment.h"

namespace walduct::cli {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(20);
constexpr absl::Duration kLook = absl::Milliseconds(20);
constexpr int kCannot = 127;

// Nothing here but what a child of a process with threads may call.
[[noreturn]] void Become(char* const* arguments, const char* log) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (out >= 0 && in >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2)
    execv("/proc/self/exe", arguments);
  _exit(kCannot);
}

}  // namespace

OwnChild::OwnChild(const std::vector<std::string>& arguments, const std::string& log) {
  std::vector<std::string> words = {"walduct"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) Become(raw.data(), log.c_str());
  if (pid_ < 0) ended_ = kCannot;
}

OwnChild::~OwnChild() { Stop(); }

std::optional<int> OwnChild::exit_code() {
  int status = 0;
  if (!ended_ && waitpid(pid_, &status, WNOHANG) == pid_)
    ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended_;
}

int OwnChild::Stop() {
  const Environment environment = Environment::Real();
  const absl::Duration begin = environment.clock->Monotonic();
  if (!exit_code()) kill(pid_, SIGTERM);
  while (!exit_code()) {
    if (environment.clock->Monotonic() - begin > kPatience) kill(pid_, SIGKILL);
    environment.poller->WaitReadable({}, kLook);
  }
  return *ended_;
}

}  // namespace walduct::cli
