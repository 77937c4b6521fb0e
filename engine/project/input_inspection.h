// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/media/video_reader.h"
#include "engine/project/input_files.h"

namespace meshreel {

/// What a run does with an input that is not what somebody may expect, at its key.
struct InputNote {
    std::string key;
    Sentence message;
    Sentence detail;
};

struct InputFindings {
    std::vector<ProjectProblem> problems;  ///< errors: the run would end at these inputs
    std::vector<InputNote> notes;
};

/// What the inputs of a run may hold in all: they are copied into its folder.
inline constexpr std::uint64_t maxInputBytes = std::uint64_t{8} << 30;

/// Opens a project's inputs far enough to know that a run can use them: the picture, or the first frame of a
/// video with its size, rate and number of frames. What a file showed is remembered until its time or size
/// changes. May be asked by several threads.
class InputInspector {
  public:
    /// Paths are absolute (resolveInputs, withInputsIn).
    [[nodiscard]] InputFindings inspect(const Project& project);

  private:
    /// Differs when the file was written again.
    struct Stamp {
        std::uint64_t bytes = 0;
        std::filesystem::file_time_type written;
        std::filesystem::file_time_type firstFrameWritten;  ///< of a folder

        friend bool operator==(const Stamp&, const Stamp&) = default;
    };
    struct Seen {
        Stamp stamp;
        std::optional<Error> refused;
        VideoInfo info;
        std::optional<ShownFrames> shown;  ///< counted when it matters
    };
    using Place = std::pair<std::filesystem::path, InputKind>;

    static Stamp stampOf(const std::filesystem::path& file);
    Seen& look(const std::filesystem::path& file, InputKind kind);
    void inspectFrames(const InputKey& key, const std::filesystem::path& file, Seen& seen,
                       const Project& project, InputFindings& findings);

    std::mutex m_mutex;
    std::map<Place, Seen> m_seen;
};

/// InputInspector::inspect() for who asks once.
InputFindings inspectInputs(const Project& project);

/// The problem of a video that gives `found` frames, `sampled` at the project's rate or as they are, and
/// fewer than num_frames.
ProjectProblem tooFewFrames(std::string_view key, std::int64_t found, bool sampled, const Project& project);

}  // namespace meshreel
