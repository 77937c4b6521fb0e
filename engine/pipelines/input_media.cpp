// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/input_media.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/media/image.h"
#include "engine/media/image_processor.h"
#include "engine/media/image_resize.h"
#include "engine/media/video_frames.h"
#include "engine/project/input_files.h"
#include "engine/tensor/joined.h"

namespace meshreel {
namespace {

constexpr std::int64_t colours = 3;
constexpr std::size_t frameAxis = 2;

std::string fileOf(const Project& project, std::string_view key) {
    return project.*findInputKey(key)->member;
}

Tensor readPicture(const Project& project, std::string_view key) {
    return pixelsOf(fittedPicture(readImage(fileOf(project, key)), project.height, project.width));
}

/// The video's first frames; a file with one frame gives that one over and over.
Tensor readVideoInput(const Project& project, std::string_view key) {
    const std::string file = fileOf(project, key);
    const Tensor frames = readFrames(file, {.frames = project.numFrames,
                                            .height = project.height,
                                            .width = project.width,
                                            .filter = Resampling::Lanczos});
    const std::int64_t found = frames.extent(0);
    if (found == project.numFrames)
        return videoOf(frames);
    if (found > 1)
        throw Error(ErrorKind::Input,
                    fmt::format("{} has {} frames, and num_frames is {}", key, found, project.numFrames),
                    withTilde(file), fmt::format("Use a longer one, or num_frames of at most {}", found));
    const Tensor picture = videoOf(frames);
    return joined(std::vector<Tensor>(static_cast<std::size_t>(project.numFrames), picture), frameAxis);
}

Tensor filled(const Shape& shape, float value) {
    Tensor tensor = Tensor::empty(shape);
    std::ranges::fill(tensor.data<float>(), value);
    return tensor;
}

void readEdit(const RunPlan& plan, VisualInputs& inputs) {
    const Project& project = plan.project;
    const EditFrames open = openEdit(plan.geometry());
    inputs.video = project.video.empty() ? open.video : readVideoInput(project, "video");
    inputs.mask = project.mask.empty() ? open.mask : asMask(readVideoInput(project, "mask"));
    for (const std::string& file : inputFiles(project, *findInputKey("reference_images")))
        inputs.references.push_back(
            referencePixels(readImage(file), plan.model.vae.spatialFactor(), project.height, project.width));
}

}  // namespace

Tensor fittedPicture(const Tensor& picture, std::int64_t height, std::int64_t width) {
    return resizeImage(picture, height, width, Resampling::Lanczos);
}

Tensor asMask(Tensor pixels) {
    for (float& value : pixels.data<float>())
        value = std::clamp((value + 1.0F) / 2.0F, 0.0F, 1.0F);
    return pixels;
}

EditFrames openEdit(const VideoGeometry& geometry) {
    const Shape shape{1, colours, geometry.frames, geometry.height, geometry.width};
    return {.video = filled(shape, 0.0F), .mask = filled(shape, 1.0F)};
}

Tensor pixelsOf(const Tensor& picture) {
    return videoOf(picture.reshaped({1, picture.extent(0), picture.extent(1), picture.extent(2)}));
}

Tensor videoOf(const Tensor& frames) {
    const Tensor pixels = videoPixels(frames);
    return pixels.reshaped({1, pixels.extent(0), pixels.extent(1), pixels.extent(2), pixels.extent(3)});
}

Tensor referencePixels(const Tensor& picture, std::int64_t multiple, std::int64_t height,
                       std::int64_t width) {
    const auto down = [multiple](std::int64_t extent) { return extent / multiple * multiple; };
    const std::int64_t toHeight = down(picture.extent(0));
    const std::int64_t toWidth = down(picture.extent(1));
    if (toHeight == 0 || toWidth == 0)
        throw Error(ErrorKind::Input,
                    fmt::format("a reference image of {} x {} pixels is smaller than {} x {}",
                                picture.extent(1), picture.extent(0), multiple, multiple),
                    "reference_images", "Use a larger image");
    return letterboxed(pixelsOf(fittedPicture(picture, toHeight, toWidth)), height, width);
}

std::vector<Tensor> readPictures(const RunPlan& plan) {
    std::vector<Tensor> pictures;
    for (const std::string_view key : rowOf(plan.task).needs)
        if (findInputKey(key)->kind == InputKind::Image)
            pictures.push_back(readImage(fileOf(plan.project, key)));
    return pictures;
}

VisualInputs readVisualInputs(const RunPlan& plan) {
    VisualInputs inputs;
    switch (plan.task) {
        case WanTask::TextToVideo:
            break;
        case WanTask::FirstLastFrame:
            inputs.lastImage = readPicture(plan.project, "last_image");
            [[fallthrough]];
        case WanTask::ImageToVideo:
            inputs.image = readPicture(plan.project, "image");
            break;
        case WanTask::VideoToVideo:
            inputs.video = readVideoInput(plan.project, "video");
            break;
        case WanTask::VaceEditing:
            readEdit(plan, inputs);
            break;
    }
    return inputs;
}

}  // namespace meshreel
