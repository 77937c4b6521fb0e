// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_finishing.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>

#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/finish/finish.h"
#include "engine/finish/finish_plan.h"
#include "engine/kernels/execution.h"
#include "engine/media/video_writer.h"
#include "engine/mesh/device_mesh.h"
#include "engine/project/project_settings.h"
#include "engine/runs/run_writer.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

FinishSettings finishSettings(const Project& project, const VideoOptions& video) {
    return {.interpolate = project.interpolate,
            .interpolator = project.interpolator,
            .upscale = project.upscale,
            .upscaler = project.upscaler,
            .tellsSettings = writesMetadata(project),
            .format = video.format,
            .quality = video.quality};
}

}  // namespace

double finishVideos(const RunFolder& folder, const Project& project, const RunContext& machine,
                    const EventSink& sink) {
    if (project.interpolate <= 1 && project.upscale <= 1)
        return 0;
    const auto start = std::chrono::steady_clock::now();
    const VideoOptions video = videoOptions(project);
    const FinishSettings settings = finishSettings(project, video);
    // No device of the mesh works now: its workers, and the first one's GPU, are free.
    const Execution execution{machine.mesh.hostWorkers(), machine.stop, machine.trace, machine.mesh.gpu(0)};
    const auto count = static_cast<std::int64_t>(std::ssize(batchItems(project)));
    for (std::int64_t index = 0; index < count; ++index) {
        const fs::path source =
            withVideoExtension(folder.file(numberedName(run_file::videoStem, index)), video.format);
        if (!fs::is_regular_file(fs::symlink_status(source)))
            throw Error(ErrorKind::Input,
                        sentence("the video was written in another format than it is finished in"),
                        source.string(), sentence("Write video_format: webm"));
        const FinishPlan plan = planFinish(source, settings);
        for (const Sentence& remark : plan.remarks)
            sink(RunMessage{MessageLevel::Info, remark});
        const FinishedVideo finished = finishVideo(
            plan, execution, folder.file(numberedName(run_file::finishedStem, index)),
            [&](const FinishProgress& at) {
                sink(Progress{
                    .phase = Phase::Format, .fraction = 1, .secondsLeft = at.secondsLeft, .decoded = 1});
            });
        sink(RunMessage{MessageLevel::Info, sentence("Finished video: {}", finished.video.string())});
        if (!finished.note.empty())
            sink(RunMessage{MessageLevel::Info, finished.note});
    }
    return secondsSince(start);
}

}  // namespace meshreel
