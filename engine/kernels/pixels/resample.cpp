// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/pixels/resample.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>

#include "engine/base/error.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_resample.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

/// The two places that a value between them is made of, along one side.
struct Between {
    std::int64_t first = 0;
    std::int64_t second = 0;
    float part = 0.0F;  ///< of the second

    /// `place` is not negative; it and what is behind it end at the last one.
    static Between of(float place, std::int64_t extent) {
        const auto first = std::min(static_cast<std::int64_t>(place), extent - 1);
        return {.first = first,
                .second = std::min(first + 1, extent - 1),
                .part = place - static_cast<float>(first)};
    }

    /// Of the pixel `index` of a side of `into` pixels that shows one of `from`.
    static Between resized(std::int64_t index, std::int64_t from, std::int64_t into) {
        const float step = static_cast<float>(from) / static_cast<float>(into);
        return of(std::max((static_cast<float>(index) + 0.5F) * step - 0.5F, 0.0F), from);
    }

    /// Of a place that may be outside, or no number.
    static Between clamped(float place, std::int64_t extent) {
        const auto last = static_cast<float>(extent - 1);
        return of(place > 0.0F ? std::min(place, last) : 0.0F, extent);
    }
};

/// Writes factor · the value of `from` between four pixels.
void readBetween(const PictureView& from, const Between& rows, const Between& columns, float factor,
                 std::span<float> into) {
    const auto pixel = [&](std::int64_t row, std::int64_t column) {
        return from.pixels.row<float>(row * from.width + column);
    };
    const std::span<const float> topLeft = pixel(rows.first, columns.first);
    const std::span<const float> topRight = pixel(rows.first, columns.second);
    const std::span<const float> bottomLeft = pixel(rows.second, columns.first);
    const std::span<const float> bottomRight = pixel(rows.second, columns.second);
    for (std::size_t i = 0; i < into.size(); ++i) {
        const float top = topLeft[i] * (1.0F - columns.part) + topRight[i] * columns.part;
        const float bottom = bottomLeft[i] * (1.0F - columns.part) + bottomRight[i] * columns.part;
        into[i] = factor * (top * (1.0F - rows.part) + bottom * rows.part);
    }
}

/// Calls write(line, column, pixel) for every pixel of a picture.
template <typename Write>
void writePixels(const OnHost& on, const PictureSpan& into, const Write& write) {
    on.execution.workers.parallelFor(into.height, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t line = begin; line < end; ++line)
            for (std::int64_t column = 0; column < into.width; ++column)
                write(line, column, into.pixels.row<float>(line * into.width + column));
    });
}

void resizePicture(const OnHost& on, const PictureView& from, const PictureSpan& into, float factor) {
    writePixels(on, into, [&](std::int64_t line, std::int64_t column, std::span<float> pixel) {
        readBetween(from, Between::resized(line, from.height, into.height),
                    Between::resized(column, from.width, into.width), factor, pixel);
    });
}

void warpPicture(const OnHost& on, const PictureView& from, const MatrixView& flow, const PictureSpan& into) {
    writePixels(on, into, [&](std::int64_t line, std::int64_t column, std::span<float> pixel) {
        const std::span<const float> step = flow.row<float>(line * into.width + column);
        readBetween(from, Between::clamped(static_cast<float>(line) + step[1], from.height),
                    Between::clamped(static_cast<float>(column) + step[0], from.width), 1.0F, pixel);
    });
}

void unfoldPixels(const OnHost& on, const PictureView& from, std::int64_t side, const PictureSpan& into) {
    writePixels(on, into, [&](std::int64_t line, std::int64_t column, std::span<float> pixel) {
        const std::span<const float> square =
            from.pixels.row<float>(line / side * from.width + column / side);
        const auto place = static_cast<std::size_t>(line % side * side + column % side);
        const auto step = static_cast<std::size_t>(side * side);
        for (std::size_t channel = 0; channel < pixel.size(); ++channel)
            pixel[channel] = square[channel * step + place];
    });
}

void blendBySigmoid(const OnHost& on, const MatrixView& one, const MatrixView& other,
                    const MatrixView& weight, const MatrixSpan& into) {
    on.execution.workers.parallelFor(into.rows(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const float part = 1.0F / (1.0F + std::exp(-weight.row<float>(row)[0]));
            const std::span<const float> first = one.row<float>(row);
            const std::span<const float> second = other.row<float>(row);
            const std::span<float> result = into.row<float>(row);
            for (std::size_t i = 0; i < result.size(); ++i)
                result[i] = first[i] * part + second[i] * (1.0F - part);
        }
    });
}

void requirePicture(const MatrixView& pixels, std::int64_t height, std::int64_t width) {
    if (height < 1 || width < 1 || pixels.rows() != height * width || pixels.dtype() != DType::F32)
        throw Error(ErrorKind::Internal, "a picture of " + std::to_string(height) + "x" +
                                             std::to_string(width) + " is not made of " +
                                             std::to_string(pixels.rows()) + " pixels of f32");
}

void requirePictures(const PictureView& from, const PictureSpan& into, std::int64_t channels) {
    requirePicture(from.pixels, from.height, from.width);
    requirePicture(into.pixels, into.height, into.width);
    if (into.pixels.width() != channels)
        throw Error(ErrorKind::Internal, "a picture of " + std::to_string(into.pixels.width()) +
                                             " channels cannot take one of " + std::to_string(channels));
}

void requirePixelRows(std::initializer_list<MatrixView> matrices, std::int64_t rows) {
    for (const MatrixView& matrix : matrices)
        if (matrix.rows() != rows || matrix.dtype() != DType::F32)
            throw Error(ErrorKind::Internal, "rows that belong to pixels are as many, of f32");
}

}  // namespace

void resizePicture(const Execution& execution, const PictureView& from, const PictureSpan& into,
                   float factor) {
    requirePictures(from, into, from.pixels.width());
    if (from.height == into.height && from.width == into.width && factor == 1.0F)
        return copyRows(execution, into.pixels, from.pixels);
    dispatch(execution, {from.pixels, into.pixels},
             [&](const auto& on) { resizePicture(on, from, into, factor); });
}

void warpPicture(const Execution& execution, const PictureView& from, const MatrixView& flow,
                 const PictureSpan& into) {
    requirePictures(from, into, from.pixels.width());
    requirePixelRows({flow}, from.pixels.rows());
    if (flow.width() != 2 || from.height != into.height || from.width != into.width)
        throw Error(ErrorKind::Internal, "a picture is warped in its size, by two numbers a pixel");
    dispatch(execution, {from.pixels, flow, into.pixels},
             [&](const auto& on) { warpPicture(on, from, flow, into); });
}

void unfoldPixels(const Execution& execution, const PictureView& from, std::int64_t side,
                  const PictureSpan& into) {
    if (side < 1 || from.pixels.width() % (side * side) != 0 || into.height != from.height * side ||
        into.width != from.width * side)
        throw Error(ErrorKind::Internal, "channels do not make squares of pixels");
    requirePictures(from, into, from.pixels.width() / (side * side));
    dispatch(execution, {from.pixels, into.pixels},
             [&](const auto& on) { unfoldPixels(on, from, side, into); });
}

void blendBySigmoid(const Execution& execution, const MatrixView& one, const MatrixView& other,
                    const MatrixView& weight, const MatrixSpan& into) {
    requirePixelRows({one, other, weight, into}, into.rows());
    if (one.width() != into.width() || other.width() != into.width() || weight.width() != 1)
        throw Error(ErrorKind::Internal, "pictures that are blended have one form, and one weight a pixel");
    dispatch(execution, {one, other, weight, into},
             [&](const auto& on) { blendBySigmoid(on, one, other, weight, into); });
}

}  // namespace meshreel
