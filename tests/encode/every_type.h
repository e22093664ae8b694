// A table with a column of every type, for the tests of formats.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/encode/encode_fixture.h"
#include "tests/support/type_samples.h"

namespace walduct::encode {

class EveryTypeTest : public EncodeTest {
 protected:
  EveryTypeTest() {
    for (const test::TypeSample& sample : test::TypeSamples()) {
      texts_.push_back(sample.text);
      texts_.push_back(test::ArrayTextOf(sample));
    }
  }

  // A column of each sample and of an array of it, nullable or not.
  std::shared_ptr<event::TableSchema> EveryType(bool optional) {
    std::vector<TestColumn> columns;
    for (const test::TypeSample& sample : test::TypeSamples()) {
      const std::string name = absl::StrCat("c", columns.size());
      columns.push_back({name, test::TypeOf(sample), sample.typmod, optional});
      columns.push_back({name + "s", test::ArrayTypeOf(sample), sample.typmod, optional});
    }
    return MakeTable("t", columns, {});
  }

  // A row of it.
  std::vector<event::Value> EveryValue() const {
    std::vector<event::Value> row;
    for (const std::string& text : texts_) row.push_back(event::Value::Text(text));
    return row;
  }

 private:
  std::vector<std::string> texts_;
};

}  // namespace walduct::encode
