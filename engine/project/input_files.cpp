// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/input_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/paths.h"
#include "engine/base/sentence.h"
#include "engine/base/utf8.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr char listSeparator = ',';
constexpr std::string_view inputBlanks = " \t";

constexpr std::array<InputKey, 8> keys{{
    {"image", &Project::image, InputKind::Image},
    {"last_image", &Project::lastImage, InputKind::Image},
    {"video", &Project::video, InputKind::Video},
    {"mask", &Project::mask, InputKind::Video},
    {"pose_video", &Project::poseVideo, InputKind::Video},
    {"face_video", &Project::faceVideo, InputKind::Video},
    {"background_video", &Project::backgroundVideo, InputKind::Video},
    {"reference_images", &Project::referenceImages, InputKind::Images},
}};

/// Keys of other files that are found beside the project.
constexpr std::array besideProject{
    std::pair<std::string_view, std::string Project::*>{"mag_ratios_file", &Project::magRatiosFile},
    std::pair<std::string_view, std::string Project::*>{"compare_with", &Project::compareWith},
};

std::string trimmedText(std::string_view text) {
    const std::size_t first = text.find_first_not_of(inputBlanks);
    if (first == std::string_view::npos)
        return {};
    return std::string(text.substr(first, text.find_last_not_of(inputBlanks) + 1 - first));
}

void makeAbsolute(Project& project, const InputKey& key, const fs::path& folder) {
    std::vector<std::string> files = inputFiles(project, key);
    for (std::string& file : files)
        file = (folder / expandTilde(file)).lexically_normal().string();
    setInputFiles(project, key, files);
}

void makeAbsolute(std::string& file, const fs::path& folder) {
    if (!file.empty())
        file = (folder / expandTilde(file)).lexically_normal().string();
}

}  // namespace

std::span<const InputKey> inputKeys() {
    return keys;
}

const InputKey* findInputKey(std::string_view name) {
    const auto found = std::ranges::find(keys, name, &InputKey::name);
    return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string> inputFiles(const Project& project, const InputKey& key) {
    const std::string& value = project.*key.member;
    if (key.kind != InputKind::Images)
        return value.empty() ? std::vector<std::string>{} : std::vector<std::string>{value};
    std::vector<std::string> files;
    for (std::size_t begin = 0; begin < value.size();) {
        const std::size_t end = std::min(value.find(listSeparator, begin), value.size());
        if (std::string file = trimmedText(std::string_view(value).substr(begin, end - begin)); !file.empty())
            files.push_back(std::move(file));
        begin = end + 1;
    }
    return files;
}

void setInputFiles(Project& project, const InputKey& key, const std::vector<std::string>& files) {
    project.*key.member = fmt::to_string(fmt::join(files, ", "));
}

void resolveInputs(LoadedProject& loaded, const fs::path& folder) {
    const auto startOf = [&](std::string_view key) {
        const auto place = loaded.places.find(key);
        const bool inFile = place != loaded.places.end() && place->second.line > 0;
        return inFile ? folder : fs::current_path();
    };
    for (const InputKey& key : keys)
        makeAbsolute(loaded.project, key, startOf(key.name));
    for (const auto& [key, member] : besideProject)
        makeAbsolute(loaded.project.*member, startOf(key));
}

Project withInputsIn(Project project, const fs::path& folder) {
    for (const InputKey& key : keys)
        makeAbsolute(project, key, folder);
    for (const auto& [key, member] : besideProject)
        makeAbsolute(project.*member, folder);
    return project;
}

std::vector<ProjectProblem> pathProblems(const Project& project) {
    std::vector<ProjectProblem> problems;
    const auto refuseUnlessUtf8 = [&](std::string_view key, const std::string& file) {
        if (firstInvalidUtf8(withTilde(file)))
            problems.push_back(
                {.key = std::string(key),
                 .message = sentence("{}: the path {} is not UTF-8", key, wellFormedUtf8(withTilde(file))),
                 .hint = sentence("Rename the folder or the file")});
    };
    for (const auto& [key, member] : besideProject)
        refuseUnlessUtf8(key, project.*member);
    for (const InputKey& key : keys)
        for (const std::string& file : inputFiles(project, key))
            refuseUnlessUtf8(key.name, file);
    return problems;
}

}  // namespace meshreel
