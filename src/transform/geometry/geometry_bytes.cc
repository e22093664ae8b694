#include "transform/geometry/geometry_bytes.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

constexpr size_t kHead = 5;  // byte order, type
constexpr size_t kNumber = 4, kCoordinate = 8;
constexpr uint32_t kHasZ = 0x80000000, kHasM = 0x40000000, kHasSrid = 0x20000000, kTypeMask = 0xff;
constexpr int kDeepest = 256;  // collections in collections; PostGIS reads 200

absl::Status TooShort() { return RecordError("a geometry is truncated"); }

uint32_t NumberAt(absl::string_view bytes, bool little) {
  uint32_t number = 0;
  for (size_t i = 0; i < kNumber; ++i)
    number |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i]))
              << 8 * (little ? i : kNumber - 1 - i);
  return number;
}

void AppendNumber(uint32_t number, bool little, std::string* out) {
  for (size_t i = 0; i < kNumber; ++i)
    out->push_back(static_cast<char>(number >> 8 * (little ? i : kNumber - 1 - i)));
}

bool IsLittle(absl::string_view wkb) { return wkb[0] == 1; }

// Reads a geometry and writes it with its coordinates swapped.
class Swapper {
 public:
  Swapper(absl::string_view wkb, std::string* out) : rest_(wkb), out_(out) {}

  absl::Status Geometry(int depth) {
    if (depth > kDeepest) return RecordError("a geometry has too many nested collections");
    RETURN_IF_ERROR(Order());
    uint32_t type = 0;
    RETURN_IF_ERROR(Number(&type));
    if ((type & kHasSrid) != 0) RETURN_IF_ERROR(Copy(kNumber));
    const size_t dimensions = 2 + ((type & kHasZ) != 0 ? 1 : 0) + ((type & kHasM) != 0 ? 1 : 0);
    switch (type & kTypeMask) {
      case 1:
        return Point(dimensions);
      case 2:
        return Line(dimensions);
      case 3:
        return Polygon(dimensions);
      case 4:
        return Several(&Swapper::Point, dimensions);
      case 5:
        return Several(&Swapper::Line, dimensions);
      case 6:
        return Several(&Swapper::Polygon, dimensions);
      case 7:
        return Collection(depth);
      default:
        return RecordError(absl::StrCat("coordinates of geometries of type ", type & kTypeMask,
                                        " cannot be swapped"));
    }
  }

 private:
  absl::Status Copy(size_t size) {
    if (rest_.size() < size) return TooShort();
    out_->append(rest_.data(), size);
    rest_.remove_prefix(size);
    return absl::OkStatus();
  }
  absl::Status Order() {
    if (rest_.empty()) return TooShort();
    little_ = IsLittle(rest_);
    return Copy(1);
  }
  absl::Status Number(uint32_t* number) {
    if (rest_.size() < kNumber) return TooShort();
    *number = NumberAt(rest_, little_);
    return Copy(kNumber);
  }
  // Of what follows; negative: none.
  absl::Status Count(int32_t* count) {
    uint32_t number = 0;
    RETURN_IF_ERROR(Number(&number));
    *count = static_cast<int32_t>(number);
    return absl::OkStatus();
  }

  absl::Status Point(size_t dimensions) {
    if (rest_.size() < dimensions * kCoordinate) return TooShort();
    out_->append(rest_.data() + kCoordinate, kCoordinate);
    out_->append(rest_.data(), kCoordinate);
    rest_.remove_prefix(2 * kCoordinate);
    return Copy((dimensions - 2) * kCoordinate);
  }
  absl::Status Line(size_t dimensions) {
    int32_t count = 0;
    RETURN_IF_ERROR(Count(&count));
    for (int32_t i = 0; i < count; ++i) RETURN_IF_ERROR(Point(dimensions));
    return absl::OkStatus();
  }
  absl::Status Polygon(size_t dimensions) {
    int32_t count = 0;
    RETURN_IF_ERROR(Count(&count));
    for (int32_t i = 0; i < count; ++i) RETURN_IF_ERROR(Line(dimensions));
    return absl::OkStatus();
  }
  // Parts of one kind, each with byte order and type of its own, dimensions as the whole.
  absl::Status Several(absl::Status (Swapper::*part)(size_t), size_t dimensions) {
    int32_t count = 0;
    RETURN_IF_ERROR(Count(&count));
    for (int32_t i = 0; i < count; ++i) {
      uint32_t type = 0;
      RETURN_IF_ERROR(Order());
      RETURN_IF_ERROR(Number(&type));
      RETURN_IF_ERROR((this->*part)(dimensions));
    }
    return absl::OkStatus();
  }
  absl::Status Collection(int depth) {
    int32_t count = 0;
    RETURN_IF_ERROR(Count(&count));
    for (int32_t i = 0; i < count; ++i) RETURN_IF_ERROR(Geometry(depth + 1));
    return absl::OkStatus();
  }

  absl::string_view rest_;
  std::string* const out_;
  bool little_ = false;
};

}  // namespace

bool HasInnerSrid(absl::string_view wkb) {
  return wkb.size() >= kHead && (NumberAt(wkb.substr(1), IsLittle(wkb)) & kHasSrid) != 0;
}

absl::Status AppendWithoutSrid(absl::string_view ewkb, std::string* out) {
  if (ewkb.size() < kHead + kNumber) return TooShort();
  const bool little = IsLittle(ewkb);
  out->push_back(ewkb[0]);
  AppendNumber(NumberAt(ewkb.substr(1), little) & ~kHasSrid, little, out);
  absl::StrAppend(out, ewkb.substr(kHead + kNumber));
  return absl::OkStatus();
}

absl::Status AppendWithSrid(absl::string_view wkb, int32_t srid, std::string* out) {
  if (wkb.size() < kHead) return TooShort();
  const bool little = IsLittle(wkb);
  out->push_back(wkb[0]);
  AppendNumber(NumberAt(wkb.substr(1), little) | kHasSrid, little, out);
  AppendNumber(static_cast<uint32_t>(srid), little, out);
  absl::StrAppend(out, wkb.substr(kHead));
  return absl::OkStatus();
}

absl::Status AppendSwapped(absl::string_view wkb, std::string* out) {
  return Swapper(wkb, out).Geometry(0);
}

}  // namespace walduct::transform
