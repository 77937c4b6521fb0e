// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/inspection.h"

#include <fmt/core.h>

#include <array>
#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/media/video_reader.h"
#include "engine/planning/model_library.h"
#include "engine/project/project_file.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

bool hasExtension(const fs::path& path, std::string_view extension) {
    return path.extension() == extension;
}

bool isProjectFile(const fs::path& path) {
    return hasExtension(path, ".yaml") || hasExtension(path, ".yml");
}

void inspectProject(const fs::path& path) {
    const LoadedProject loaded = loadProject(path);
    for (const ProjectProblem& problem : loaded.problems)
        fmt::print(stderr, "meshreel: warning: {}\n", problem.text());
    fmt::print("{}", resolvedYaml(loaded.project));
}

bool isRunFolder(const fs::path& path) {
    return RunFolder::isRun(path);
}

void inspectRun(const fs::path& path) {
    const RunFolder folder = RunFolder::open(path);
    const RunState state = folder.state();
    fmt::print("run folder: {}\nstatus: {}{}{}\nstarted: {}\n", withTilde(folder.path()),
               nameOf(state.status), state.why.empty() ? "" : ", ", state.why, state.started);
    if (!state.finished.empty())
        fmt::print("finished: {}\n", state.finished);
    if (state.resumes > 0)
        fmt::print("continued: {} times{}\n", state.resumes,
                   state.differentMachine ? ", on a different machine" : "");
    const std::vector<StepRecord> steps = folder.steps();
    fmt::print("steps: {} of {}\n", steps.size(), folder.project().numInferenceSteps);
    if (const auto video = folder.video())
        fmt::print("video: {}\n", withTilde(*video));
    if (const auto timings = folder.timings())
        fmt::print("{}", formatTimingSummary(*timings));
    fmt::print("{}\n{}", formatStepSeconds(steps), resolvedYaml(folder.project()));
}

bool isModelFolder(const fs::path& path) {
    return fs::is_regular_file(path / "model_index.json");
}

void inspectModel(const fs::path& path) {
    const ModelInfo info = describeModel(path);
    fmt::print("model: {}\nfolder: {}\npipeline: {}\nweights: {}\n", info.name, withTilde(info.folder),
               info.pipelineClass, formatBytes(info.bytes));
    if (!info.card.empty())
        fmt::print("\n{}\n", info.card);
}

bool isCheckpoint(const fs::path& path) {
    if (fs::is_regular_file(path))
        return hasExtension(path, ".safetensors") ||
               path.filename().string().ends_with(".safetensors.index.json");
    if (!fs::is_directory(path))
        return false;
    for (const fs::directory_entry& entry : fs::directory_iterator(path))
        if (hasExtension(entry.path(), ".safetensors"))
            return true;
    return false;
}

void inspectCheckpoint(const fs::path& path) {
    const Checkpoint checkpoint = Checkpoint::open(path);
    const std::vector<std::string> names = checkpoint.names();
    fmt::print("checkpoint: {}\ntensors: {}\nbytes: {}\n", withTilde(checkpoint.path()), names.size(),
               formatBytes(checkpoint.bytes()));
    for (const std::string& name : names) {
        const Tensor tensor = checkpoint.get(name);
        fmt::print("{} {} {}\n", name, nameOf(tensor.dtype()), tensor.shape().text());
    }
}

bool isAnything(const fs::path&) {
    return true;
}

void inspectMedia(const fs::path& path) {
    const VideoInfo info = probeVideo(path);
    fmt::print("video: {}\ncodec: {}, {}\nsize: {} x {} pixels, {} frames", withTilde(path), info.codec,
               info.pixelFormat, info.width, info.height, info.frames);
    if (info.fps > 0)
        fmt::print(", {:g} frames a second", info.fps);
    fmt::print("\ncolour: matrix {}, primaries {}, transfer {}, range {}\n", info.colour.matrix,
               info.colour.primaries, info.colour.transfer, info.colour.range);
    std::string project;
    try {
        project = readProjectFromMedia(path);
    } catch (const Error&) {
        fmt::print("project: none inside or beside it\n");
        return;
    }
    fmt::print("project:\n{}", project);
}

/// The first row that knows the path prints it.
struct Inspector {
    bool (*knows)(const fs::path&);
    void (*print)(const fs::path&);
};

constexpr std::array inspectors{
    Inspector{isRunFolder, inspectRun},         Inspector{isModelFolder, inspectModel},
    Inspector{isCheckpoint, inspectCheckpoint}, Inspector{isProjectFile, inspectProject},
    Inspector{isAnything, inspectMedia},
};

}  // namespace

void inspect(const fs::path& path) {
    if (!fs::exists(path))
        throw Error(ErrorKind::Input, "there is no such file or folder", path.string(), "Check the path");
    for (const Inspector& inspector : inspectors)
        if (inspector.knows(path)) {
            inspector.print(path);
            return;
        }
}

}  // namespace meshreel
