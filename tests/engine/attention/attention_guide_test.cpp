// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "engine/attention/attention_volume.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

/// The part of docs/attention.md about one mode.
std::string sectionOf(std::string_view mode) {
    std::ostringstream guide;
    guide << std::ifstream(MESHREEL_SOURCE_DIR "/docs/attention.md").rdbuf();
    const std::string text = guide.str();
    const std::size_t begin = text.find("\n### " + std::string(mode) + "\n");
    if (begin == std::string::npos)
        return "";
    return text.substr(begin, text.find("\n#", begin + 1) - begin);
}

// The guide's formulas are those by which bytes_moved is checked.
TEST(AttentionGuide, SaysOfEveryModeWhatTheTableSays) {
    for (const AttentionMode& mode : attentionModes()) {
        SCOPED_TRACE(mode.name);
        const std::string section = sectionOf(mode.name);
        ASSERT_FALSE(section.empty());
        EXPECT_THAT(section, HasSubstr(std::string(mode.runs ? mode.limits : mode.instead)));
        if (!mode.runs)
            continue;
        EXPECT_THAT(section, HasSubstr(std::string(mode.when)));
        for (const AttentionCollective& collective : attentionCollectives(mode)) {
            EXPECT_THAT(section, HasSubstr(std::string(collective.name)));
            EXPECT_THAT(section, HasSubstr(std::string(collective.formula)));
        }
    }
}

}  // namespace
}  // namespace meshreel
