// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/head_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {
namespace {

TEST(HeadRows, ReadsRowsOfEitherTypeAtTheirStride) {
    const std::vector<float> floats{1.0F, 2.0F, -9.0F, 3.0F, 4.0F, -9.0F, 5.0F, 6.0F};
    std::vector<BFloat16> narrow;
    for (const float value : floats)
        narrow.push_back(toBFloat16(value));
    for (const HeadRows& rows : {HeadRows(floats.data(), 3), HeadRows(narrow.data(), 3),
                                 HeadRows(static_cast<const void*>(narrow.data()), DType::BF16, 3)}) {
        std::array<float, 2> row = {};
        rows.read(1, row);
        EXPECT_THAT(row, ::testing::ElementsAre(3.0F, 4.0F));
        rows.from(1).read(1, row);
        EXPECT_THAT(row, ::testing::ElementsAre(5.0F, 6.0F));
    }
}

TEST(HeadRows, OnlyFloatsLieAsFloats) {
    const std::vector<float> floats(4);
    const std::vector<BFloat16> narrow(4);
    EXPECT_EQ(HeadRows(floats.data(), 2).from(1).floats().data, floats.data() + 2);
    EXPECT_THROW((void)HeadRows(narrow.data(), 2).floats(), Error);
    EXPECT_THROW(HeadRows(floats.data(), DType::F64, 2), Error);
}

TEST(OutputRows, WritesScaledRowsRoundedToTheirType) {
    const std::vector<float> values{1.0F, 1.0F + 0x1p-8F + 0x1p-16F};
    std::vector<float> floats(6, -1.0F);
    OutputRows(floats.data(), 3).write(1, values, 2.0F);
    EXPECT_THAT(floats, ::testing::ElementsAre(-1.0F, -1.0F, -1.0F, 2.0F, 2.0F * values[1], -1.0F));
    std::vector<BFloat16> narrow(6);
    OutputRows(narrow.data(), 3).write(1, values, 1.0F);
    EXPECT_EQ(toFloat(narrow[3]), 1.0F);
    EXPECT_EQ(toFloat(narrow[4]), 1.0F + 0x1p-7F);
    EXPECT_EQ(narrow[5].bits, 0);
    EXPECT_THROW(OutputRows(floats.data(), DType::U8, 3), Error);
}

}  // namespace
}  // namespace meshreel
