// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "engine/attention/attention_volume.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

std::string attentionGuide() {
    std::ostringstream guide;
    guide << std::ifstream(testing::sourceFolder() / "docs/attention.md").rdbuf();
    return guide.str();
}

/// The line about one mode in the guide's table of modes, which is the first table with a row for it; empty
/// where there is none.
std::string guideRow(const std::string& guide, std::string_view mode) {
    const std::size_t begin = guide.find("\n| `" + std::string(mode) + "` |");
    if (begin == std::string::npos)
        return "";
    return guide.substr(begin, guide.find('\n', begin + 1) - begin);
}

// The guide's formulas are those by which bytes_moved is checked.
TEST(AttentionGuide, TableOfModesAgreesWithTheModes) {
    const std::string guide = attentionGuide();
    for (const AttentionMode& mode : attentionModes()) {
        SCOPED_TRACE(mode.name);
        const std::string row = guideRow(guide, mode.name);
        ASSERT_FALSE(row.empty());
        EXPECT_THAT(row, HasSubstr(std::string(mode.when)));
        EXPECT_THAT(row, HasSubstr(std::string(mode.runs() ? mode.limits : mode.instead)));
        if (!mode.runs())
            continue;
        for (const AttentionCollective& collective : attentionCollectives(mode)) {
            EXPECT_THAT(row, HasSubstr(std::string(collective.formula)));
            EXPECT_THAT(guide, HasSubstr("\n| " + std::string(collective.name) + " | " +
                                         std::string(collective.formula) + " |"));
        }
    }
}

}  // namespace
}  // namespace meshreel
