// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/evaluation_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/media/image.h"
#include "engine/planning/model/model_library.h"
#include "engine/studies/evaluation/clip_strip.h"
#include "engine/weights/formats/json_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr const char* settingsName = "settings.json";
constexpr const char* clipsName = "clips";
constexpr const char* firstFramesName = "first-frames";

/// Tells one state of a model from another without reading its weights: sizes and times of its files.
std::string stateOf(const fs::path& model) {
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(model))
        if (entry.is_regular_file())
            files.push_back(fmt::format("{} {} {}", fs::relative(entry.path(), model).string(),
                                        entry.file_size(),
                                        entry.last_write_time().time_since_epoch().count()));
    std::ranges::sort(files);
    return fmt::format("{:016x}", std::hash<std::string>()(fmt::format("{}", fmt::join(files, "\n"))));
}

nlohmann::json jsonOf(const EvaluationSettings& settings) {
    const fs::path model = findModel(settings.model);
    return {{"model", fs::absolute(model).lexically_normal().string()},
            {"model_state", stateOf(model)},
            {"width", settings.width},
            {"height", settings.height},
            {"frames", settings.frames},
            {"preset", settings.preset},
            {"steps", settings.steps},
            {"guidance", settings.guidance},
            {"flow_shift", settings.flowShift},
            {"seed", settings.seed}};
}

void makeFolder(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure)
        throw Error(ErrorKind::Input, sentence("the folder cannot be made: {}", failure.message()),
                    folder.string(), sentence("Choose another with --out"));
}

}  // namespace

EvaluationFolder::EvaluationFolder(fs::path path, const EvaluationSettings& settings)
    : m_path(std::move(path)), m_settings(settings) {
    const nlohmann::json wanted = jsonOf(settings);
    makeFolder(m_path / clipsName);
    if (!fs::exists(file(settingsName))) {
        writeFileAtomically(file(settingsName), wanted.dump(2) + "\n");
        return;
    }
    if (readJsonObject(file(settingsName)) != wanted)
        throw Error(ErrorKind::Input,
                    sentence("the folder holds an evaluation of another model or other settings"),
                    m_path.string(), sentence("Choose another with --out, or delete it"));
}

std::optional<std::uint64_t> EvaluationFolder::recordedSeed(const fs::path& path) {
    const fs::path settings = path / settingsName;
    if (!fs::exists(settings))
        return std::nullopt;
    const nlohmann::json recorded = readJsonObject(settings);
    const auto seed = recorded.find("seed");
    return seed != recorded.end() && seed->is_number_unsigned() ? std::optional(seed->get<std::uint64_t>())
                                                                : std::nullopt;
}

fs::path EvaluationFolder::clipFile(std::size_t number, const HeldOutPrompt& prompt) const {
    // The prompt is in the name, so that a changed list does not find the old video.
    const std::size_t mark = std::hash<std::string>()(prompt.prompt) % 0x10000;
    return m_path / clipsName / fmt::format("{:03}-{:04x}.png", number, mark);
}

std::optional<Tensor> EvaluationFolder::clip(std::size_t number, const HeldOutPrompt& prompt) const {
    const fs::path picture = clipFile(number, prompt);
    if (!fs::exists(picture))
        return std::nullopt;
    return framesOf(readImage(picture), m_settings.frames);
}

void EvaluationFolder::keepClip(std::size_t number, const HeldOutPrompt& prompt, const Tensor& frames) const {
    writePng(clipFile(number, prompt), stripOf(frames));
}

fs::path EvaluationFolder::firstFrame(std::size_t number, const Tensor& picture) const {
    makeFolder(m_path / firstFramesName);
    fs::path file = fs::absolute(m_path / firstFramesName / fmt::format("{:03}.png", number));
    if (!fs::exists(file))
        writePng(file, picture);
    return file;
}

}  // namespace meshreel
