// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>

#include "engine/base/background_work.h"
#include "engine/events/run_event.h"
#include "engine/media/video_writer.h"
#include "engine/project/project.h"
#include "engine/runs/run_folder.h"
#include "engine/timing/trace.h"

namespace meshreel {

/// The videos of a run, encoded while they are decoded, by a thread of its own: video.* with the project
/// inside and preview.png (the middle frame); of further videos of a batch video-2.* and preview-2.png and so
/// on, each with the project of that video alone. The files appear in finish(): without it, nothing of them
/// is left, and those of an earlier decoding stay.
class VideoFiles {
  public:
    /// `wanted`: whose videoKeys say how to write. The references outlive it.
    VideoFiles(const RunFolder& folder, const Project& project, const Project& wanted, Trace* trace);

    /// The next frames of a video, a DecodedPart; returns at once. Throws what encoding earlier frames threw:
    /// see VideoFile.
    void add(std::int64_t video, const DecodedFrames& part);

    /// Once every frame was added. Returns the first video. Throws as add().
    WrittenVideo finish();

  private:
    struct Clip {
        VideoFile file;
        Tensor middle;  // [height, width, 3]
    };

    void encode(std::int64_t video, const DecodedFrames& part);
    [[nodiscard]] WrittenVideo finishClips();

    const RunFolder& m_folder;
    const Project& m_project;
    VideoOptions m_options;
    bool m_writesMetadata;
    Trace* m_trace;
    std::map<std::int64_t, Clip> m_clips;  // of the encoding thread
    BackgroundWork m_encoding;             // last: it uses the others
};

}  // namespace meshreel
