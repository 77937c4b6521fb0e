// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/libav.h"

extern "C" {
#include <libavutil/log.h>
}

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <mutex>
#include <utility>

namespace meshreel {

LibavDictionary::LibavDictionary(const std::map<std::string, std::string>& entries) {
    for (const auto& [key, value] : entries)
        set(key, value);
}

void LibavDictionary::set(const std::string& key, const std::string& value) {
    if (av_dict_set(&m_entries, key.c_str(), value.c_str(), 0) < 0)
        throw Error(ErrorKind::Resources, sentence("there is not enough memory for the metadata"), key);
}

AVDictionary* LibavDictionary::release() {
    return std::exchange(m_entries, nullptr);
}

std::map<std::string, std::string> LibavDictionary::lowerCased(const AVDictionary* entries) {
    std::map<std::string, std::string> copy;
    const AVDictionaryEntry* entry = nullptr;
    while ((entry = av_dict_get(entries, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        std::string key = entry->key;
        std::ranges::transform(key, key.begin(),
                               [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
        copy[key] = entry->value;
    }
    return copy;
}

void quietLibav() {
    static std::once_flag once;
    std::call_once(once, [] { av_log_set_level(AV_LOG_QUIET); });
}

std::string libavReason(int code) {
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    av_strerror(code, text.data(), text.size());
    return text.data();
}

void throwLibavWriteError(int code, const std::filesystem::path& file) {
    const bool full = code == AVERROR(ENOSPC) || code == AVERROR(EDQUOT) || code == AVERROR(EFBIG);
    throw Error(full ? ErrorKind::Resources : ErrorKind::Input,
                sentence("the video could not be written ({})", libavReason(code)), file.string(),
                full ? sentence("Free some space or choose another disk; what was written before is kept")
                     : sentence("Choose a folder that exists and that you may write to"));
}

FramePtr makeFrame(int width, int height, AVPixelFormat format) {
    FramePtr frame = requireAllocated(FramePtr(av_frame_alloc()));
    frame->width = width;
    frame->height = height;
    frame->format = format;
    if (const int code = av_frame_get_buffer(frame.get(), 0); code < 0)
        throw Error(ErrorKind::Resources, sentence("a frame could not be allocated ({})", libavReason(code)),
                    {}, sentence("Close other programs or choose a smaller size"));
    return frame;
}

std::string fileUrl(const std::filesystem::path& file) {
    return "file:" + file.string();
}

}  // namespace meshreel
