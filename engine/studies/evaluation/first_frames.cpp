// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/first_frames.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/media/frame_distance.h"
#include "engine/media/image.h"
#include "engine/planning/model/model_facts.h"
#include "engine/planning/model/model_library.h"
#include "engine/studies/evaluation/clip_strip.h"

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
                    sentence("the sheet holds {} first frames where {} are wanted", rows * columns, count),
                    file.string(),
                    sentence("Restore the file, or make it again with "
                             "tools/train-tiny-wan/make_first_frames.py"));
    std::vector<Tensor> frames;
    for (std::int64_t row = 0; row < rows; ++row) {
        const Tensor strip = framesOf(sheet.slice(row * side, (row + 1) * side), columns);
        for (std::int64_t column = 0; column < columns && frames.size() < count; ++column)
            frames.push_back(strip.slice(column, column + 1).reshaped({side, side, 3}));
    }
    return frames;
}

std::optional<double> firstFrameKept(const Tensor& frames, const Tensor& picture) {
    if (frames.extent(1) != picture.extent(0) || frames.extent(2) != picture.extent(1))
        return std::nullopt;
    return std::min(distanceOf(frames.slice(0, 1).reshaped(picture.shape()), picture).psnr, mostDecibels);
}

}  // namespace meshreel
