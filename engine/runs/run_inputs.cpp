// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_inputs.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/media/frame_source.h"
#include "engine/media/png_folder_source.h"
#include "engine/project/input_files.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

void copyFile(const fs::path& from, const fs::path& to, std::string_view key) {
    std::error_code failure;
    fs::create_directories(to.parent_path(), failure);
    if (!failure)
        fs::copy_file(from, to, fs::copy_options::overwrite_existing, failure);
    if (!failure)
        return;
    const bool full = failure == std::errc::no_space_on_device || failure == std::errc::file_too_large;
    throw Error(full ? ErrorKind::Resources : ErrorKind::Input,
                sentence("{} cannot be copied into the run's folder ({})", key, failure.message()),
                withTilde(from),
                full ? sentence("Free some space or choose another disk")
                     : sentence("Check that the file is there and can be read"));
}

/// A file, or the frames of a folder and nothing else that lies there.
void copyInput(const fs::path& from, const fs::path& to, std::string_view key) {
    requireMedium(from);
    if (!fs::is_directory(from)) {
        copyFile(from, to, key);
        return;
    }
    for (const fs::path& frame : frameFiles(from))
        copyFile(frame, to / frame.filename(), key);
}

/// "inputs/image.png"; of several files "inputs/reference_images-2.png".
fs::path placeOf(const InputKey& key, std::size_t index, const fs::path& file) {
    const std::string number = key.kind == InputKind::Images ? fmt::format("-{}", index + 1) : std::string();
    return fs::path(run_file::inputs) / (fmt::format("{}{}", key.name, number) + file.extension().string());
}

Project copyInputs(const RunFolder& folder, Project project) {
    for (const InputKey& key : inputKeys()) {
        std::vector<std::string> files = inputFiles(project, key);
        for (std::size_t index = 0; index < files.size(); ++index) {
            const fs::path copy = folder.path() / placeOf(key, index, files[index]);
            copyInput(files[index], copy, key.name);
            files[index] = copy.string();
        }
        setInputFiles(project, key, files);
    }
    return project;
}

}  // namespace

Project storeInputs(const RunFolder& folder, Project project) {
    try {
        return copyInputs(folder, std::move(project));
    } catch (const Error&) {
        std::error_code ignored;
        fs::remove_all(folder.file(run_file::inputs), ignored);
        throw;
    }
}

Project asStoredIn(const RunFolder& folder, Project project) {
    for (const InputKey& key : inputKeys()) {
        std::vector<std::string> files = inputFiles(project, key);
        for (std::string& file : files)
            file = fs::path(file).lexically_relative(folder.path()).generic_string();
        setInputFiles(project, key, files);
    }
    return project;
}

}  // namespace meshreel
