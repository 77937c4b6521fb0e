// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/video_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/media/image.h"
#include "engine/project/input_files.h"
#include "engine/project/project_file.h"
#include "engine/project/project_settings.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// "video", and of further videos of a batch "video-2".
std::string numbered(std::string_view stem, std::int64_t index, std::string_view extension = {}) {
    return fmt::format("{}{}{}", stem, index == 0 ? std::string() : fmt::format("-{}", index + 1), extension);
}

}  // namespace

VideoFiles::VideoFiles(const RunFolder& folder, const Project& project, const Project& wanted, Trace* trace)
    : m_folder(folder),
      m_project(project),
      m_options(videoOptions(wanted)),
      m_writesMetadata(writesMetadata(wanted)),
      m_trace(trace) {
    m_options.sound = soundFile(wanted);
}

void VideoFiles::add(std::int64_t video, const DecodedFrames& part) {
    m_encoding.add([this, video, part] { encode(video, part); });
}

WrittenVideo VideoFiles::finish() {
    std::optional<WrittenVideo> first;
    m_encoding.add([this, &first] { first = finishClips(); });
    m_encoding.finish();
    return *first;
}

void VideoFiles::encode(std::int64_t video, const DecodedFrames& part) {
    const Trace::Span span = traceSpan(m_trace, "encode frames", "media");
    auto clip = m_clips.find(video);
    if (clip == m_clips.end()) {
        const Project own = extractProject(m_project, batchItems(m_project)[static_cast<std::size_t>(video)]);
        VideoOptions options = m_options;
        if (m_writesMetadata)
            options.metadata = {{std::string(projectMetadataKey), resolvedYaml(asStoredIn(m_folder, own))},
                                {"title", own.prompt}};
        VideoFile file(m_folder.file(numbered(run_file::videoStem, video)), options);
        clip = m_clips.emplace(video, Clip{.file = std::move(file), .middle = {}}).first;
    }
    clip->second.file.add(part.frames);
    const std::int64_t middle = part.total / 2 - part.first;
    if (middle < 0 || middle >= part.frames.extent(0))
        return;
    const Tensor frame = part.frames.slice(middle, middle + 1);
    clip->second.middle = frame.reshaped({frame.extent(1), frame.extent(2), frame.extent(3)});
}

WrittenVideo VideoFiles::finishClips() {
    const fs::path preview(run_file::preview);
    std::optional<WrittenVideo> first;
    for (auto& [video, clip] : m_clips) {
        const WrittenVideo written = clip.file.finish();
        writePng(m_folder.file(numbered(preview.stem().string(), video, preview.extension().string())),
                 clip.middle);
        if (!first)
            first = written;
    }
    if (!first)
        throw Error(ErrorKind::Internal, "a run has no video to finish");
    if (m_clips.size() > 1) {
        const Sentence count = sentence("{} videos were written", m_clips.size());
        first->note = first->note.empty() ? count : sentence("{} {}", first->note, count);
    }
    return *first;
}

}  // namespace meshreel
