// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/resize_cases.h"

#include <string>

#include "engine/media/image_processor.h"
#include "engine/media/image_resize.h"
#include "engine/tensor/tensor.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {
namespace {

constexpr const char* inputEnd = ".in";

bool isSourceImage(const std::string& name) {
    return name.ends_with(inputEnd);
}

struct PillowFilter {
    const char* name;
    Resampling filter;
};

constexpr PillowFilter pillowFilters[] = {{".lanczos", Resampling::Lanczos},
                                          {".bicubic", Resampling::Bicubic},
                                          {".bilinear", Resampling::Bilinear}};

struct TorchMode {
    const char* name;
    Interpolation interpolation;
};

constexpr TorchMode torchModes[] = {{".torch_bicubic", Interpolation::Bicubic},
                                    {".torch_bilinear", Interpolation::Bilinear}};

void verifyResize(const std::string& image, const Tensor& pixels, GoldenTolerance tolerance,
                  GoldenComparison& comparison) {
    for (const PillowFilter& row : pillowFilters) {
        const std::string output = image + row.name;
        if (!comparison.wants(output))
            continue;
        const Shape size = comparison.golden().get(output).shape();
        comparison.compare(output, resizeImage(pixels, size[0], size[1], row.filter), exactly);
    }
    const Tensor planes = videoPixels(pixels.reshaped({1, pixels.extent(0), pixels.extent(1), 3}));
    for (const TorchMode& row : torchModes) {
        const std::string output = image + row.name;
        if (!comparison.wants(output))
            continue;
        const Shape size = comparison.golden().get(output).shape();
        comparison.compare(
            output,
            interpolatePlanes(planes, size[1], size[2], row.interpolation).reshaped({3, size[1], size[2]}),
            tolerance);
    }
}

}  // namespace

void verifyImageResize(const Execution& /*execution*/, const GoldenFiles& files,
                       GoldenComparison& comparison) {
    comparison =
        GoldenComparison(files.tensors(), [](const std::string& name) { return !isSourceImage(name); });
    for (const std::string& name : comparison.golden().names())
        if (isSourceImage(name))
            verifyResize(name.substr(0, name.size() - std::string(inputEnd).size()),
                         comparison.golden().get(name), files.outputTolerance(), comparison);
}

}  // namespace meshreel
