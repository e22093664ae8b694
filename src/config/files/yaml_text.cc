#include "config/files/yaml_text.h"

#include <yaml.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::config {
namespace {

constexpr int kMaxDepth = 32;
constexpr int kMaxNodes = 20'000;

absl::Status Malformed(absl::string_view message) {
  return Error(absl::StatusCode::kInvalidArgument, "bad_yaml", message,
               "check the indentation, colons and quotes there");
}

class Parser {
 public:
  explicit Parser(absl::string_view text) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Parser() { yaml_parser_delete(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  absl::StatusOr<std::vector<YamlNode>> ParseAll() {
    std::vector<YamlNode> documents;
    while (true) {
      yaml_document_t document;
      if (yaml_parser_load(&parser_, &document) == 0) return Problem();
      yaml_node_t* const root = yaml_document_get_root_node(&document);
      absl::StatusOr<YamlNode> node = YamlNode{};
      if (root != nullptr) node = Convert(&document, *root, 0);
      yaml_document_delete(&document);
      if (root == nullptr) return documents;
      if (!node.ok()) return node.status();
      documents.push_back(*std::move(node));
    }
  }

 private:
  absl::Status Problem() const {
    const char* const what = parser_.problem == nullptr ? "unreadable" : parser_.problem;
    const yaml_mark_t& mark = parser_.problem_mark;
    return Malformed(absl::StrCat("not valid YAML at line ", mark.line + 1, ", column ",
                                  mark.column + 1, ": ", what));
  }

  absl::StatusOr<YamlNode> Convert(yaml_document_t* document, const yaml_node_t& from, int depth) {
    if (depth > kMaxDepth || ++nodes_ > kMaxNodes)
      return Malformed("the YAML text is nested too deep, or too long");
    YamlNode node;
    switch (from.type) {
      case YAML_NO_NODE:
        break;
      case YAML_SCALAR_NODE:
        return Scalar(from);
      case YAML_SEQUENCE_NODE:
        node.kind = YamlNode::Kind::kList;
        for (const yaml_node_item_t* item = from.data.sequence.items.start;
             item < from.data.sequence.items.top; ++item) {
          ASSIGN_OR_RETURN(YamlNode child,
                           Convert(document, *yaml_document_get_node(document, *item), depth + 1));
          node.items.push_back(std::move(child));
        }
        break;
      case YAML_MAPPING_NODE:
        node.kind = YamlNode::Kind::kMap;
        for (const yaml_node_pair_t* pair = from.data.mapping.pairs.start;
             pair < from.data.mapping.pairs.top; ++pair)
          RETURN_IF_ERROR(AddMember(document, *pair, depth, &node));
        break;
    }
    return node;
  }

  absl::Status AddMember(yaml_document_t* document, const yaml_node_pair_t& pair, int depth,
                         YamlNode* map) {
    ASSIGN_OR_RETURN(const YamlNode key,
                     Convert(document, *yaml_document_get_node(document, pair.key), depth + 1));
    ASSIGN_OR_RETURN(YamlNode value,
                     Convert(document, *yaml_document_get_node(document, pair.value), depth + 1));
    for (size_t i = 0; i < map->keys.size(); ++i) {
      if (map->keys[i] != key.text) continue;
      map->items[i] = std::move(value);
      return absl::OkStatus();
    }
    map->keys.push_back(key.text);
    map->items.push_back(std::move(value));
    return absl::OkStatus();
  }

  static YamlNode Scalar(const yaml_node_t& from) {
    YamlNode node;
    node.text.assign(reinterpret_cast<const char*>(from.data.scalar.value),
                     from.data.scalar.length);
    const bool plain = from.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const bool null = plain && (node.text.empty() || node.text == "~" || node.text == "null" ||
                                node.text == "Null" || node.text == "NULL");
    node.kind = null ? YamlNode::Kind::kNull : YamlNode::Kind::kScalar;
    return node;
  }

  yaml_parser_t parser_;
  int nodes_ = 0;
};

}  // namespace

const YamlNode* YamlNode::Find(absl::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

std::string YamlNode::Text(absl::string_view key) const {
  const YamlNode* found = Find(key);
  return found != nullptr && found->kind == Kind::kScalar ? found->text : "";
}

absl::StatusOr<std::vector<YamlNode>> ParseYaml(absl::string_view text) {
  return Parser(text).ParseAll();
}

}  // namespace walduct::config
