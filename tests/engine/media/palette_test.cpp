// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/palette.h"

#include <gmock/gmock.h>

namespace meshreel {
namespace {

TEST(Palette, FewColoursAreExact) {
    const std::vector<std::uint8_t> pixels{255, 0, 0, 255, 0, 0, 1, 2, 3, 200, 150, 120};
    EXPECT_THAT(makePalette({pixels}),
                ::testing::UnorderedElementsAre(Rgb{255, 0, 0}, Rgb{1, 2, 3}, Rgb{200, 150, 120}));
}

TEST(Palette, ManyColoursFillItAndComeBackClose) {
    std::vector<std::uint8_t> ramp;
    for (int red = 0; red < 256; red += 4)
        for (int green = 0; green < 256; green += 4)
            ramp.insert(ramp.end(), {static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green), 90});
    PaletteMapper mapper(makePalette({ramp}));
    EXPECT_EQ(mapper.palette().size(), maxPaletteColours);

    constexpr int width = 64;
    std::vector<std::uint8_t> indices(ramp.size() / 3);
    mapper.map(ramp, width, indices.data(), width);
    double total = 0.0;
    for (std::size_t i = 0; i < indices.size(); ++i)
        total += std::abs(mapper.palette()[indices[i]].red - ramp[3 * i]);
    // 255 entries over a plane of 256x256 levels: squares of 16, so a mean distance of 4 plus the dither.
    EXPECT_LT(total / static_cast<double>(indices.size()), 6.0);
}

TEST(Palette, FlatAreasDoNotDither) {
    const std::vector<std::uint8_t> flat(64 * 3, 77);
    std::vector<std::uint8_t> both = flat;
    both.insert(both.end(), 64 * 3, 200);
    PaletteMapper mapper(makePalette({both}));
    std::vector<std::uint8_t> indices(64);
    mapper.map(flat, 8, indices.data(), 8);
    EXPECT_THAT(indices, ::testing::Each(indices.front()));
    EXPECT_EQ(mapper.palette()[indices.front()].green, 77);
}

}  // namespace
}  // namespace meshreel
