// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/output_size.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/real.h"

namespace meshreel {
namespace {

/// Python's a // b, of positive numbers: exact where a quotient would be rounded up to the next whole number.
double wholeTimes(double a, double b) {
    const double quotient = (a - std::fmod(a, b)) / b;
    const double whole = std::floor(quotient);
    return quotient - whole > 0.5 ? whole + 1.0 : whole;
}

std::int64_t multipleBelow(double value, std::int64_t step) {
    return static_cast<std::int64_t>(wholeTimes(value, real(step)) * real(step));
}

/// Python's round: halves go to the even neighbour, as nearbyint does by default.
std::int64_t rounded(double value) {
    return static_cast<std::int64_t>(std::nearbyint(value));
}

FrameSize requireSome(const FrameSize& size, std::int64_t maxArea, std::int64_t step) {
    if (size.height < 1 || size.width < 1)
        throw Error(ErrorKind::Project,
                    sentence("No video of this image's form and {} pixels at most has sides that are "
                             "multiples of {}",
                             maxArea, step),
                    "max_area", sentence("Choose a larger area, or an image that is less long and narrow"));
    return size;
}

/// How far two forms (width by height) are from each other, as a factor from 1 on.
double distance(double form, double other) {
    return std::max(form / other, other / form);
}

}  // namespace

FrameSize wanImageVideoSize(const FrameSize& image, std::int64_t maxArea, std::int64_t latentPixels,
                            std::int64_t patch) {
    const double form = real(image.height) / real(image.width);
    const auto side = [&](double pixels) {
        const double patches = wholeTimes(wholeTimes(pixels, real(latentPixels)), real(patch));
        return rounded(patches * real(patch)) * latentPixels;
    };
    return requireSome({side(std::sqrt(real(maxArea) * form)), side(std::sqrt(real(maxArea) / form))},
                       maxArea, latentPixels * patch);
}

FrameSize bestOutputSize(const FrameSize& image, std::int64_t maxArea, std::int64_t step) {
    const double form = real(image.width) / real(image.height);
    const double width = std::pow(real(maxArea) * form, 0.5);
    const double height = real(maxArea) / width;
    const auto other = [&](std::int64_t side) {
        return side < 1 ? 0 : multipleBelow(real(maxArea) / real(side), step);
    };
    FrameSize byWidth{.height = 0, .width = multipleBelow(width, step)};
    byWidth.height = other(byWidth.width);
    FrameSize byHeight{.height = multipleBelow(height, step), .width = 0};
    byHeight.width = other(byHeight.height);
    if (byWidth.height < 1)
        return requireSome(byHeight, maxArea, step);
    if (byHeight.width < 1)
        return requireSome(byWidth, maxArea, step);
    const auto formOf = [](const FrameSize& size) { return real(size.width) / real(size.height); };
    return distance(form, formOf(byWidth)) < distance(form, formOf(byHeight)) ? byWidth : byHeight;
}

FrameSize diffusersImageVideoSize(const FrameSize& image, std::int64_t maxArea, std::int64_t step) {
    const double form = real(image.height) / real(image.width);
    const auto side = [&](double pixels) { return rounded(pixels) / step * step; };
    return requireSome({side(std::sqrt(real(maxArea) * form)), side(std::sqrt(real(maxArea) / form))},
                       maxArea, step);
}

}  // namespace meshreel
