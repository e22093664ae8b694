#include "redis/command.h"

#include <charconv>

namespace walduct::redis {
namespace {

void AppendSize(char mark, size_t size, std::string* out) {
  char digits[24] = {mark};
  char* const end = std::to_chars(digits + 1, digits + sizeof(digits) - 2, size).ptr;
  end[0] = '\r';
  end[1] = '\n';
  out->append(digits, static_cast<size_t>(end + 2 - digits));
}

}  // namespace

void AppendArrayHeader(size_t elements, std::string* out) { AppendSize('*', elements, out); }

void AppendArgument(absl::string_view text, std::string* out) {
  AppendSize('$', text.size(), out);
  out->append(text.data(), text.size());
  out->append("\r\n", 2);
}

void AppendCommand(std::initializer_list<absl::string_view> arguments, std::string* out) {
  AppendArrayHeader(arguments.size(), out);
  for (const absl::string_view argument : arguments) AppendArgument(argument, out);
}

}  // namespace walduct::redis
