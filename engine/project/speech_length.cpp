// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/speech_length.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>

#include "engine/base/error.h"
#include "engine/media/sound_samples.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

struct SpeechLength {
    std::uintmax_t bytes = 0;
    fs::file_time_type written;
    double seconds = 0;
};

double rememberedSeconds(const fs::path& file) {
    constexpr std::size_t mostFiles = 100;
    static std::mutex mutex;
    static std::map<fs::path, SpeechLength> known;
    std::error_code failure;
    SpeechLength length{
        .bytes = fs::file_size(file, failure), .written = fs::last_write_time(file, failure), .seconds = 0};
    {
        const std::scoped_lock lock(mutex);
        const auto found = known.find(file);
        if (found != known.end() && found->second.bytes == length.bytes &&
            found->second.written == length.written)
            return found->second.seconds;
    }
    length.seconds = soundSeconds(file);
    const std::scoped_lock lock(mutex);
    if (known.size() >= mostFiles)
        known.clear();
    known[file] = length;
    return length.seconds;
}

}  // namespace

std::optional<double> speechSeconds(const Project& project) {
    if (project.speech.empty())
        return std::nullopt;
    try {
        return rememberedSeconds(project.speech);
    } catch (const Error&) {
        return std::nullopt;
    }
}

double heardSeconds(const Project& project) {
    return speechSeconds(project).value_or(static_cast<double>(project.numFrames) / project.fps);
}

}  // namespace meshreel
