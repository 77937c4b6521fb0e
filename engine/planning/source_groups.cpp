// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/source_groups.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/media/image.h"
#include "engine/media/video_reader.h"
#include "engine/planning/run_task.h"
#include "engine/project/input_files.h"
#include "engine/tensor/shape.h"

namespace meshreel {
namespace {

/// Python's round(): half to even.
std::int64_t roundedToEven(double value) {
    return static_cast<std::int64_t>(std::nearbyint(value));
}

PictureSize sizeOfFile(const std::string& file, const PictureSize& otherwise) {
    try {
        const VideoInfo info = probeImage(file);
        return {.height = info.height, .width = info.width};
    } catch (const Error&) {
        return otherwise;
    }
}

}  // namespace

PictureSize sourceSize(const PictureSize& picture, std::int64_t most, std::int64_t multiple) {
    const double scale = std::min(real(most) / real(std::max(picture.height, picture.width)), 1.0);
    const auto fitted = [&](std::int64_t extent) {
        const std::int64_t scaled = roundedToEven(real(extent) * scale);
        return std::max(multiple, roundedToEven(real(scaled) / real(multiple)) * multiple);
    };
    return {.height = fitted(picture.height), .width = fitted(picture.width)};
}

std::vector<PictureSize> readSourceSizes(const Project& project, const ModelFacts& model) {
    const PictureSize ofVideo{.height = project.height, .width = project.width};
    std::vector<PictureSize> sizes;
    for (const std::string& file : inputFiles(project, *findInputKey("reference_images")))
        sizes.push_back(
            sourceSize(sizeOfFile(file, ofVideo), project.referenceMaxSize, model.family->sizeMultiple));
    return sizes;
}

std::vector<GroupShape> sourceGroups(const RunTask& task) {
    std::vector<GroupShape> groups;
    const auto add = [&](std::string_view name, const Shape& latents) {
        groups.push_back({.name = name, .latents = latents, .source = std::ssize(groups) + 1});
    };
    const Shape one = task.latentShape.with(0, 1);
    if (!task.project.video.empty())
        add("video", one);
    const std::int64_t factor = task.model.vae.spatialFactor();
    for (const PictureSize& size : task.pictures)
        add("picture", one.with(2, 1).with(3, size.height / factor).with(4, size.width / factor));
    return groups;
}

}  // namespace meshreel
