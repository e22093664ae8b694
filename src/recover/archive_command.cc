#include "recover/archive_command.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace walduct::recover {
namespace {

std::string Substituted(const std::string& text, const AskedFor& asked) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '%' && i + 1 < text.size() ? text[i + 1] : '\0';
    if (next == 'f') {
      out += asked.file;
    } else if (next == 'p') {
      out += asked.path;
    } else if (next == '%') {
      out += '%';
    } else {
      out += text[i];
      continue;
    }
    ++i;
  }
  return out;
}

}  // namespace

std::vector<std::string> CommandFor(const std::vector<std::string>& words, const AskedFor& asked) {
  if (words.size() != 1) return words;
  return {"/bin/sh", "-c", Substituted(words.front(), asked)};
}

CommandEnd RunCommand(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ)) {
    std::fprintf(stderr, "walduct: cannot run %s: %s\n", argv[0], std::strerror(error));
    return {error == ENOENT ? 127 : 126, 0};
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return {kStopsTheServer, 0};
  }
  return WIFSIGNALED(status) ? CommandEnd{0, WTERMSIG(status)} : CommandEnd{WEXITSTATUS(status), 0};
}

void EndAs(CommandEnd end) {
  if (end.signal == 0) std::exit(end.exit_code);
  std::signal(end.signal, SIG_DFL);
  std::raise(end.signal);
  // Blocked: as a shell says it.
  std::exit(128 + end.signal);
}

}  // namespace walduct::recover
