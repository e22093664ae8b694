// HelpFormatter: `--help` of every command: what it does, its words and options in two columns, its
// subcommands by group, what is said below. No line is wider than a terminal of 100 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace walduct::cli {

class HelpFormatter final : public CLI::FormatterBase {
 public:
  static constexpr size_t kWidth = 100;

  std::string make_help(const CLI::App* command, std::string path,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace walduct::cli
