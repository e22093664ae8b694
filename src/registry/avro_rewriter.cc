#include "registry/avro_rewriter.h"

#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::registry {
namespace {

using Kind = AvroType::Kind;

absl::Status Differs(absl::string_view message) {
  return Error(absl::StatusCode::kInvalidArgument, "schema_differs", message);
}

absl::Status NotAValue() {
  return Error(absl::StatusCode::kInternal, "avro_value", "an Avro value does not fit its schema");
}

std::string FieldAt(absl::string_view path) {
  return path.empty() ? "the value" : absl::StrCat("field ", path);
}

std::string PathTo(absl::string_view path, absl::string_view name) {
  return absl::StrCat(path, path.empty() ? "" : ".", name);
}

// As a zigzag varint of one byte: unions have few branches.
char BranchByte(int branch) { return static_cast<char>(2 * branch); }

}  // namespace

class AvroRewriterCompiler {
 public:
  using Step = AvroRewriter::Step;

  AvroRewriterCompiler(AvroRewriter* rewriter, bool strict)
      : rewriter_(rewriter), strict_(strict) {}

  absl::Status Compile(const AvroType& own, const AvroType& known, const std::string& path,
                       Step* step) {
    if (own.kind == Kind::kUnion) return CompileUnion(own, known, path, step);
    if (known.kind == Kind::kUnion) {
      const int branch = FindBranch(own, known);
      if (branch < 0) return Other(own, known, path);
      RETURN_IF_ERROR(Compile(own, BranchOf(known, branch), path, step));
      step->branch = branch;
      rewriter_->keeps_bytes_ = false;
      return absl::OkStatus();
    }
    if (CompilePromotion(own.kind, known.kind, step)) return absl::OkStatus();
    if (!Fit(own, known)) return Other(own, known, path);
    switch (own.kind) {
      case Kind::kRecord:
        return CompileRecord(own, known, path, step);
      case Kind::kArray:
      case Kind::kMap:
        step->kind = Step::Kind::kItems;
        step->keys = own.kind == Kind::kMap;
        step->parts.resize(1);
        return Compile(*own.parts[0].type, *known.parts[0].type, PathTo(path, "[]"),
                       step->parts.data());
      default:
        CompileSimple(own, step);
        return absl::OkStatus();
    }
  }

 private:
  static const AvroType& BranchOf(const AvroType& of, int branch) {
    return *of.parts[static_cast<size_t>(branch)].type;
  }

  static absl::Status Other(const AvroType& own, const AvroType& known, const std::string& path) {
    return Differs(absl::StrCat(FieldAt(path), " is ", NameOf(known), " there, and ", NameOf(own),
                                " in the table's"));
  }

  static bool Fit(const AvroType& own, const AvroType& known) {
    return own.kind == known.kind && own.size == known.size && own.symbols == known.symbols;
  }

  // Of numbers to wider ones, as Avro has it.
  bool CompilePromotion(Kind own, Kind known, Step* step) {
    const bool number = own == Kind::kInt || own == Kind::kLong;
    if (own == Kind::kInt && known == Kind::kLong) {
      step->kind = Step::Kind::kNumber;  // the same bytes
      return true;
    }
    const bool real = known == Kind::kFloat || known == Kind::kDouble;
    const bool wider = number ? real : own == Kind::kFloat && known == Kind::kDouble;
    if (!wider) return false;
    step->kind = Step::Kind::kReal;
    step->size = number ? 0 : sizeof(float);
    step->single = known == Kind::kFloat;
    rewriter_->keeps_bytes_ = false;
    return true;
  }

  static int FindBranch(const AvroType& own, const AvroType& known) {
    for (size_t i = 0; i < known.parts.size() && i < 64; ++i) {
      const AvroType& branch = *known.parts[i].type;
      if (branch.kind == own.kind && branch.name == own.name) return static_cast<int>(i);
    }
    return -1;
  }

  static void CompileSimple(const AvroType& own, Step* step) {
    switch (own.kind) {
      case Kind::kNull:
        break;
      case Kind::kInt:
      case Kind::kLong:
      case Kind::kEnum:
        step->kind = Step::Kind::kNumber;
        break;
      case Kind::kBytes:
      case Kind::kString:
        step->kind = Step::Kind::kText;
        break;
      default:
        step->kind = Step::Kind::kBytes;
        step->size = own.kind == Kind::kBoolean  ? 1
                     : own.kind == Kind::kFloat  ? 4
                     : own.kind == Kind::kDouble ? 8
                                                 : static_cast<size_t>(own.size);
    }
  }

  // The fields there have to be the first ones here.
  absl::Status CompileRecord(const AvroType& own, const AvroType& known, const std::string& path,
                             Step* step) {
    step->kind = Step::Kind::kRecord;
    step->parts.resize(own.parts.size());
    for (size_t i = 0; i < known.parts.size(); ++i) {
      const std::string& name = known.parts[i].name;
      if (i >= own.parts.size())
        return Differs(absl::StrCat(FieldAt(PathTo(path, name)), " is not in the table's"));
      if (own.parts[i].name != name) {
        return Differs(absl::StrCat("field ", i + 1, " of ", path.empty() ? "the value" : path,
                                    " is ", name, " there, and ", own.parts[i].name,
                                    " in the table's: values would stand under another's name"));
      }
      RETURN_IF_ERROR(
          Compile(*own.parts[i].type, *known.parts[i].type, PathTo(path, name), &step->parts[i]));
    }
    for (size_t i = known.parts.size(); i < own.parts.size(); ++i) {
      const AvroType& type = *own.parts[i].type;
      RETURN_IF_ERROR(Compile(type, type, "", &step->parts[i]));
      step->parts[i].left_out = true;
      rewriter_->keeps_bytes_ = false;
      rewriter_->left_out_.push_back(PathTo(path, own.parts[i].name));
    }
    return absl::OkStatus();
  }

  absl::Status CompileUnion(const AvroType& own, const AvroType& known, const std::string& path,
                            Step* step) {
    step->kind = Step::Kind::kUnion;
    step->parts.resize(own.parts.size());
    const bool one = known.kind != Kind::kUnion;
    for (size_t i = 0; i < own.parts.size(); ++i) {
      const AvroType& type = *own.parts[i].type;
      Step& part = step->parts[i];
      const int branch = one ? -1 : FindBranch(type, known);
      const bool missing = one ? type.kind == Kind::kNull && known.kind != Kind::kNull : branch < 0;
      if (missing && (strict_ || type.kind != Kind::kNull)) return Other(own, known, path);
      if (branch != static_cast<int>(i)) rewriter_->keeps_bytes_ = false;
      if (missing) {
        part.kind = Step::Kind::kNoForm;
        part.field = FieldAt(path);
        continue;
      }
      RETURN_IF_ERROR(Compile(type, one ? known : BranchOf(known, branch), path, &part));
      part.branch = branch;
    }
    return absl::OkStatus();
  }

  AvroRewriter* const rewriter_;
  const bool strict_;
};

absl::StatusOr<std::shared_ptr<const AvroRewriter>> AvroRewriter::Make(absl::string_view own,
                                                                       absl::string_view known,
                                                                       bool strict) {
  const AvroTypes table(own), other(known);
  if (table.root() == nullptr || other.root() == nullptr)
    return Differs("it is no schema of Avro that can be read");
  std::shared_ptr<AvroRewriter> rewriter(new AvroRewriter());
  AvroRewriterCompiler compiler(rewriter.get(), strict);
  RETURN_IF_ERROR(compiler.Compile(*table.root(), *other.root(), "", &rewriter->top_));
  // Bytes alone have no length before them.
  if (other.root()->kind == Kind::kBytes && !rewriter->keeps_bytes_)
    return Differs(
        absl::StrCat("the value is bytes there, and ", NameOf(*table.root()), " in the table's"));
  return rewriter;
}

struct AvroRewriter::Reader {
  absl::string_view rest;

  bool Take(size_t size, std::string* out) {
    if (size > rest.size()) return false;
    if (out != nullptr) out->append(rest.data(), size);
    rest.remove_prefix(size);
    return true;
  }

  bool Number(int64_t* number, std::string* out) {
    uint64_t value = 0;
    for (size_t i = 0; i < rest.size() && i < 10; ++i) {
      const auto byte = static_cast<unsigned char>(rest[i]);
      value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if ((byte & 0x80) != 0) continue;
      *number = static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
      return Take(i + 1, out);
    }
    return false;
  }

  bool Text(std::string* out) {
    int64_t size = 0;
    return Number(&size, out) && size >= 0 && Take(static_cast<size_t>(size), out);
  }
};

namespace {

template <typename Bits>
void AppendLittleEndian(Bits bits, std::string* out) {
  for (size_t i = 0; i < sizeof(bits); ++i) out->push_back(static_cast<char>(bits >> (8 * i)));
}

template <typename Number>
void AppendReal(Number value, bool single, std::string* out) {
  if (single) {
    AppendLittleEndian(std::bit_cast<uint32_t>(static_cast<float>(value)), out);
  } else {
    AppendLittleEndian(std::bit_cast<uint64_t>(static_cast<double>(value)), out);
  }
}

}  // namespace

absl::Status AvroRewriter::RunReal(const Step& step, Reader* in, std::string* out) {
  if (step.size == 0) {
    int64_t number = 0;
    if (!in->Number(&number, nullptr)) return NotAValue();
    if (out != nullptr) AppendReal(number, step.single, out);
    return absl::OkStatus();
  }
  std::string bytes;
  if (!in->Take(step.size, &bytes)) return NotAValue();
  uint32_t bits = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    bits |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  if (out != nullptr) AppendReal(std::bit_cast<float>(bits), step.single, out);
  return absl::OkStatus();
}

absl::Status AvroRewriter::Rewrite(absl::string_view value, std::string* out) const {
  Reader in{value};
  RETURN_IF_ERROR(Run(top_, &in, out));
  return in.rest.empty() ? absl::OkStatus() : NotAValue();
}

absl::Status AvroRewriter::RunItems(const Step& step, Reader* in, std::string* out) {
  int64_t count = 0;
  do {
    if (!in->Number(&count, out) || count < 0) return NotAValue();
    for (int64_t i = 0; i < count; ++i) {
      if (step.keys && !in->Text(out)) return NotAValue();
      RETURN_IF_ERROR(Run(step.parts[0], in, out));
    }
  } while (count > 0);
  return absl::OkStatus();
}

// out: null for what is left out.
absl::Status AvroRewriter::Run(const Step& step, Reader* in, std::string* out) {
  if (step.left_out) out = nullptr;
  if (step.branch >= 0 && out != nullptr) out->push_back(BranchByte(step.branch));
  int64_t number = 0;
  switch (step.kind) {
    case Step::Kind::kNothing:
      return absl::OkStatus();
    case Step::Kind::kNumber:
      return in->Number(&number, out) ? absl::OkStatus() : NotAValue();
    case Step::Kind::kReal:
      return RunReal(step, in, out);
    case Step::Kind::kBytes:
      return in->Take(step.size, out) ? absl::OkStatus() : NotAValue();
    case Step::Kind::kText:
      return in->Text(out) ? absl::OkStatus() : NotAValue();
    case Step::Kind::kItems:
      return RunItems(step, in, out);
    case Step::Kind::kRecord:
      for (const Step& part : step.parts) RETURN_IF_ERROR(Run(part, in, out));
      return absl::OkStatus();
    case Step::Kind::kUnion:
      if (!in->Number(&number, nullptr) || number < 0 ||
          static_cast<size_t>(number) >= step.parts.size()) {
        return NotAValue();
      }
      return Run(step.parts[static_cast<size_t>(number)], in, out);
    case Step::Kind::kNoForm:
      return Error(
          absl::StatusCode::kInvalidArgument, "schema_differs",
          absl::StrCat(step.field, " is NULL, and the registry's schema has no null there"),
          "correct the row, or register a schema with a union of null and the type");
  }
  return absl::OkStatus();
}

}  // namespace walduct::registry
