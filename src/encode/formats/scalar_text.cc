#include "encode/formats/scalar_text.h"

#include "encode/formats/write_scalar.h"
#include "java/time/connect_time.h"

namespace walduct::encode {

using event::Scalar;

bool AppendScalar(const Scalar& value, const event::ConnectSchema* schema, ValueContext* context) {
  return WithTextWriter(
      *context, [&](auto* out) { return WriteScalar(value, schema, context->scratch, out); });
}

bool AppendHeaderScalar(const Scalar& value, const event::ConnectSchema* schema,
                        ValueContext* context) {
  if (value.kind == Scalar::Kind::kInteger && schema != nullptr) {
    std::string time;
    if (java::AppendConnectTime(schema->name, value.integer, &time)) {
      context->out->append(time);
      return true;
    }
  }
  context->format = value.is_tree() ? TextFormat::kHeader : TextFormat::kStruct;
  return AppendScalar(value, schema, context);
}

}  // namespace walduct::encode
