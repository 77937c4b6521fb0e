// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/finish_cases.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/models/finish/network_layers.h"
#include "engine/models/finish/rife.h"
#include "engine/models/finish/rife_layout.h"
#include "engine/models/finish/upscaler.h"
#include "engine/models/finish/upscaler_layout.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

constexpr const char* networkFile = "weights.safetensors";

/// [channels, height, width] as [height, width, channels].
Tensor channelsLast(const Tensor& planes) {
    const std::int64_t channels = planes.extent(0);
    const std::int64_t pixels = planes.extent(1) * planes.extent(2);
    Tensor result = Tensor::empty({planes.extent(1), planes.extent(2), channels});
    for (std::int64_t channel = 0; channel < channels; ++channel)
        for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
            result.data<float>()[static_cast<std::size_t>(pixel * channels + channel)] =
                planes.data<float>()[static_cast<std::size_t>(channel * pixels + pixel)];
    return result;
}

/// Pixels with their channels as [channels, height, width].
Tensor channelsFirst(const Tensor& values, std::int64_t height, std::int64_t width) {
    const std::int64_t pixels = height * width;
    const std::int64_t channels = values.elements() / pixels;
    Tensor result = Tensor::empty({channels, height, width});
    for (std::int64_t channel = 0; channel < channels; ++channel)
        for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
            result.data<float>()[static_cast<std::size_t>(channel * pixels + pixel)] =
                values.data<float>()[static_cast<std::size_t>(pixel * channels + channel)];
    return result;
}

}  // namespace

void verifyRife(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass("IFNet");
    const GoldenTolerance tolerance = files.outputTolerance();
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const Rife rife(openRife(files.folder() / networkFile), {.memory = execution.memory()});
    for (const std::string& variant : goldenVariants(comparison.golden())) {
        requireKnownInputs(files, comparison.golden(), variant, {"image0", "image1", "timestep"});
        const auto input = [&](const char* name) {
            return comparison.golden().get(variantName(variant, std::string("in.") + name)).toF32();
        };
        const Tensor first = channelsLast(input("image0"));
        const Rife::Frame one = rife.prepare(execution, first);
        const Rife::Frame other = rife.prepare(execution, channelsLast(input("image1")));
        if (one.features.elements() > 0)
            comparison.compare(variantName(variant, "features0"),
                               channelsFirst(one.features.host(), one.height, one.width), tolerance);
        const Tensor times = input("timestep");
        const Tensor found =
            rife.between(execution, one, other, times.data<float>().front(), first.extent(0), first.extent(1),
                         [&](std::string_view name, const Tensor& value) {
                             comparison.compare(variantName(variant, std::string(name)),
                                                channelsFirst(value, one.height, one.width), tolerance);
                         });
        comparison.compare(variantName(variant, "out"),
                           channelsFirst(found, first.extent(0), first.extent(1)), tolerance);
    }
}

void verifyUpscaler(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass({"RRDBNet", "SRVGGNetCompact"});
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const Upscaler upscaler(openUpscaler(files.folder() / networkFile), {.memory = execution.memory()});
    for (const std::string& variant : goldenVariants(comparison.golden())) {
        requireKnownInputs(files, comparison.golden(), variant, {"image"});
        const Tensor picture =
            channelsLast(comparison.golden().get(variantName(variant, "in.image")).toF32());
        const Tensor found = upscaler.enlarge(execution, picture);
        comparison.compare(variantName(variant, "out"),
                           channelsFirst(found, found.extent(0), found.extent(1)), files.outputTolerance());
    }
}

}  // namespace meshreel
