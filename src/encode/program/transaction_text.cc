#include "encode/program/transaction_text.h"

#include "absl/strings/str_cat.h"

namespace walduct::encode {
namespace {

uint32_t SizeOf(absl::string_view text) { return static_cast<uint32_t>(text.size()); }

}  // namespace

void TransactionText::Add(absl::string_view text, const Value& value) {
  absl::StrAppend(&constants_, text, value.label, value.null_text);
  pieces_.push_back({.text = SizeOf(text),
                     .label = SizeOf(value.label),
                     .null_text = SizeOf(value.null_text),
                     .input = value.input,
                     .sequence = value.sequence,
                     .left_out = value.left_out});
  if (value.sequence || !IsOfOrigin(value.input)) is_of_origin_ = false;
}

void TransactionText::End(absl::string_view text) {
  absl::StrAppend(&constants_, text);
  constants_.shrink_to_fit();
  pieces_.shrink_to_fit();
}

void TransactionText::Print(const RecordInputs& inputs, ValueContext* context) {
  origin_ = inputs.fields().origin();
  const char* at = constants_.data();
  for (const Piece& piece : pieces_) {
    printed_.append({at, piece.text});
    at += piece.text;
    PrintValue(piece, at, inputs, context);
    at += piece.label + piece.null_text;
  }
  printed_.append({at, static_cast<size_t>(constants_.data() + constants_.size() - at)});
}

void TransactionText::PrintValue(const Piece& piece, const char* label, const RecordInputs& inputs,
                                 ValueContext* context) {
  OutBuffer* const out = context->out;
  if (piece.sequence)
    return inputs.fields().AppendSequenceCommit(context->format == TextFormat::kJson, out);
  const size_t size = out->size();
  if (piece.left_out) out->append({label, piece.label});
  if (inputs.AppendField(piece.input, *context)) return;
  if (piece.left_out) {
    out->CutTo(size);
  } else {
    out->append({label + piece.label, piece.null_text});
  }
}

}  // namespace walduct::encode
