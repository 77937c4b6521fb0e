// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/first_frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/media/frame_distance.h"
#include "engine/media/image.h"
#include "engine/planning/model/model_facts.h"
#include "engine/planning/model/model_library.h"
#include "engine/tensor/joined.h"

namespace meshreel {
namespace {

constexpr std::int64_t side = 64;
constexpr double mostDecibels = 100.0;

}  // namespace

bool needsFirstFrame(const std::string& model) {
    const ModelFamily& family = *readModelFacts(findModel(model)).family;
    return offers(family, WanTask::ImageToVideo) && !offers(family, WanTask::TextToVideo);
}

std::filesystem::path firstFramesFile() {
    return resourceFolder() / "evaluation" / "first-frames.png";
}

std::vector<Tensor> readFirstFrames(const std::filesystem::path& file, std::size_t count) {
    const Tensor sheet = readImage(file);
    const std::int64_t rows = sheet.extent(0) / side;
    const std::int64_t columns = sheet.extent(1) / side;
    if (static_cast<std::size_t>(rows * columns) < count)
        throw Error(ErrorKind::Input,
                    fmt::format("the sheet holds {} first frames where {} are wanted", rows * columns, count),
                    file.string(),
                    "Restore the file, or make it again with tools/train-tiny-wan/make_first_frames.py");
    std::vector<Tensor> frames;
    for (std::int64_t number = 0; static_cast<std::size_t>(number) < count; ++number) {
        const std::int64_t top = number / columns * side;
        const std::int64_t left = number % columns * side;
        frames.push_back(sliced(sliced(sheet, 0, top, top + side), 1, left, left + side));
    }
    return frames;
}

std::optional<double> firstFrameKept(const Tensor& frames, const Tensor& picture) {
    if (frames.extent(1) != picture.extent(0) || frames.extent(2) != picture.extent(1))
        return std::nullopt;
    const Tensor first = sliced(frames, 0, 0, 1).reshaped(picture.shape());
    return std::min(distanceOf(first, picture).psnr, mostDecibels);
}

}  // namespace meshreel
