// SPDX-License-Identifier: GPL-3.0-or-later
// What networks for finished videos add to the operations, on every device, against the definitions in
// double.
#include "engine/kernels/pixels/resample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/kernels/rows/elementwise.h"
#include "tested_device.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

constexpr std::int64_t pictureHeight = 5;
constexpr std::int64_t pictureWidth = 7;
constexpr std::int64_t pictureChannels = 6;
constexpr double allowedDifference = 1e-5;

class ResamplingOnDevices : public testing::DeviceTest {
  protected:
    static double at(const Tensor& values, std::int64_t index) {
        return static_cast<double>(values.data<float>()[static_cast<std::size_t>(index)]);
    }

    /// Every number of `found` [rows, columns], by row and column.
    static void expectEach(const Tensor& found,
                           const std::function<double(std::int64_t, std::int64_t)>& expected) {
        const Tensor here = found.host();
        for (std::int64_t row = 0; row < here.extent(0); ++row)
            for (std::int64_t column = 0; column < here.extent(1); ++column)
                ASSERT_NEAR(at(here, row * here.extent(1) + column), expected(row, column), allowedDifference)
                    << "row " << row << ", column " << column;
    }

    static double between(const Tensor& of, double line, double column, std::int64_t channel) {
        const auto pixel = [&](std::int64_t y, std::int64_t x) {
            return at(of, (std::min(y, pictureHeight - 1) * pictureWidth + std::min(x, pictureWidth - 1)) *
                                  pictureChannels +
                              channel);
        };
        const double top = std::floor(line);
        const double left = std::floor(column);
        const auto y = static_cast<std::int64_t>(top);
        const auto x = static_cast<std::int64_t>(left);
        const double down = line - top;
        const double along = column - left;
        return (pixel(y, x) * (1 - along) + pixel(y, x + 1) * along) * (1 - down) +
               (pixel(y + 1, x) * (1 - along) + pixel(y + 1, x + 1) * along) * down;
    }

    const Tensor picture = testing::randomTensor({pictureHeight * pictureWidth, pictureChannels}, 1);
};

TEST_P(ResamplingOnDevices, EnlargingIsBilinearBetweenTheNearestPixels) {
    constexpr std::int64_t factor = 3;
    const Tensor from = there(picture);
    Tensor into = there(Tensor::zeros({pictureHeight * pictureWidth * factor * factor, pictureChannels}));
    resizePicture(execution(), {MatrixView(from), pictureHeight, pictureWidth},
                  {MatrixSpan(into), pictureHeight * factor, pictureWidth * factor}, 2.0F);
    const auto place = [](std::int64_t index) {
        return std::max((static_cast<double>(index) + 0.5) / factor - 0.5, 0.0);
    };
    expectEach(into, [&](std::int64_t pixel, std::int64_t channel) {
        return 2.0 * between(picture, place(pixel / (pictureWidth * factor)),
                             place(pixel % (pictureWidth * factor)), channel);
    });
}

TEST_P(ResamplingOnDevices, PartsOfRowsAreResizedInOneSizeWithoutAChange) {
    const Tensor from = there(picture);
    Tensor into = there(Tensor::zeros({pictureHeight * pictureWidth, pictureChannels}));
    resizePicture(execution(), {MatrixView(from).columns(1, 2), pictureHeight, pictureWidth},
                  {MatrixSpan(into).columns(3, 2), pictureHeight, pictureWidth});
    expectEach(into, [&](std::int64_t pixel, std::int64_t channel) {
        return channel == 3 || channel == 4 ? at(picture, pixel * pictureChannels + channel - 2) : 0.0;
    });
}

TEST_P(ResamplingOnDevices, WarpingReadsAtTheBorderWhatIsBeyondIt) {
    Tensor steps = testing::randomTensor({pictureHeight * pictureWidth, 2}, 2).clone();
    for (float& step : steps.data<float>())
        step *= 4.0F;
    const Tensor from = there(picture);
    const Tensor flow = there(steps);
    Tensor into = there(Tensor::zeros({pictureHeight * pictureWidth, pictureChannels}));
    warpPicture(execution(), {MatrixView(from), pictureHeight, pictureWidth}, MatrixView(flow),
                {MatrixSpan(into), pictureHeight, pictureWidth});
    expectEach(into, [&](std::int64_t pixel, std::int64_t channel) {
        const double line = static_cast<double>(pixel / pictureWidth) + at(steps, 2 * pixel + 1);
        const double column = static_cast<double>(pixel % pictureWidth) + at(steps, 2 * pixel);
        return between(picture, std::clamp(line, 0.0, static_cast<double>(pictureHeight - 1)),
                       std::clamp(column, 0.0, static_cast<double>(pictureWidth - 1)), channel);
    });
}

TEST_P(ResamplingOnDevices, ChannelsBecomeSquaresOfPixels) {
    constexpr std::int64_t side = 2;
    const Tensor four = testing::randomTensor({pictureHeight * pictureWidth, 2 * side * side}, 3);
    const Tensor from = there(four);
    Tensor into = there(Tensor::zeros({pictureHeight * pictureWidth * side * side, 2}));
    unfoldPixels(execution(), {MatrixView(from), pictureHeight, pictureWidth}, side,
                 {MatrixSpan(into), pictureHeight * side, pictureWidth * side});
    expectEach(into, [&](std::int64_t pixel, std::int64_t channel) {
        const std::int64_t line = pixel / (pictureWidth * side);
        const std::int64_t column = pixel % (pictureWidth * side);
        const std::int64_t square = line / side * pictureWidth + column / side;
        return at(four,
                  square * 2 * side * side + channel * side * side + line % side * side + column % side);
    });
}

TEST_P(ResamplingOnDevices, BlendingWeighsByASigmoid) {
    const Tensor other = testing::randomTensor({pictureHeight * pictureWidth, pictureChannels}, 4);
    const Tensor weights = testing::randomTensor({pictureHeight * pictureWidth, 1}, 5);
    const Tensor first = there(picture);
    const Tensor second = there(other);
    const Tensor weight = there(weights);
    Tensor into = there(Tensor::zeros({pictureHeight * pictureWidth, pictureChannels}));
    blendBySigmoid(execution(), MatrixView(first), MatrixView(second), MatrixView(weight), MatrixSpan(into));
    expectEach(into, [&](std::int64_t pixel, std::int64_t channel) {
        const double part = 1.0 / (1.0 + std::exp(-at(weights, pixel)));
        const std::int64_t place = pixel * pictureChannels + channel;
        return at(picture, place) * part + at(other, place) * (1.0 - part);
    });
}

TEST_P(ResamplingOnDevices, LeakyActivationsKeepAShareOfWhatIsNegative) {
    constexpr float slope = 0.2F;
    std::vector<float> slopes;
    for (std::int64_t channel = 0; channel < pictureChannels; ++channel)
        slopes.push_back(0.1F * static_cast<float>(channel));
    const Tensor other = testing::randomTensor({pictureHeight * pictureWidth, pictureChannels}, 6);
    const Tensor values = there(other);
    Tensor plain = there(picture);
    Tensor summed = there(picture);
    Tensor byColumn = there(picture);
    Tensor scaled = there(picture);
    Tensor copied = there(picture);
    leakyRectify(execution(), MatrixSpan(plain), slope);
    addAndLeakyRectify(execution(), MatrixSpan(summed), MatrixView(values), slope);
    leakyRectify(execution(), MatrixSpan(byColumn), std::span<const float>(slopes));
    scaleAndAdd(execution(), MatrixSpan(scaled), MatrixView(values), slope);
    copyRows(execution(), MatrixSpan(copied), MatrixView(values));
    const auto leaky = [](double value, double share) { return value < 0.0 ? share * value : value; };
    const auto own = [&](std::int64_t row, std::int64_t column) {
        return at(picture, row * pictureChannels + column);
    };
    const auto others = [&](std::int64_t row, std::int64_t column) {
        return at(other, row * pictureChannels + column);
    };
    const auto share = static_cast<double>(slope);
    expectEach(plain, [&](std::int64_t row, std::int64_t column) { return leaky(own(row, column), share); });
    expectEach(summed, [&](std::int64_t row, std::int64_t column) {
        return leaky(own(row, column) + others(row, column), share);
    });
    expectEach(byColumn, [&](std::int64_t row, std::int64_t column) {
        return leaky(own(row, column), static_cast<double>(slopes[static_cast<std::size_t>(column)]));
    });
    expectEach(scaled, [&](std::int64_t row, std::int64_t column) {
        return share * own(row, column) + others(row, column);
    });
    expectEach(copied, others);
}

/// Each source pixel adds its products to 4×4 outputs around 2·place.
TEST_P(ResamplingOnDevices, TransposedConvolutionsSpreadPixels) {
    constexpr std::int64_t outs = 9;
    constexpr std::int64_t side = 4;
    const Tensor weight = testing::randomTensor({pictureChannels, outs, side, side}, 7);
    const Tensor bias = testing::randomTensor({outs}, 8);
    const PackedConvolution convolution = pack(weight, bias, transposedBy2);
    ASSERT_EQ(convolution.outHeight(pictureHeight), 2 * pictureHeight);
    ASSERT_EQ(convolution.outWidth(pictureWidth), 2 * pictureWidth);
    const Tensor from = there(picture);
    Tensor into = there(Tensor::zeros({4 * pictureHeight * pictureWidth, outs}));
    const ConvolutionFrame frame{.pixels = MatrixView(from)};
    convolution.apply(execution(), std::span(&frame, 1), pictureHeight, pictureWidth, MatrixSpan(into));
    std::vector<double> sums(static_cast<std::size_t>(4 * pictureHeight * pictureWidth * outs));
    for (std::int64_t pixel = 0; pixel < pictureHeight * pictureWidth; ++pixel)
        for (std::int64_t tap = 0; tap < side * side; ++tap) {
            const std::int64_t line = 2 * (pixel / pictureWidth) - 1 + tap / side;
            const std::int64_t column = 2 * (pixel % pictureWidth) - 1 + tap % side;
            if (line < 0 || line >= 2 * pictureHeight || column < 0 || column >= 2 * pictureWidth)
                continue;
            for (std::int64_t in = 0; in < pictureChannels; ++in)
                for (std::int64_t out = 0; out < outs; ++out)
                    sums[static_cast<std::size_t>((line * 2 * pictureWidth + column) * outs + out)] +=
                        at(picture, pixel * pictureChannels + in) *
                        at(weight, (in * outs + out) * side * side + tap);
        }
    expectEach(into, [&](std::int64_t pixel, std::int64_t out) {
        return sums[static_cast<std::size_t>(pixel * outs + out)] + at(bias, out);
    });
}

INSTANTIATE_TEST_SUITE_P(Every, ResamplingOnDevices,
                         ::testing::ValuesIn(testing::onEveryChosenDevice({Arithmetic::F32})),
                         [](const auto& of) { return testing::nameOf(of.param); });

}  // namespace
}  // namespace meshreel
