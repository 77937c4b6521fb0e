// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/keyframe_cases.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/estimates/video_shape.h"
#include "engine/pipelines/given_frames.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/tensor/tensor.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

bool isKeyframeOutput(const std::string& name) {
    return name.find(".in.") == std::string::npos;
}

/// Pictures [n, 3, H, W] in [0, 1] as frames [1, 3, n, H, W] in [-1, 1].
Tensor framesOfPictures(const Tensor& pictures) {
    std::vector<Tensor> frames;
    for (std::int64_t index = 0; index < pictures.extent(0); ++index) {
        Tensor frame = pictures.slice(index, index + 1).clone();
        for (float& value : frame.data<float>())
            value = value * 2 - 1;
        frames.push_back(frame.reshaped({1, frame.extent(1), 1, frame.extent(2), frame.extent(3)}));
    }
    return joined(frames, frameAxis);
}

/// A tensor with one axis of 1 in front, as the golden files have it.
Tensor withoutBatch(const Tensor& tensor) {
    return tensor.reshaped({tensor.extent(1), tensor.extent(2), tensor.extent(3), tensor.extent(4)});
}

/// The frames of a case of image to video.
GivenFrames givenByMask(const SafetensorsFile& golden, const std::string& variant,
                        const nlohmann::json& params) {
    const auto framesIn = [&](const std::string& name) {
        return framesOfPictures(golden.get(variant + ".in." + name));
    };
    GivenFrames given;
    if (params.at("first").get<int>() > 0)
        given.push_back({.first = 0, .pixels = framesIn("first")});
    if (const nlohmann::json& middle = params.at("middle_frame"); !middle.is_null()) {
        const auto strength = params.at("middle_strength").get<float>();
        given.push_back({.first = middle.get<std::int64_t>(),
                         .pixels = framesIn("middle"),
                         .marks = {{strength, strength}}});
    }
    if (const auto last = params.at("last").get<std::int64_t>(); last > 0)
        given.push_back(
            {.first = params.at("frames").get<std::int64_t>() - last, .pixels = framesIn("last")});
    return given;
}

/// A mask that is 0 in a rectangle, [y0, y1, x0, x1], of the frames where it is 0.
void keepRectangle(const nlohmann::json& rectangle, Tensor& mask) {
    const std::int64_t height = mask.extent(3);
    const std::int64_t width = mask.extent(4);
    const auto edge = [&](std::size_t index) { return rectangle.at(index).get<std::int64_t>(); };
    const auto values = mask.data<float>();
    for (std::size_t pixel = 0; pixel < values.size(); ++pixel) {
        const auto x = static_cast<std::int64_t>(pixel) % width;
        const auto y = static_cast<std::int64_t>(pixel) / width % height;
        if (y < edge(0) || y >= edge(1) || x < edge(2) || x >= edge(3))
            values[pixel] = 1.0F;
    }
}

}  // namespace

void verifyKeyframesByMask(const Execution& /*execution*/, const GoldenFiles& files,
                           GoldenComparison& comparison) {
    files.requireClass("WanFirstLastFrameToVideo");
    comparison = GoldenComparison(files.tensors(), isKeyframeOutput);
    for (const auto& [variant, params] : files.description().at("params").items()) {
        const GivenFrames given = givenByMask(comparison.golden(), variant, params);
        const Tensor& pixels = given.front().pixels;
        const VideoGeometry geometry{.frames = params.at("frames").get<std::int64_t>(),
                                     .height = pixels.extent(3),
                                     .width = pixels.extent(4)};
        comparison.compare(variant + ".mask",
                           withoutBatch(givenMask(given, geometry, geometry.height / geometry.spatialFactor,
                                                  geometry.width / geometry.spatialFactor)),
                           exactly);
        comparison.compare(variant + ".pixels", withoutBatch(givenVideo(given, geometry)), exactly);
    }
}

void verifyKeyframesByControl(const Execution& /*execution*/, const GoldenFiles& files,
                              GoldenComparison& comparison) {
    files.requireClass("WanVaceToVideo");
    comparison = GoldenComparison(files.tensors(), isKeyframeOutput);
    for (const auto& [variant, params] : files.description().at("params").items()) {
        const Tensor pictures = framesOfPictures(comparison.golden().get(variant + ".in.images"));
        const VideoGeometry geometry{.frames = params.at("frames").get<std::int64_t>(),
                                     .height = pictures.extent(3),
                                     .width = pictures.extent(4)};
        GivenFrames given;
        for (const nlohmann::json& key : params.at("keys")) {
            const auto index = static_cast<std::int64_t>(given.size());
            const Tensor picture = sliced(pictures, frameAxis, index, index + 1);
            given.push_back(
                {.first = key.at("frame").get<std::int64_t>(),
                 .pixels = joined(std::vector(key.at("repeat").get<std::size_t>(), picture), frameAxis)});
        }
        const Shape shape{1, pictures.extent(1), geometry.frames, geometry.height, geometry.width};
        Tensor video = Tensor::zeros(shape);
        Tensor mask = Tensor::filled(shape, 1.0F);
        putGiven(given, video, mask);
        if (const nlohmann::json& rectangle = params.at("known_region"); !rectangle.is_null())
            keepRectangle(rectangle, mask);
        comparison.compare(variant + ".inactive", withoutBatch(maskedVideo(video, mask, false)),
                           files.outputTolerance());
        comparison.compare(variant + ".reactive", withoutBatch(maskedVideo(video, mask, true)),
                           files.outputTolerance());
        comparison.compare(variant + ".mask64", withoutBatch(foldedMask(mask, geometry)),
                           files.outputTolerance());
    }
}

}  // namespace meshreel
