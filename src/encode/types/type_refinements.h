// What a type modifier, and numbers among the options, change about the mapping of a type: the
// functions that rows of type_rows.cc name as `refine`. typmod -1: none.
#pragma once

#include "encode/types/type_table.h"

namespace walduct::encode {

void RefineScale(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineNumeric(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineMoney(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineMoneyText(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineBits(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineTime(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineTimestamp(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineZonedTimestamp(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineHstoreMap(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefinePoint(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineGeometry(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineGeography(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineGeometric(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineVector(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineHalfVector(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);
void RefineSparseVector(int32_t typmod, const ValueOptions& options, TypeMapping* mapping);

}  // namespace walduct::encode
