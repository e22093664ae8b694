#include "incremental/stored/java_stream.h"

#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "java/serial/modified_utf8.h"

namespace walduct::incremental {
namespace {

constexpr uint32_t kFirstHandle = 0x7e0000;
constexpr char kNull = 0x70, kReference = 0x71, kClass = 0x72, kObject = 0x73, kString = 0x74,
               kArray = 0x75, kBlock = 0x77, kEnd = 0x78, kLongString = 0x7c;
constexpr size_t kLongestShort = 0xffff;
constexpr absl::string_view kHeader("\xac\xed\0\x05", 4);

}  // namespace

absl::Status Malformed(absl::string_view what) {
  return Error(absl::StatusCode::kInvalidArgument, "stored_key_malformed",
               absl::StrCat("stored offset: ", what),
               "remove the incremental_snapshot_* members of the offset and signal the snapshot "
               "again");
}

JavaWriter::JavaWriter() : out_(kHeader) {}

void JavaWriter::Null() { out_.push_back(kNull); }

// Names of classes and fields.
void JavaWriter::Utf(absl::string_view text) {
  Integer(text.size(), 2);
  Raw(text);
}

uint32_t JavaWriter::String(absl::string_view text) {
  const uint32_t handle = NewHandle();
  const size_t size = java::ModifiedUtf8Size(text);
  const bool is_short = size <= kLongestShort;
  out_.push_back(is_short ? kString : kLongString);
  Integer(size, is_short ? 2 : 8);
  java::AppendModifiedUtf8(text, &out_);
  return handle;
}

void JavaWriter::Reference(uint32_t handle) {
  out_.push_back(kReference);
  Integer(kFirstHandle + handle, 4);
}

void JavaWriter::Integer(uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out_.push_back(static_cast<char>(value >> shift));
}

void JavaWriter::Describe(const JavaClass* java_class) {
  if (java_class == nullptr) return Null();
  const std::string name(java_class->name);
  if (const auto known = classes_.find(name); known != classes_.end())
    return Reference(known->second);
  out_.push_back(kClass);
  Utf(name);
  Integer(java_class->id, 8);
  classes_[name] = NewHandle();
  out_.push_back(static_cast<char>(java_class->flags));
  const std::vector<std::string> fields =
      absl::StrSplit(java_class->fields, ',', absl::SkipEmpty());
  Integer(fields.size(), 2);
  for (const std::string& field : fields) {
    const std::vector<std::string> parts = absl::StrSplit(field, ':');
    Raw(parts[0]);
    Utf(parts[1]);
    if (parts.size() < 3) continue;
    if (const auto known = type_names_.find(parts[2]); known != type_names_.end()) {
      Reference(known->second);
      continue;
    }
    type_names_[parts[2]] = next_handle_;
    String(parts[2]);
  }
  out_.push_back(kEnd);
  Describe(java_class->super);
}

uint32_t JavaWriter::BeginObject(const JavaClass& java_class) {
  out_.push_back(kObject);
  Describe(&java_class);
  return NewHandle();
}

void JavaWriter::BeginArray(const JavaClass& java_class, uint32_t size) {
  out_.push_back(kArray);
  Describe(&java_class);
  NewHandle();
  Integer(size, 4);
}

void JavaWriter::Block(uint8_t size) {
  out_.push_back(kBlock);
  out_.push_back(static_cast<char>(size));
}

void JavaWriter::EndBlock() { out_.push_back(kEnd); }

namespace {

struct ReadClass {
  struct Field {
    char type = 'I';
    std::string name;
  };
  std::string name;
  bool writes = false;
  std::vector<Field> fields;
  std::shared_ptr<const ReadClass> super;
};
using ReadClassPtr = std::shared_ptr<const ReadClass>;

class JavaReader {
 public:
  explicit JavaReader(absl::string_view bytes) : rest_(bytes) {}

  absl::StatusOr<JavaValue> Run() {
    ASSIGN_OR_RETURN(const absl::string_view header, Take(kHeader.size()));
    if (header != kHeader) return Malformed("not a serialised Java object");
    return Value(0);
  }

 private:
  static constexpr int kDeepest = 16;

  // What a handle stands for.
  struct Known {
    ReadClassPtr java_class;
    JavaValue value;
  };

  absl::StatusOr<absl::string_view> Take(size_t size) {
    if (rest_.size() < size) return Malformed("a serialised Java object is cut short");
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  absl::StatusOr<uint64_t> Integer(size_t bytes) {
    ASSIGN_OR_RETURN(const absl::string_view taken, Take(bytes));
    uint64_t value = 0;
    for (const char c : taken) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }

  absl::StatusOr<std::string> Utf(size_t size_bytes = 2) {
    ASSIGN_OR_RETURN(const uint64_t size, Integer(size_bytes));
    ASSIGN_OR_RETURN(const absl::string_view text, Take(size));
    std::optional<std::string> read = java::FromModifiedUtf8(text);
    if (!read) return Malformed("a text that is not in modified UTF-8");
    return *std::move(read);
  }

  absl::StatusOr<const Known*> Handle() {
    ASSIGN_OR_RETURN(const uint64_t handle, Integer(4));
    if (handle < kFirstHandle || handle - kFirstHandle >= known_.size())
      return Malformed("a serialised Java object names an unknown handle");
    return &known_[handle - kFirstHandle];
  }

  absl::StatusOr<ReadClassPtr> Class(int depth) {
    if (depth > kDeepest) return Malformed("classes nested too deep");
    ASSIGN_OR_RETURN(const uint64_t tag, Integer(1));
    if (tag == static_cast<uint64_t>(kNull)) return ReadClassPtr();
    if (tag == static_cast<uint64_t>(kReference)) {
      ASSIGN_OR_RETURN(const Known* known, Handle());
      if (known->java_class == nullptr) return Malformed("a handle names no class");
      return known->java_class;
    }
    if (tag != static_cast<uint64_t>(kClass)) return Malformed("a class is missing");
    auto read = std::make_shared<ReadClass>();
    ASSIGN_OR_RETURN(read->name, Utf());
    RETURN_IF_ERROR(Integer(8).status());
    const size_t handle = known_.size();
    known_.emplace_back();
    ASSIGN_OR_RETURN(const uint64_t flags, Integer(1));
    read->writes = (flags & 1) != 0;
    ASSIGN_OR_RETURN(const uint64_t count, Integer(2));
    for (uint64_t i = 0; i < count; ++i) {
      ReadClass::Field field;
      ASSIGN_OR_RETURN(const uint64_t type, Integer(1));
      field.type = static_cast<char>(type);
      ASSIGN_OR_RETURN(field.name, Utf());
      if (field.type == 'L' || field.type == '[') RETURN_IF_ERROR(Value(depth + 1).status());
      read->fields.push_back(std::move(field));
    }
    ASSIGN_OR_RETURN(const uint64_t end, Integer(1));
    if (end != static_cast<uint64_t>(kEnd)) return Malformed("annotations of a class");
    ASSIGN_OR_RETURN(read->super, Class(depth + 1));
    known_[handle].java_class = read;
    return ReadClassPtr(std::move(read));
  }

  absl::StatusOr<JavaValue> Value(int depth) {
    if (depth > kDeepest) return Malformed("objects nested too deep");
    ASSIGN_OR_RETURN(const uint64_t tag, Integer(1));
    switch (static_cast<char>(tag)) {
      case kNull:
        return JavaValue();
      case kReference: {
        ASSIGN_OR_RETURN(const Known* known, Handle());
        return known->value;
      }
      case kString:
      case kLongString: {
        JavaValue value;
        value.kind = JavaValue::Kind::kString;
        ASSIGN_OR_RETURN(value.text, Utf(static_cast<char>(tag) == kString ? 2 : 8));
        known_.push_back({nullptr, value});
        return value;
      }
      case kArray:
        return Array(depth);
      case kObject:
        return Object(depth);
      default:
        return Malformed("an unexpected tag in a serialised Java object");
    }
  }

  absl::StatusOr<JavaValue> Array(int depth) {
    ASSIGN_OR_RETURN(const ReadClassPtr of, Class(depth + 1));
    if (of == nullptr) return Malformed("an array without a class");
    JavaValue value;
    value.kind = JavaValue::Kind::kArray;
    value.class_name = of->name;
    const size_t handle = known_.size();
    known_.emplace_back();
    ASSIGN_OR_RETURN(const uint64_t size, Integer(4));
    if (of->name == "[B") {
      ASSIGN_OR_RETURN(const absl::string_view bytes, Take(size));
      value.text = std::string(bytes);
    } else {
      for (uint64_t i = 0; i < size; ++i) {
        ASSIGN_OR_RETURN(JavaValue item, Value(depth + 1));
        value.items.push_back(std::move(item));
      }
    }
    known_[handle].value = value;
    return value;
  }

  absl::StatusOr<JavaValue> Object(int depth) {
    ASSIGN_OR_RETURN(const ReadClassPtr of, Class(depth + 1));
    if (of == nullptr) return Malformed("an object without a class");
    JavaValue value;
    value.kind = JavaValue::Kind::kObject;
    value.class_name = of->name;
    const size_t handle = known_.size();
    known_.emplace_back();
    std::vector<ReadClassPtr> chain;
    for (ReadClassPtr one = of; one != nullptr; one = one->super) chain.push_back(one);
    for (auto one = chain.rbegin(); one != chain.rend(); ++one)
      RETURN_IF_ERROR(Fields(**one, depth, &value));
    known_[handle].value = value;
    return value;
  }

  absl::Status Fields(const ReadClass& of, int depth, JavaValue* value) {
    for (const ReadClass::Field& field : of.fields) {
      if (field.type == 'L' || field.type == '[') {
        ASSIGN_OR_RETURN(JavaValue item, Value(depth + 1));
        value->items.push_back(std::move(item));
        continue;
      }
      ASSIGN_OR_RETURN(value->fields[field.name], Number(field.type));
    }
    return of.writes ? OwnData(value) : absl::OkStatus();
  }

  absl::StatusOr<uint64_t> Number(char type) {
    if (type == 'J' || type == 'D') return Integer(8);
    if (type == 'B' || type == 'Z') return Integer(1);
    if (type == 'S' || type == 'C') return Integer(2);
    ASSIGN_OR_RETURN(const uint64_t value, Integer(4));
    if (type == 'F') return value;
    return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(value)));
  }

  absl::Status OwnData(JavaValue* value) {
    while (true) {
      ASSIGN_OR_RETURN(const uint64_t tag, Integer(1));
      if (tag == static_cast<uint64_t>(kEnd)) return absl::OkStatus();
      if (tag != static_cast<uint64_t>(kBlock)) return Malformed("unexpected data of a class");
      ASSIGN_OR_RETURN(const uint64_t size, Integer(1));
      ASSIGN_OR_RETURN(const absl::string_view bytes, Take(size));
      value->text.append(bytes.data(), bytes.size());
    }
  }

  absl::string_view rest_;
  std::vector<Known> known_;
};

}  // namespace

absl::StatusOr<JavaValue> ReadJava(absl::string_view bytes) { return JavaReader(bytes).Run(); }

}  // namespace walduct::incremental
