// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/function_ref.h"

#include <gtest/gtest.h>

#include <concepts>
#include <memory>
#include <utility>

namespace meshreel {
namespace {

int twice(FunctionRef<int(int)> function, int value) {
    return function(function(value));
}

TEST(FunctionRef, CallsWhatItRefersTo) {
    int calls = 0;
    const auto add = [&calls](int value) {
        ++calls;
        return value + 3;
    };
    EXPECT_EQ(twice(add, 1), 7);
    EXPECT_EQ(calls, 2);
    auto count = [seen = 0](int) mutable { return ++seen; };
    EXPECT_EQ(twice(count, 0), 2);
    EXPECT_EQ(count(0), 3) << "it was copied";
}

TEST(FunctionRef, ArgumentsAreMovedThrough) {
    const auto take = [](std::unique_ptr<int> value) { return *value; };
    EXPECT_EQ(FunctionRef<int(std::unique_ptr<int>)>(take)(std::make_unique<int>(5)), 5);
}

static_assert(!std::convertible_to<int, FunctionRef<int(int)>>);

}  // namespace
}  // namespace meshreel
