// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/evaluation/evaluation_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/catalogue/model_assembly.h"
#include "engine/catalogue/model_facts.h"
#include "engine/measure/evaluation/scene_clip.h"
#include "engine/measure/measured_here.h"
#include "engine/media/frame_comparison.h"
#include "engine/media/image.h"
#include "engine/models/families/model_family.h"
#include "engine/project/presets.h"
#include "engine/project/project.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::int64_t channels = 3;

}  // namespace

void followPreset(EvaluationSettings& settings) {
    if (settings.preset == noPreset)
        return;
    const Project& defaults = defaultsOfPreset(settings.preset);
    settings.steps = defaults.numInferenceSteps;
    settings.guidance = defaults.guidanceScale;
    settings.flowShift = defaults.flowShift;
}

namespace {

std::vector<std::string_view> namesOf(std::span<const NamedColour> colours) {
    std::vector<std::string_view> names;
    for (const NamedColour& colour : colours)
        names.push_back(colour.name);
    return names;
}

std::vector<std::string_view> allMotions() {
    std::vector<std::string_view> names(directionNames().begin(), directionNames().end());
    names.insert(names.end(), otherMotionNames().begin(), otherMotionNames().end());
    return names;
}

[[noreturn]] void refuse(const fs::path& file, Sentence why) {
    throw Error(ErrorKind::Input, std::move(why), file.string(),
                sentence("Restore the file, or make it again with tools/train-tiny-wan/make_prompts.py"));
}

void requireKnown(const HeldOutPrompt& prompt, const fs::path& file, std::size_t row) {
    const auto check = [&](const std::string& word, std::span<const std::string_view> known) {
        if (std::ranges::find(known, word) == known.end())
            refuse(file, sentence("prompt {} asks for \"{}\", which nothing here can measure", row, word));
    };
    if (prompt.prompt.empty())
        refuse(file, sentence("prompt {} is empty", row));
    check(prompt.shape, shapeNames());
    check(prompt.color, namesOf(objectColours()));
    check(prompt.background, namesOf(backgroundColours()));
    check(prompt.motion, allMotions());
}

std::string toText(const nlohmann::json& row, const char* key, const fs::path& file, std::size_t number) {
    const auto found = row.find(key);
    if (found == row.end() || !found->is_string())
        refuse(file, sentence("prompt {} lacks the text \"{}\"", number, key));
    return found->get<std::string>();
}

}  // namespace

fs::path heldOutPromptsFile() {
    return resourceFolder() / "evaluation" / "held-out-prompts.json";
}

std::vector<HeldOutPrompt> readHeldOutPrompts(const fs::path& file) {
    const nlohmann::json json = readJsonObject(file);
    const auto rows = json.find("prompts");
    if (rows == json.end() || !rows->is_array() || rows->empty())
        throw Error(ErrorKind::Input, sentence("the file holds no list of prompts"), file.string());
    std::vector<HeldOutPrompt> prompts;
    for (const nlohmann::json& row : *rows) {
        const std::size_t number = prompts.size() + 1;
        if (!row.is_object())
            refuse(file, sentence("prompt {} is not an object", number));
        const auto text = [&](const char* key) { return toText(row, key, file, number); };
        prompts.push_back({text("prompt"), text("shape"), text("color"), text("background"), text("motion")});
        requireKnown(prompts.back(), file, number);
    }
    return prompts;
}

namespace {

/// Calls `copyRow(byte of the frames, byte of the strip, bytes)` for every row of every frame.
template <typename CopyRow>
void overRows(std::int64_t frames, std::int64_t height, std::int64_t width, const CopyRow& copyRow) {
    const std::int64_t row = width * channels;
    for (std::int64_t frame = 0; frame < frames; ++frame)
        for (std::int64_t y = 0; y < height; ++y)
            copyRow((frame * height + y) * row, (y * frames + frame) * row, row);
}

}  // namespace

Tensor toStrip(const Tensor& frames) {
    const std::int64_t time = frames.extent(0);
    const std::int64_t height = frames.extent(1);
    const std::int64_t width = frames.extent(2);
    Tensor strip = Tensor::empty({height, time * width, channels}, DType::U8);
    const auto from = frames.data<std::uint8_t>();
    const auto to = strip.data<std::uint8_t>();
    overRows(time, height, width, [&](std::int64_t ofFrames, std::int64_t ofStrip, std::int64_t bytes) {
        std::copy_n(from.begin() + ofFrames, bytes, to.begin() + ofStrip);
    });
    return strip;
}

Tensor framesOf(const Tensor& strip, std::int64_t frames) {
    if (frames < 1 || strip.extent(1) % frames != 0)
        throw Error(ErrorKind::Input,
                    sentence("a picture {} pixels wide does not hold {} frames side by side", strip.extent(1),
                             frames));
    const std::int64_t height = strip.extent(0);
    const std::int64_t width = strip.extent(1) / frames;
    Tensor clip = Tensor::empty({frames, height, width, channels}, DType::U8);
    const auto from = strip.data<std::uint8_t>();
    const auto to = clip.data<std::uint8_t>();
    overRows(frames, height, width, [&](std::int64_t ofFrames, std::int64_t ofStrip, std::int64_t bytes) {
        std::copy_n(from.begin() + ofStrip, bytes, to.begin() + ofFrames);
    });
    return clip;
}

namespace {

/// Returns the folder as a run opens it: in diffusers layout, in the Wan project's, or a single file.
fs::path folderOfModel(const std::string& model) {
    Project project;
    project.model = model;
    return prepareModelFolder(project);
}

}  // namespace

bool needsFirstFrame(const std::string& model) {
    const ModelFamily& family = *readModelFacts(folderOfModel(model)).family;
    return offers(family, WanTask::ImageToVideo) && !offers(family, WanTask::TextToVideo);
}

fs::path firstFramesFile() {
    return resourceFolder() / "evaluation" / "first-frames.png";
}

std::vector<Tensor> readFirstFrames(const fs::path& file, std::size_t count) {
    constexpr std::int64_t side = 64;
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
            frames.push_back(strip.slice(column, column + 1).reshaped({side, side, channels}));
    }
    return frames;
}

std::optional<double> firstFrameKept(const Tensor& frames, const Tensor& picture) {
    constexpr double mostDecibels = 100.0;
    if (frames.extent(1) != picture.extent(0) || frames.extent(2) != picture.extent(1))
        return std::nullopt;
    return std::min(measureDistance(frames.slice(0, 1).reshaped(picture.shape()), picture).psnr,
                    mostDecibels);
}

namespace {

constexpr std::int64_t framesOfClip = 6;
constexpr std::int64_t sheetColumns = 2;
constexpr std::int64_t gap = 4;  // pixels between rows and between columns

/// Number of the frame in place `place` of a row: first and last frame and evenly between.
std::int64_t pickedFrame(std::int64_t place, std::int64_t frames) {
    return (place * (frames - 1) + (framesOfClip - 1) / 2) / (framesOfClip - 1);
}

void paste(const Tensor& frame, Tensor& sheet, std::int64_t top, std::int64_t left) {
    const std::int64_t row = frame.extent(1) * channels;
    const auto from = frame.data<std::uint8_t>();
    const auto to = sheet.data<std::uint8_t>();
    for (std::int64_t y = 0; y < frame.extent(0); ++y)
        std::copy_n(from.begin() + y * row, row,
                    to.begin() + ((top + y) * sheet.extent(1) + left) * channels);
}

}  // namespace

Tensor contactSheet(const std::vector<Tensor>& clips) {
    if (clips.empty())
        throw Error(ErrorKind::Internal, "a contact sheet needs clips");
    const std::int64_t time = clips.front().extent(0);
    const std::int64_t height = clips.front().extent(1);
    const std::int64_t width = clips.front().extent(2);
    const std::int64_t columnWidth = framesOfClip * width;
    const std::int64_t rows = (static_cast<std::int64_t>(clips.size()) + sheetColumns - 1) / sheetColumns;
    Tensor sheet = Tensor::zeros(
        {rows * (height + gap) - gap, sheetColumns * (columnWidth + gap) - gap, channels}, DType::U8);
    for (std::size_t i = 0; i < clips.size(); ++i) {
        if (clips[i].shape() != clips.front().shape())
            throw Error(ErrorKind::Internal, "the clips of a contact sheet have different sizes");
        const std::int64_t top = static_cast<std::int64_t>(i) / sheetColumns * (height + gap);
        const std::int64_t left = static_cast<std::int64_t>(i) % sheetColumns * (columnWidth + gap);
        for (std::int64_t place = 0; place < framesOfClip; ++place) {
            const std::int64_t picked = pickedFrame(place, time);
            paste(clips[i].slice(picked, picked + 1).reshaped({height, width, channels}), sheet, top,
                  left + place * width);
        }
    }
    return sheet;
}

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

nlohmann::json makeJson(const EvaluationSettings& settings) {
    const fs::path model = folderOfModel(settings.model);
    nlohmann::json json{{"model", fs::absolute(model).lexically_normal().string()},
                        {"model_state", stateOf(model)},
                        {"width", settings.width},
                        {"height", settings.height},
                        {"frames", settings.frames},
                        {"preset", settings.preset},
                        {"steps", settings.steps},
                        {"guidance", settings.guidance},
                        {"flow_shift", settings.flowShift},
                        {"seed", settings.seed}};
    if (settings.clips > 1)  // folders of earlier versions say nothing of it
        json["clips"] = settings.clips;
    return json;
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
    const nlohmann::json wanted = makeJson(settings);
    makeFolder(m_path / clipsName);
    if (!fs::exists(file(settingsName))) {
        writeFileAtomically(file(settingsName), wanted.dump(2) + "\n");
        writeFileAtomically(file(machineName), measuringMachine().dump(2) + "\n");
        return;
    }
    if (readJsonObject(file(settingsName)) != wanted)
        throw Error(ErrorKind::Input,
                    sentence("the folder holds an evaluation of another model or other settings"),
                    m_path.string(), sentence("Choose another with --out, or delete it"));
    m_note = claimMeasurements(file(machineName), true);
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
    const Tensor strip = readImage(picture);
    const bool isChain = m_settings.clips > 1;  // as long as the model shares frames
    return framesOf(strip, isChain ? strip.extent(1) / m_settings.width : m_settings.frames);
}

fs::path EvaluationFolder::setAside(std::size_t number, const HeldOutPrompt& prompt) const {
    const fs::path picture = clipFile(number, prompt);
    fs::path aside = freePath(picture.parent_path() / (picture.stem().string() + "-damaged"),
                              picture.extension().string());
    fs::rename(picture, aside);
    return aside;
}

void EvaluationFolder::keepClip(std::size_t number, const HeldOutPrompt& prompt, const Tensor& frames) const {
    writePng(clipFile(number, prompt), toStrip(frames));
}

fs::path EvaluationFolder::firstFrame(std::size_t number, const Tensor& picture) const {
    makeFolder(m_path / firstFramesName);
    fs::path file = fs::absolute(m_path / firstFramesName / fmt::format("{:03}.png", number));
    if (!fs::exists(file))
        writePng(file, picture);
    return file;
}

}  // namespace meshreel
