// FunctionScanner: where functions begin and end and how deep their control statements nest, by
// braces alone. Knows as much of C++ as our formatted code needs: namespaces and classes are walked
// into, every other block with a parameter list in its head is a function, a brace without a space
// before it is an initializer.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace walduct::tidy {

struct Function {
  std::string head;       // text before the body, spaces squeezed
  size_t first_line = 0;  // of the head
  size_t last_line = 0;   // of the closing brace
  size_t nesting = 0;     // deepest if, for, while, switch, do

  size_t length() const { return last_line - first_line + 1; }
};

class FunctionScanner {
 public:
  // code: without comments and literals (SourceFile::code).
  static std::vector<Function> Scan(const std::string& code) {
    FunctionScanner scanner;
    for (const absl::string_view line : absl::StrSplit(code, '\n')) scanner.ReadLine(line);
    return scanner.functions_;
  }

 private:
  enum class Block { kContainer, kFunction, kControl, kOther };
  struct Open {
    Block block;
    std::string outer_head;  // continues after an initializer
  };

  void ReadLine(absl::string_view line) {
    ++line_;
    const absl::string_view text = absl::StripLeadingAsciiWhitespace(line);
    // A macro's continuation lines are part of it.
    const bool directive = in_directive_ || absl::StartsWith(text, "#");
    in_directive_ = directive && absl::EndsWith(text, "\\");
    if (directive) return;
    for (const char c : line) ReadCharacter(c);
    ReadCharacter(' ');
  }

  void ReadCharacter(char c) {
    switch (c) {
      case '{':
        OpenBlock();
        break;
      case '}':
        CloseBlock();
        break;
      case ';':
        if (parentheses_ == 0) head_.clear();
        break;
      default:
        if (c == '(') ++parentheses_;
        if (c == ')') --parentheses_;
        Append(c);
    }
  }

  void Append(char c) {
    const bool space = absl::ascii_isspace(static_cast<unsigned char>(c));
    if (head_.empty() && !space) head_line_ = line_;
    if (space && (head_.empty() || head_.back() == ' ')) return;
    head_.push_back(space ? ' ' : c);
  }

  bool HeadHasWord(absl::string_view word) const {
    const std::vector<absl::string_view> words =
        absl::StrSplit(head_, absl::ByAnyChar(" :()<>~&*!,;"));
    return std::find(words.begin(), words.end(), word) != words.end();
  }

  bool InContainer() const {
    return std::all_of(open_.begin(), open_.end(),
                       [](const Open& open) { return open.block == Block::kContainer; });
  }

  Block Classify() const {
    const absl::string_view head = absl::StripTrailingAsciiWhitespace(head_);
    const bool initializer =
        !absl::EndsWith(head_, " ") && !absl::EndsWith(head, ")") && !head.empty();
    if (initializer || absl::EndsWith(head, "=") || absl::EndsWith(head, ",") || parentheses_ > 0)
      return Block::kOther;
    if (!InContainer()) {
      const absl::string_view word = head.substr(0, head.find_first_of(" ("));
      for (const char* control : {"if", "else", "for", "while", "switch", "do"}) {
        if (word == control) return Block::kControl;
      }
      return Block::kOther;
    }
    const bool has_parameters = absl::StrContains(head, "(");
    if (HeadHasWord("namespace") || absl::StartsWith(head, "extern") || HeadHasWord("enum"))
      return Block::kContainer;
    if (has_parameters) return Block::kFunction;
    return HeadHasWord("class") || HeadHasWord("struct") || HeadHasWord("union") ? Block::kContainer
                                                                                 : Block::kOther;
  }

  void OpenBlock() {
    const Block block = Classify();
    if (block == Block::kFunction) {
      functions_.push_back({head_, head_line_, 0, 0});
      in_function_ = true;
    }
    const bool continues = block == Block::kOther;
    open_.push_back({block, continues ? head_ : std::string()});
    saved_parentheses_.push_back(parentheses_);
    saved_head_lines_.push_back(head_line_);
    parentheses_ = 0;
    head_.clear();
    if (!in_function_) return;
    const auto controls = std::count_if(open_.begin(), open_.end(), [](const Open& entry) {
      return entry.block == Block::kControl;
    });
    functions_.back().nesting = std::max(functions_.back().nesting, static_cast<size_t>(controls));
  }

  void CloseBlock() {
    if (open_.empty()) return;
    const Open closed = open_.back();
    open_.pop_back();
    if (closed.block == Block::kFunction) {
      functions_.back().last_line = line_;
      in_function_ = false;
    }
    // What stood before an initializer or a lambda goes on after it.
    head_ = closed.outer_head.empty() ? "" : closed.outer_head + "{}";
    parentheses_ = saved_parentheses_.back();
    head_line_ = saved_head_lines_.back();
    saved_parentheses_.pop_back();
    saved_head_lines_.pop_back();
  }

  std::vector<Function> functions_;
  std::vector<Open> open_;
  std::vector<int> saved_parentheses_;
  std::vector<size_t> saved_head_lines_;
  std::string head_;
  size_t head_line_ = 0;
  size_t line_ = 0;
  int parentheses_ = 0;
  bool in_function_ = false;
  bool in_directive_ = false;
};

}  // namespace walduct::tidy
