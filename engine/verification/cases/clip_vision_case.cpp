// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/image_processor.h"

#include <nlohmann/json.hpp>
#include "engine/models/image_encoder/clip_vision.h"
#include "engine/verification/golden_kinds.h"

namespace meshreel {
namespace {

constexpr const char* imageEnd = ".image";
constexpr double closeLevel = 1;   // of a byte, as the cases allow
constexpr double anyFraction = 1;  // of the bytes
constexpr const char* processorFile = "preprocessor_config.json";

bool isImage(const std::string& name) {
    return name.ends_with(imageEnd);
}

void verifyImage(const Execution& execution, const ClipVisionEncoder& encoder,
                 const ImageProcessor& processor, const std::string& variant, GoldenTolerance tolerance,
                 GoldenComparison& comparison) {
    const Tensor image = comparison.golden().get(variant + imageEnd);
    if (comparison.wants(variant + ".hf_resized"))
        comparison.compareFrames(variant + ".hf_resized", processor.resized(image), closeLevel, anyFraction);
    const Tensor pixels = processor.pixelsOf(image);
    comparison.compare(variant + ".hf_pixel_values", pixels, tolerance);
    comparison.compare(variant + ".wan_pixel_values", processor.stretchedPixelsOf(image), tolerance);
    static_cast<void>(encoder.encode(execution, pixels, comparison.probe(variant, tolerance)));
}

}  // namespace

void verifyClipVision(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    comparison = GoldenComparison(files.tensors(), [](const std::string& name) { return !isImage(name); });
    const ClipVisionConfig config =
        ClipVisionConfig::fromJson(files.json("config.json"), files.place("config.json"));
    const ImageProcessor processor =
        files.has(processorFile)
            ? ImageProcessor::fromJson(files.json(processorFile), files.place(processorFile))
            : ImageProcessor::forSide(config.imageSize);
    const ClipVisionEncoder encoder(config, files.weights());
    for (const std::string& name : comparison.golden().names())
        if (isImage(name))
            verifyImage(execution, encoder, processor,
                        name.substr(0, name.size() - std::string(imageEnd).size()), files.outputTolerance(),
                        comparison);
}

}  // namespace meshreel
