// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "engine/media/libav.h"

namespace meshreel {
namespace {

constexpr int edgeSide = 16;

/// Red over blue: rows of pure colours, so that one of the other colour in them shows.
std::vector<std::uint8_t> redOverBlue() {
    std::vector<std::uint8_t> pixels;
    for (int row = 0; row < edgeSide; ++row)
        for (int column = 0; column < edgeSide; ++column)
            for (const int channel : {row < edgeSide / 2 ? 255 : 0, 0, row < edgeSide / 2 ? 0 : 255})
                pixels.push_back(static_cast<std::uint8_t>(channel));
    return pixels;
}

class ColoursAsFineAsBrightness : public ::testing::TestWithParam<AVPixelFormat> {};

TEST_P(ColoursAsFineAsBrightness, KeepTheirRows) {
    const std::vector<std::uint8_t> pixels = redOverBlue();
    const Colourimetry colour{AVCOL_SPC_BT709, AVCOL_RANGE_JPEG, AVCHROMA_LOC_LEFT};
    PixelConverter to(PixelConverter::Direction::FromRgb, edgeSide, edgeSide, GetParam(), colour);
    const AVFrame& frame = to.fromRgb(pixels);
    PixelConverter from(PixelConverter::Direction::ToRgb, edgeSide, edgeSide, GetParam(), colour);
    std::vector<std::uint8_t> back(pixels.size());
    from.toRgb(frame, back);
    int largest = 0;
    for (std::size_t index = 0; index < pixels.size(); ++index)
        largest = std::max(largest, std::abs(int{back[index]} - int{pixels[index]}));
    EXPECT_LE(largest, 3);  // what rounding in YCbCr costs
}

// Planes of full height; those of 4:2:2 are narrower, which rows of one colour do not show.
INSTANTIATE_TEST_SUITE_P(Formats, ColoursAsFineAsBrightness,
                         ::testing::Values(AV_PIX_FMT_RGB24, AV_PIX_FMT_RGB48LE, AV_PIX_FMT_GBRP,
                                           AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_YUV422P),
                         [](const auto& format) { return av_get_pix_fmt_name(format.param); });

}  // namespace
}  // namespace meshreel
