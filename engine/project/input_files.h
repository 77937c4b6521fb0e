// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/problem.h"
#include "engine/base/sentence.h"
#include "engine/media/drawing.h"
#include "engine/media/video_reader.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/track_file.h"

namespace meshreel {

enum class InputKind : std::uint8_t {
    Image,
    Images,     ///< several, separated by commas
    Keyframes,  ///< pictures at places, a list of maps
    Video,      ///< a video, an image, a drawing of a mask, or a folder of numbered pictures
    Sound,      ///< a file with sound; "keep" and "none" name none
    Speech,     ///< a sound file, or a video with sound, that the video is made after
    Tracks,     ///< a file of numbers or a drawing: as readTracks() reads it, or hideUnseen()
    Clip,       ///< as Video, or a run's folder (clip_folder.h)
};

/// A key of the project whose value names files that the video is made of.
struct InputKey {
    std::string_view name;
    std::string Project::*member;  ///< null for keyframes, which are no text
    InputKind kind;

    /// Returns whether it may name several files, which are then numbered.
    [[nodiscard]] bool namesSeveral() const {
        return kind == InputKind::Images || kind == InputKind::Keyframes;
    }
    /// Returns whether its files are pictures.
    [[nodiscard]] bool namesPictures() const { return kind == InputKind::Image || namesSeveral(); }
};

std::span<const InputKey> inputKeys();

/// Null for keys of other values.
const InputKey* findInputKey(std::string_view name);

/// Returns the files that a key names; none when it is empty.
std::vector<std::string> inputFiles(const Project& project, const InputKey& key);
/// Names other files; of keyframes as many as there are places.
void setInputFiles(Project& project, const InputKey& key, const std::vector<std::string>& files);
/// Returns what a key says beside the files that it names: the places of keyframes. Empty for other keys.
std::string textBesideFiles(Project project, const InputKey& key);

/// Relative paths made absolute: those of the file from its folder, those of the command line from the
/// working directory.
void resolveInputs(LoadedProject& loaded, const std::filesystem::path& folder);

/// Returns a project with all relative paths resolved against `folder`.
Project withInputsIn(Project project, const std::filesystem::path& folder);

/// Returns a problem, at its key, for every path that a project file could not hold because it is not UTF-8.
std::vector<Problem> pathProblems(const Project& project);

/// Who says how many frames a clip takes of the one before.
enum class ClipCount : std::uint8_t {
    Chosen,  ///< continue_frames, or the task where it is 0
    Fixed,   ///< the model alone: continue_frames has no effect (chains of Stable Video Infinity)
};

/// How a run treats an input in a way that its user may not expect, at its key.
struct InputNote {
    std::string key;
    Sentence message;
    Sentence detail;
};

struct InputFindings {
    std::vector<Problem> problems;    ///< errors: the run would end at these inputs
    std::vector<Problem> warnings{};  ///< inputs that may be others than were meant
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

    /// Returns why continue_from does not give `frames` frames; nothing where the project names no clip, or
    /// one with which something else is wrong (inspect()).
    [[nodiscard]] std::vector<Problem> clipProblems(const Project& project, std::int64_t frames,
                                                    ClipCount count = ClipCount::Chosen);

    /// Returns what to know of tracks that have fewer than the `points` that lead to the video's end. Nothing
    /// of files that cannot be read, of drawings, and where `points` is 0.
    [[nodiscard]] std::optional<InputNote> trackNote(const Project& project, std::size_t points);

  private:
    /// Differs when the file was written again.
    struct Stamp {
        std::uint64_t bytes = 0;
        std::filesystem::file_time_type written;
        std::filesystem::file_time_type firstFrameWritten;  ///< for a folder

        friend bool operator==(const Stamp&, const Stamp&) = default;
    };
    struct Seen {
        Stamp stamp;
        std::optional<Error> refused;
        VideoInfo info;
        std::optional<ShownFrames> shown;           ///< counted when it matters
        bool shapeInAlpha = false;                  ///< for a mask
        std::optional<DrawingCanvas> canvas = {};   ///< of a drawing of tracks
        std::vector<std::size_t> trackPoints = {};  ///< of each track of a file of points
        TrackExtent sight = {};                     ///< of track_visibility
    };
    using Place = std::pair<std::filesystem::path, std::string_view>;  ///< the file and the key

    static Stamp readStamp(const std::filesystem::path& file);
    Seen& look(const std::filesystem::path& file, const InputKey& key);
    /// Decodes what its header does not say, once.
    static const ShownFrames& countFrames(const std::filesystem::path& file, Seen& seen);
    void inspectFrames(const InputKey& key, const std::filesystem::path& file, Seen& seen,
                       const Project& project, InputFindings& findings);

    /// What track_visibility is to the tracks. Throws Error{Input} for one of other tracks.
    void inspectSight(const std::filesystem::path& file, const Seen& seen, const Project& project,
                      InputFindings& findings);

    std::mutex m_mutex;
    std::map<Place, Seen> m_seen;
};

/// Returns the file whose sound accompanies the project's videos; empty: none. It is that of speech, or the
/// first input with readable sound, as long as its frames are shown at their own speed.
std::filesystem::path soundFile(const Project& project);

/// InputInspector::inspect() for who asks once.
InputFindings inspectInputs(const Project& project);

/// Returns the frames of a video that lasts as long as the sound of the project's speech, rounded up to a
/// length that num_frames may have; nothing where the project says another length, or of a file that cannot
/// be read.
std::optional<std::int64_t> framesOfSpeech(const Project& project);

/// Returns the tracks of a project's files, the second of which may be empty. Throws as readTracks() and
/// hideUnseen().
std::vector<PointTrack> readProjectTracks(const std::filesystem::path& tracks,
                                          const std::filesystem::path& visibility);

/// InputInspector::trackNote() for who asks once.
std::optional<InputNote> trackNote(const Project& project, std::size_t points);

/// The frames that a clip takes of the one before, counted from 0.
struct ClipFrames {
    std::int64_t first = 0;
    std::int64_t count = 1;

    [[nodiscard]] std::int64_t last() const { return first + count - 1; }
};

/// Returns the number in continue_at, or nothing for the last frame. The value must be legal.
std::optional<std::int64_t> clipFrame(const Project& project);

/// Returns what is wrong with the text in continue_at.
std::optional<Problem> clipFrameProblem(const Project& project);

/// Returns which frames of a clip of `total` a project takes that is given `count`, or why it cannot. Its
/// continue_at must be legal.
std::variant<ClipFrames, Problem> takenOfClip(const Project& project, std::int64_t count, std::int64_t total,
                                              ClipCount saidBy = ClipCount::Chosen);

/// Returns the problem of a video that gives `found` frames, `sampled` at the project's rate or unchanged,
/// and fewer than num_frames.
Problem tooFewFrames(std::string_view key, std::int64_t found, bool sampled, const Project& project);

}  // namespace meshreel
