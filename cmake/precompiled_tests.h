// What most tests read, once for all (WALDUCT_PCH).
#pragma once

#include <fstream>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "precompiled.h"
