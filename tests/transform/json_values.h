// Trees of values from JSON as JsonConverter writes it, and back, by their schema.
#pragma once

#include <deque>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "encode/formats/scalar_text.h"
#include "event/connect_schema.h"
#include "event/tree.h"
#include "transform/outbox/json_tree.h"

namespace walduct::transform {

inline event::Scalar JsonNumber(const std::string& text, event::ConnectType type) {
  int64_t integer = 0;
  double real = 0;
  if (type != event::ConnectType::kFloat && type != event::ConnectType::kDouble)
    return absl::SimpleAtoi(text, &integer) ? event::Scalar::Integer(integer) : event::Scalar();
  return absl::SimpleAtod(text, &real) ? event::Scalar::Real(real) : event::Scalar();
}

inline void AddJson(const JsonTree& json, const event::ConnectSchema& schema,
                    event::TreeBuilder* out) {
  using Kind = event::Scalar::Kind;
  const bool map = schema.type == event::ConnectType::kMap;
  std::string bytes;
  switch (json.kind) {
    case JsonTree::Kind::kNull:
      return out->Add({});
    case JsonTree::Kind::kBoolean:
      return out->Add(event::Scalar::Boolean(json.boolean));
    case JsonTree::Kind::kNumber:
      return out->Add(JsonNumber(json.text, schema.type));
    case JsonTree::Kind::kText:
      if (schema.type != event::ConnectType::kBytes)
        return out->Add(event::Scalar::Text(json.text));
      absl::Base64Unescape(json.text, &bytes);
      return out->Add(event::Scalar::Bytes(bytes));
    case JsonTree::Kind::kArray:
      out->Begin(map ? Kind::kMap : Kind::kArray);
      for (const JsonTree& item : json.items) {
        if (map) AddJson(item.items[0], *schema.keys, out);
        AddJson(map ? item.items[1] : item, *schema.items, out);
      }
      return out->End();
    case JsonTree::Kind::kObject:
      out->Begin(map ? Kind::kMap : Kind::kStruct);
      for (const NamedTree& member : json.members) {
        if (map) {
          out->Add(event::Scalar::Text(member.name));
        } else {
          out->Name(member.name);
        }
        AddJson(member.value, map ? *schema.items : *schema.Find(member.name)->schema, out);
      }
      return out->End();
  }
}

// Its text lives as long as the process.
inline event::Scalar TreeOf(absl::string_view json, const event::ConnectSchema& schema) {
  static auto* const texts = new std::deque<std::string>();
  event::TreeBuilder tree(&texts->emplace_back());
  AddJson(*ParseJsonTree(json), schema, &tree);
  return tree.value();
}

inline std::string JsonOf(const event::Scalar& value, const event::ConnectSchema& schema) {
  OutBuffer json;
  encode::Scratch scratch;
  encode::ValueContext context;
  context.out = &json;
  context.scratch = &scratch;
  encode::AppendScalar(value, &schema, &context);
  return std::string(json.view());
}

}  // namespace walduct::transform
