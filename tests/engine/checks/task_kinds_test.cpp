// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/task_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>

namespace meshreel {
namespace {

TEST(TaskKinds, EveryTaskIsOfOneKind) {
    for (const WanTaskRow& row : wanTasks()) {
        int kinds = 0;
        for (std::size_t kind = 0; kind < taskKindCount; ++kind)
            kinds += static_cast<int>(std::ranges::count(tasksOf(static_cast<TaskKind>(kind)), row.task));
        EXPECT_EQ(kinds, 1) << row.name;
        EXPECT_THAT(tasksOf(kindOf(row.task)), ::testing::Contains(row.task)) << row.name;
    }
}

TEST(TaskKinds, NamesLeadBack) {
    std::set<std::string_view> names;
    for (std::size_t kind = 0; kind < taskKindCount; ++kind) {
        const auto named = static_cast<TaskKind>(kind);
        EXPECT_EQ(findTaskKind(nameOf(named)), named);
        names.insert(nameOf(named));
    }
    EXPECT_EQ(names.size(), taskKindCount);
    EXPECT_FALSE(findTaskKind("music"));
}

}  // namespace
}  // namespace meshreel
