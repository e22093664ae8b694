// Sizes a reader can hold in mind: 100 columns a line, 500 lines a file, 70 a function, three
// control statements deep, 3,000 lines a folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "tests/tidy/function_scanner.h"
#include "tests/tidy/source_tree.h"

namespace walduct::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr size_t kMaxFileLines = 500;
constexpr size_t kMaxFunctionLines = 70;
constexpr size_t kMaxNesting = 3;
constexpr size_t kMaxColumns = 100;
constexpr size_t kMaxFolderLines = 3000;  // of its own files, not those of its folders

void CheckFileSize(const SourceFile& file, Findings* findings) {
  const size_t lines = Lines(file.text).size();
  if (lines <= kMaxFileLines) return;
  AddFinding(file, lines, absl::StrCat("file has ", lines, " lines, at most ", kMaxFileLines),
             findings);
}

// Characters, not bytes.
size_t Columns(absl::string_view line) {
  return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// A line that a literal makes wider counts as none, unless a comment follows the code.
size_t ColumnsThatCount(absl::string_view line, absl::string_view code) {
  const size_t end = absl::StripTrailingAsciiWhitespace(code).size();
  const absl::string_view behind = absl::StripLeadingAsciiWhitespace(line.substr(end));
  if (absl::StartsWith(behind, "//")) return Columns(line);
  return absl::StrContains(line, "\"") ? 0 : Columns(code.substr(0, end));
}

// Comments and code. Literals may be wider, and so may tables that clang-format leaves alone.
void CheckWidth(const SourceFile& file, Findings* findings) {
  const std::vector<absl::string_view> code = Lines(file.code);
  size_t number = 0;
  bool formatted = true;
  for (const absl::string_view line : Lines(file.text)) {
    if (absl::StrContains(line, "clang-format off")) formatted = false;
    if (absl::StrContains(line, "clang-format on")) formatted = true;
    const size_t columns = ColumnsThatCount(line, code[number]);
    ++number;
    if (!formatted || columns <= kMaxColumns) continue;
    AddFinding(file, number, absl::StrCat("line has ", columns, " columns, at most ", kMaxColumns),
               findings);
  }
}

Findings CheckFolders(const std::vector<SourceFile>& files) {
  std::map<std::string, size_t> sizes;
  for (const SourceFile& file : files)
    sizes[file.path.substr(0, file.path.rfind('/'))] += Lines(file.text).size();
  Findings findings;
  for (const auto& [folder, lines] : sizes) {
    if (lines <= kMaxFolderLines) continue;
    findings.push_back(absl::StrCat(folder, ": ", lines, " lines, at most ", kMaxFolderLines,
                                    ": give it sub-folders"));
  }
  return findings;
}

void CheckFunctions(const SourceFile& file, Findings* findings) {
  for (const Function& function : FunctionScanner::Scan(file.code)) {
    if (function.length() > kMaxFunctionLines) {
      AddFinding(
          file, function.first_line,
          absl::StrCat("function has ", function.length(), " lines, at most ", kMaxFunctionLines),
          findings);
    }
    if (function.nesting > kMaxNesting) {
      AddFinding(file, function.first_line,
                 absl::StrCat("control statements nest ", function.nesting, " deep, at most ",
                              kMaxNesting),
                 findings);
    }
  }
}

TEST(Size, FilesAreAtMost500Lines) {
  Findings findings;
  for (const SourceFile& file : ReadTree({"src", "tests", "bench"}, {".h", ".cc", ".py"})) {
    CheckFileSize(file, &findings);
  }
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Size, FunctionsAreAtMost70LinesAndThreeDeep) {
  Findings findings;
  size_t functions = 0;
  for (const SourceFile& file : ReadTree({"src", "tests", "bench"}, {".h", ".cc"})) {
    CheckFunctions(file, &findings);
    functions += FunctionScanner::Scan(file.code).size();
  }
  EXPECT_GT(functions, 100u);
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Size, LinesAreAtMost100Columns) {
  Findings findings;
  for (const SourceFile& file : ReadTree({"src", "tests", "bench"}, {".h", ".cc"}))
    CheckWidth(file, &findings);
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Size, FoldersOfSourcesHaveSubfolders) {
  const Findings findings = CheckFolders(ReadTree({"src"}, {".h", ".cc"}));
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

std::string FunctionOf(size_t lines) {
  std::string text = "int F() {\n";
  for (size_t i = 2; i < lines; ++i) text += "  G();\n";
  return text + "}\n";
}

TEST(SizeRule, FindsALongFile) {
  Findings findings;
  CheckFileSize(MakeSource("a.cc", std::string(500, '\n')), &findings);
  EXPECT_THAT(findings, IsEmpty());
  CheckFileSize(MakeSource("a.cc", std::string(501, '\n')), &findings);
  EXPECT_THAT(findings, ElementsAre("a.cc:501: file has 501 lines, at most 500"));
}

TEST(SizeRule, FindsAWideLine) {
  Findings findings;
  const std::string wide(98, 'x');
  CheckWidth(MakeSource("a.cc", "// clang-format off\n// " + wide + "\n// clang-format on\n"),
             &findings);
  CheckWidth(MakeSource("a.cc", "//" + wide + "\n"), &findings);
  EXPECT_THAT(findings, IsEmpty());
  CheckWidth(MakeSource("a.cc", "\n// " + wide + "\n"), &findings);
  EXPECT_THAT(findings, ElementsAre("a.cc:2: line has 101 columns, at most 100"));
  findings.clear();
  CheckWidth(MakeSource("a.cc", "F(\"" + wide + "\");\n"), &findings);
  EXPECT_THAT(findings, IsEmpty());
  CheckWidth(MakeSource("a.cc", "F(\"a\");  // " + wide + "\n"), &findings);
  EXPECT_THAT(findings, ElementsAre("a.cc:1: line has 110 columns, at most 100"));
}

TEST(SizeRule, FindsALargeFolder) {
  const SourceFile half = MakeSource("src/a/b.cc", std::string(1600, '\n'));
  EXPECT_THAT(CheckFolders({half, MakeSource("src/a/c/d.cc", half.text)}), IsEmpty());
  EXPECT_THAT(CheckFolders({half, MakeSource("src/a/e.cc", half.text)}),
              ElementsAre("src/a: 3200 lines, at most 3000: give it sub-folders"));
}

TEST(SizeRule, FindsALongFunction) {
  Findings findings;
  CheckFunctions(MakeSource("a.cc", "namespace x {\n" + FunctionOf(70) + FunctionOf(71) + "}\n"),
                 &findings);
  EXPECT_THAT(findings, ElementsAre("a.cc:72: function has 71 lines, at most 70"));
}

TEST(SizeRule, FindsDeepNesting) {
  Findings findings;
  CheckFunctions(
      MakeSource(
          "a.cc",
          "void F() {\n  for (;;) {\n    if (a) {\n      while (b) {\n      }\n    }\n  }\n}\n"),
      &findings);
  EXPECT_THAT(findings, IsEmpty());
  CheckFunctions(MakeSource("a.cc",
                            "void F() {\n  for (;;) {\n    if (a) {\n      while (b) {\n        do "
                            "{\n        } while (c);\n"
                            "      }\n    }\n  }\n}\n"),
                 &findings);
  EXPECT_THAT(findings, ElementsAre("a.cc:1: control statements nest 4 deep, at most 3"));
}

TEST(FunctionScanner, CountsElseOnce) {
  const auto functions = FunctionScanner::Scan(
      "void F() {\n  if (a) {\n  } else if (b) {\n  } else {\n    if (c) {\n    }\n  }\n}\n");
  ASSERT_THAT(functions, SizeIs(1));
  EXPECT_EQ(functions[0].nesting, 2u);
}

TEST(FunctionScanner, SeesMembersConstructorsAndOperators) {
  const auto functions = FunctionScanner::Scan(
      "struct A {\n"
      "  A() : a_{1}, b_(2) {\n  }\n"
      "  bool ok() const { return true; }\n"
      "  friend bool operator==(A, A) { return true; }\n"
      "  int a_ = 0;\n"
      "};\n"
      "A::~A() {\n}\n");
  ASSERT_THAT(functions, SizeIs(4));
  EXPECT_EQ(functions[0].first_line, 2u);
  EXPECT_EQ(functions[0].last_line, 3u);
  EXPECT_EQ(functions[3].length(), 2u);
}

TEST(FunctionScanner, TablesAreNoFunctions) {
  EXPECT_THAT(
      FunctionScanner::Scan(
          "constexpr Row kTable[] = {\n  {1, F(2)},\n  {3, 4},\n};\nenum class E { kA };\n"),
      IsEmpty());
}

TEST(FunctionScanner, LambdasBelongToTheirFunction) {
  const auto functions = FunctionScanner::Scan(
      "void F() {\n  Each([&](int a) {\n    if (a) {\n      G();\n    }\n  });\n  for (;;) {\n  "
      "}\n}\nvoid H() {\n}\n");
  ASSERT_THAT(functions, SizeIs(2));
  EXPECT_EQ(functions[0].last_line, 9u);
  EXPECT_EQ(functions[1].first_line, 10u);
}

TEST(FunctionScanner, MacrosAreSkipped) {
  EXPECT_THAT(FunctionScanner::Scan("#define X(a) \\\n  do { \\\n  } while (0)\nint a;\n"),
              IsEmpty());
}

TEST(CodeOnly, BlanksCommentsAndLiteralsAndKeepsLines) {
  EXPECT_EQ(CodeOnly("a; // {\nb(\"}\\\"{\", '{', 1'000);\n/* {\n*/c"),
            "a;     \nb(      ,    , 1'000);\n    \n  c");
  EXPECT_EQ(CodeOnly("x = R\"sql({ \" )sql\"; y"), "x =                ; y");
}

}  // namespace
}  // namespace walduct::tidy
