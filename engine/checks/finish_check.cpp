// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/finish_check.h"

#include <functional>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/media/video_writer.h"
#include "engine/models/finish/finish_names.h"
#include "engine/models/finish/rife_layout.h"
#include "engine/models/finish/upscaler_layout.h"

namespace meshreel {
namespace {

constexpr std::string_view interpolatorKey = "interpolator";
constexpr std::string_view upscalerKey = "upscaler";

/// What the weights of a key are refused for by who reads them.
void tellRefusal(std::string_view key, const std::function<void()>& read, std::vector<Problem>& problems) {
    try {
        read();
    } catch (const Error& refused) {
        problems.push_back({.id = "finish-weights-unusable",
                            .key = std::string(key),
                            .involved = {"interpolate", "upscale"},
                            .message = sentence("{}: {}", key, refused.message()),
                            .fixes = byHand(refused.hint())});
    }
}

}  // namespace

std::vector<Problem> finishProblems(const Project& project) {
    std::vector<Problem> problems;
    const bool interpolates = project.interpolate > 1;
    const bool enlarges = project.upscale > 1;
    if (!interpolates && !enlarges)
        return problems;
    if (const VideoFormatInfo* format = findVideoFormat(project.videoFormat);
        format != nullptr && !holdsSound(format->format))
        problems.push_back(
            {.id = "finish-not-for-format",
             .key = "video_format",
             .involved = {"interpolate", "upscale"},
             .message = sentence("a video that is finished is MP4 or WebM"),
             .fixes = setKey(sentence("Write video_format: mp4"), "video_format", {"mp4", "webm"})});
    if (interpolates && project.interpolator.empty())
        problems.push_back(
            {.id = "finish-needs-weights",
             .key = std::string(interpolatorKey),
             .involved = {"interpolate"},
             .message =
                 sentence("interpolate asks for new frames, and interpolator names nothing that makes them"),
             .fixes =
                 setKey(sentence("Name a file of RIFE, such as rife_v4.26.safetensors or flownet.pkl; or "
                                 "write blend to mix the frames beside"),
                        interpolatorKey, {std::string(finish_name::blend)})});
    if (interpolates && namesFinishWeights(project.interpolator, finish_name::blend))
        tellRefusal(
            interpolatorKey, [&] { static_cast<void>(rifeLayout(openRife(project.interpolator))); },
            problems);
    if (enlarges && namesFinishWeights(project.upscaler, finish_name::lanczos))
        tellRefusal(
            upscalerKey, [&] { static_cast<void>(upscalerLayout(openUpscaler(project.upscaler))); },
            problems);
    return problems;
}

}  // namespace meshreel
