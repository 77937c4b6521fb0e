// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace meshreel::testing {

/// Names the tests of a suite by their parameters, as gtest prints these, in letters, digits and underscores:
/// INSTANTIATE_TEST_SUITE_P(Sizes, Suite, ::testing::Values(1, 2), testing::PrintedName()). A type of the
/// test's own needs a PrintTo.
struct PrintedName {
    template <typename Parameter>
    std::string operator()(const ::testing::TestParamInfo<Parameter>& info) const {
        std::string name;
        for (const char sign : ::testing::PrintToString(info.param))
            if (std::isalnum(static_cast<unsigned char>(sign)) != 0)
                name += sign;
            else if (!name.empty() && name.back() != '_')
                name += '_';
        if (!name.empty() && name.back() == '_')
            name.pop_back();
        return name;
    }
};

}  // namespace meshreel::testing
