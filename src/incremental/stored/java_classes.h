// The classes of keys, with the identifiers and fields that Java and pgjdbc give them.
#pragma once

#include "incremental/stored/java_stream.h"

namespace walduct::incremental {

inline constexpr JavaClass kNumber = {.name = "java.lang.Number", .id = 0x86ac951d0b94e08b};
inline constexpr JavaClass kInteger = {
    .name = "java.lang.Integer", .id = 0x12e2a0a4f7818738, .fields = "I:value", .super = &kNumber};
inline constexpr JavaClass kLong = {
    .name = "java.lang.Long", .id = 0x3b8be490cc8f23df, .fields = "J:value", .super = &kNumber};
inline constexpr JavaClass kFloat = {
    .name = "java.lang.Float", .id = 0xdaedc9a2db3cf0ec, .fields = "F:value", .super = &kNumber};
inline constexpr JavaClass kDouble = {
    .name = "java.lang.Double", .id = 0x80b3c24a296bfb04, .fields = "D:value", .super = &kNumber};
inline constexpr JavaClass kBoolean = {
    .name = "java.lang.Boolean", .id = 0xcd207280d59cfaee, .fields = "Z:value"};
inline constexpr JavaClass kUuid = {
    .name = "java.util.UUID", .id = 0xbc9903f7986d852f, .fields = "J:leastSigBits,J:mostSigBits"};
inline constexpr JavaClass kUtilDate = {
    .name = "java.util.Date", .id = 0x686a81014b597419, .flags = JavaClass::kWrites};
inline constexpr JavaClass kSqlDate = {
    .name = "java.sql.Date", .id = 0x14fa46683f356697, .super = &kUtilDate};
inline constexpr JavaClass kBigDecimal = {.name = "java.math.BigDecimal",
                                          .id = 0x54c71557f981284f,
                                          .flags = JavaClass::kWrites,
                                          .fields = "I:scale,L:intVal:Ljava/math/BigInteger;",
                                          .super = &kNumber};
inline constexpr JavaClass kBigInteger = {
    .name = "java.math.BigInteger",
    .id = 0x8cfc9f1fa93bfb1d,
    .flags = JavaClass::kWrites,
    .fields = "I:bitCount,I:bitLength,I:firstNonzeroByteNum,I:lowestSetBit,I:signum,[:magnitude:[B",
    .super = &kNumber};
inline constexpr JavaClass kObjects = {.name = "[Ljava.lang.Object;", .id = 0x90ce589f1073296c};
inline constexpr JavaClass kBytes = {.name = "[B", .id = 0xacf317f8060854e0};
// Of types that Java has no class for: the type's name, the text.
inline constexpr JavaClass kPgObject = {
    .name = "org.postgresql.util.PGobject",
    .id = 0x4bf895caac6f6444,
    .fields = "L:type:Ljava/lang/String;,L:value:Ljava/lang/String;"};
inline constexpr JavaClass kPgInterval = {
    .name = "org.postgresql.util.PGInterval",
    .id = 0x882be40e2cbd59bb,
    .fields = "I:days,I:hours,Z:isNull,I:microSeconds,I:minutes,I:months,I:wholeSeconds,I:years",
    .super = &kPgObject};

}  // namespace walduct::incremental
