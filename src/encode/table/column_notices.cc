#include "encode/table/column_notices.h"

#include "absl/strings/str_cat.h"
#include "encode/table/field_plan.h"

namespace walduct::encode {

void ColumnNotices::Add(const ColumnNotice& notice) {
  const std::string id =
      absl::StrCat(notice.table, ".", notice.column, "/", static_cast<int>(notice.kind));
  if (told_.insert(id).second) pending_.push_back(notice);
}

void ColumnNotices::AddValue(ColumnNotice::Kind kind, absl::string_view table,
                             const FieldPlan& field) {
  if (fields_.emplace(&field, kind).second) Add({kind, std::string(table), field.name, ""});
}

}  // namespace walduct::encode
