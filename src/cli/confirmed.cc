#include "cli/confirmed.h"

#include <unistd.h>

#include <iostream>

#include "absl/strings/str_cat.h"
#include "cli/configuration.h"

namespace walduct::cli {

bool IsConfirmed(absl::string_view command, const std::string& what) {
  if (isatty(STDIN_FILENO) != 1) {
    Refuse(absl::StrCat(command, ": ", what, " Nobody is here to be asked: say --yes"));
    return false;
  }
  std::cerr << what << " Type yes to go on: " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "yes") return true;
  std::cerr << "nothing was changed\n";
  return false;
}

}  // namespace walduct::cli
