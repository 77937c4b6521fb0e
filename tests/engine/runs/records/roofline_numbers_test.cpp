// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/roofline.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace meshreel {
namespace {

const Roofline small{.machine = "One \"& only\"",
                     .bytesPerSecond = 1e11 / 3,
                     .peaks = {{"bf16", 3e12}, {"f32", 1e12}},
                     .points = {{"linear.a", 100.5, 1e12 / 7}}};

TEST(RooflineNumbers, ReadBackToTheLastBit) {
    EXPECT_EQ(parseRoofline(rooflineJson(small)), small);
}

TEST(RooflineNumbers, WhatCannotBeDrawnIsRefused) {
    Roofline flat = small;
    flat.bytesPerSecond = 0;
    Roofline open = small;
    open.peaks.clear();
    Roofline empty = small;
    empty.points.clear();
    Roofline idle = small;
    idle.points[0].flopsPerSecond = 0;
    for (const std::string& text : {rooflineJson(flat), rooflineJson(open), rooflineJson(empty),
                                    rooflineJson(idle), std::string(), std::string("[]")})
        EXPECT_THROW(static_cast<void>(parseRoofline(text)), Error) << text;
}

}  // namespace
}  // namespace meshreel
