// Text from outside (names, values, words of servers) as it may stand in a line for people: nothing
// in it ends the line, moves a cursor, colours a terminal or reverses what is read. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct {

// Control characters as \n, \t, \r or \u001B, U+FFFD for every byte that is not UTF-8. Everything
// else is kept, backslashes too: what is plain stays as it is.
std::string PlainText(absl::string_view text);
bool IsPlainText(absl::string_view text);

}  // namespace walduct
