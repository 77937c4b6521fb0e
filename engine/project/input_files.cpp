// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/input_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/limits.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/written_text.h"
#include "engine/media/alpha.h"
#include "engine/media/clip_folder.h"
#include "engine/media/drawing.h"
#include "engine/media/drawing_file.h"
#include "engine/media/frame_folder.h"
#include "engine/media/frame_source.h"
#include "engine/media/image.h"
#include "engine/media/sound.h"
#include "engine/media/sound_samples.h"
#include "engine/media/track_drawing.h"
#include "engine/media/video_writer.h"
#include "engine/models/finish/finish_names.h"
#include "engine/project/keyframes.h"
#include "engine/project/numbers.h"
#include "engine/project/project_settings.h"
#include "engine/project/speech_length.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr char listSeparator = ',';
constexpr std::string_view inputBlanks = " \t";

constexpr std::array<InputKey, 14> keys{{
    {"image", &Project::image, InputKind::Image},
    {"last_image", &Project::lastImage, InputKind::Image},
    {"keyframes", nullptr, InputKind::Keyframes},
    {"video", &Project::video, InputKind::Video},
    {"mask", &Project::mask, InputKind::Video},
    {"pose_video", &Project::poseVideo, InputKind::Video},
    {"face_video", &Project::faceVideo, InputKind::Video},
    {"background_video", &Project::backgroundVideo, InputKind::Video},
    {"continue_from", &Project::continueFrom, InputKind::Clip},
    {"reference_images", &Project::referenceImages, InputKind::Images},
    {"tracks", &Project::tracks, InputKind::Tracks},
    {"track_visibility", &Project::trackVisibility, InputKind::Tracks},
    {"speech", &Project::speech, InputKind::Speech},
    {"audio", &Project::audio, InputKind::Sound},
}};

constexpr std::string_view maskKey = "mask";
constexpr std::string_view poseKey = "pose_video";
constexpr std::string_view tracksKey = "tracks";
constexpr std::string_view visibilityKey = "track_visibility";
constexpr std::string_view clipKey = "continue_from";
constexpr std::string_view clipFrameKey = "continue_at";
constexpr std::string_view clipCountKey = "continue_frames";
constexpr std::string_view lastFrame = "last";

/// Values of audio that name no file.
constexpr std::string_view keptSound = "keep";
constexpr std::string_view noSound = "none";

/// Videos whose sound is kept, in this order.
constexpr std::array soundingInputs{&Project::video, &Project::faceVideo, &Project::poseVideo};

/// Keys of other files that are found beside the project.
constexpr std::array besideProject{
    std::pair<std::string_view, std::string Project::*>{"mag_ratios_file", &Project::magRatiosFile},
    std::pair<std::string_view, std::string Project::*>{"compare_with", &Project::compareWith},
    std::pair<std::string_view, std::string Project::*>{"wildcards", &Project::wildcards},
    std::pair<std::string_view, std::string Project::*>{"interpolator", &Project::interpolator},
    std::pair<std::string_view, std::string Project::*>{"upscaler", &Project::upscaler},
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
        file = twinOf((folder / expandTilde(file)).lexically_normal()).string();
    setInputFiles(project, key, files);
}

void makeAbsolute(std::string_view key, std::string& file, const fs::path& folder) {
    if (namesFinishWeights(file, finishWord(key)))
        file = twinOf((folder / expandTilde(file)).lexically_normal()).string();
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
    if (key.kind == InputKind::Keyframes) {
        std::vector<std::string> pictures;
        for (const Keyframe& keyframe : project.keyframes)
            pictures.push_back(keyframe.image);
        return pictures;
    }
    const std::string& value = project.*key.member;
    if (key.kind == InputKind::Sound && (value == keptSound || value == noSound))
        return {};
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
    if (key.kind == InputKind::Keyframes) {
        if (files.size() != project.keyframes.size())
            throw Error(ErrorKind::Internal, "keyframes have one picture each", std::string(key.name));
        for (std::size_t index = 0; index < files.size(); ++index)
            project.keyframes[index].image = files[index];
        return;
    }
    if (key.kind != InputKind::Sound || !files.empty())
        project.*key.member = fmt::to_string(fmt::join(files, ", "));
}

std::string textBesideFiles(Project project, const InputKey& key) {
    if (key.kind != InputKind::Keyframes)
        return {};
    for (Keyframe& keyframe : project.keyframes)
        keyframe.image.clear();
    return keyframesText(project.keyframes);
}

void resolveInputs(LoadedProject& loaded, const fs::path& folder) {
    const auto startTime = [&](std::string_view key) {
        const auto place = loaded.places.find(key);
        const bool inFile = place != loaded.places.end() && place->second.line > 0;
        return inFile ? folder : fs::current_path();
    };
    for (const InputKey& key : keys)
        makeAbsolute(loaded.project, key, startTime(key.name));
    for (const auto& [key, member] : besideProject)
        makeAbsolute(key, loaded.project.*member, startTime(key));
}

Project withInputsIn(Project project, const fs::path& folder) {
    for (const InputKey& key : keys)
        makeAbsolute(project, key, folder);
    for (const auto& [key, member] : besideProject)
        makeAbsolute(key, project.*member, folder);
    return project;
}

std::vector<Problem> pathProblems(const Project& project) {
    std::vector<Problem> problems;
    const auto refuseUnlessUtf8 = [&](std::string_view key, const std::string& file) {
        if (firstInvalidUtf8(withTilde(file)))
            problems.push_back(
                {.id = "input-path-not-utf8",
                 .key = std::string(key),
                 .message = sentence("{}: the path {} is not UTF-8", key, wellFormedUtf8(withTilde(file))),
                 .fixes = byHand(sentence("Rename the folder or the file"))});
    };
    for (const auto& [key, member] : besideProject)
        refuseUnlessUtf8(key, project.*member);
    for (const InputKey& key : keys)
        for (const std::string& file : inputFiles(project, key))
            refuseUnlessUtf8(key.name, file);
    return problems;
}

namespace {

/// Frames of a cut stream that may not be shown, at most: a group of pictures that lost its references.
constexpr std::int64_t doubtfulFrames = 64;

std::string rateText(double fps) {
    return fmt::format("{:.5g}", fps);
}

Problem missingInput(const InputKey& key, const fs::path& file) {
    return {.id = "input-missing",
            .key = std::string(key.name),
            .message = sentence("{}: there is no file {}", key.name, withTilde(file)),
            .fixes = byHand(
                sentence("Check the path; one that does not begin with / starts at the project's folder"))};
}

/// The size of a file, or of all frames of a folder together.
std::uint64_t bytesOf(const fs::path& file) {
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored))
        return fs::file_size(file, ignored);
    std::uint64_t bytes = 0;
    for (const fs::path& frame : FrameFolder::read(file).files)
        bytes += fs::file_size(frame, ignored);
    return bytes;
}

Problem tooLarge(const InputKey& key, std::uint64_t bytes) {
    return {.id = "inputs-too-large",
            .key = std::string(key.name),
            .message = sentence("the inputs up to {} are {}, and a run copies at most {} into its folder",
                                key.name, formatBytes(bytes), formatBytes(maxInputBytes)),
            .fixes = byHand(sentence("Cut the video to the part that is used, or make it smaller"))};
}

Problem unusableInput(const InputKey& key, const fs::path& file, const Error& refused) {
    return {
        .id = "input-unusable",
        .key = std::string(key.name),
        .message = sentence("{}: {}: {}", key.name,
                            refused.where().empty() ? withTilde(file) : withTilde(fs::path(refused.where())),
                            refused.message()),
        .fixes = refused.problem().fixes};
}

std::int64_t framesFor(const VideoInfo& info, const ShownFrames& shown, double fps) {
    return isSampled(info, fps) ? sampledFrames(shown.seconds, fps) : shown.count;
}

ShownFrames asStored(const VideoInfo& info, std::int64_t frames) {
    return {.count = frames,
            .seconds = info.fps > 0 ? static_cast<double>(frames) / info.fps : 0.0,
            .damage = {}};
}

InputNote sampledInput(const InputKey& key, const fs::path& file, const VideoInfo& info, double fps) {
    const std::string name = file.filename().string();
    const std::string rate = rateText(info.fps);
    if (info.variableRate)
        return {.key = std::string(key.name),
                .message = sentence("{}: {}: a variable rate, {} frames a second on average, sampled at {}",
                                    key.name, name, rate, rateText(fps)),
                .detail = sentence("To take every frame, set input_fps: keep")};
    return {
        .key = std::string(key.name),
        .message = sentence("{}: {}: {} frames a second, sampled at {}", key.name, name, rate, rateText(fps)),
        .detail = sentence("To take every frame, set fps: {}, or input_fps: keep", rate)};
}

InputNote keptRate(const InputKey& key, const fs::path& file, const VideoInfo& info, double fps) {
    return {.key = std::string(key.name),
            .message = sentence("{}: {}: {} frames a second, each of which is taken and shown at {} a second",
                                key.name, file.filename().string(), rateText(info.fps), rateText(fps)),
            .detail = sentence("To keep the speed of the motion, set input_fps: project")};
}

/// What reading does with colours that the file does not say, or that a screen of BT.709 does not show.
void addColourNotes(const InputKey& key, const fs::path& file, const VideoInfo& info,
                    InputFindings& findings) {
    const std::string name = file.filename().string();
    if (const std::string_view range = highDynamicRange(info); !range.empty())
        findings.notes.push_back(
            {.key = std::string(key.name),
             .message =
                 sentence("{}: {}: high dynamic range ({}), tone-mapped to BT.709", key.name, name, range),
             .detail = {}});
    if (const std::string_view matrix = assumedMatrix(info); !matrix.empty())
        findings.notes.push_back(
            {.key = std::string(key.name),
             .message = sentence("{}: {}: the file does not say its colour matrix, {} is taken", key.name,
                                 name, matrix),
             .detail = sentence("If its colours look wrong, tag the file with the matrix that it has")});
}

/// What reading does with pixels that are not opaque.
void addAlphaNote(const InputKey& key, const fs::path& file, const VideoInfo& info, bool shapeInAlpha,
                  InputFindings& findings) {
    const std::string name = file.filename().string();
    if (shapeInAlpha)
        findings.notes.push_back(
            {.key = std::string(key.name),
             .message =
                 sentence("{}: {}: its shape is in its alpha, which is read as the mask: opaque is white, "
                          "transparent is black",
                          key.name, name),
             .detail = sentence("If it is meant the other way round, give a black and white mask without "
                                "transparency")});
    else if (info.transparent)
        findings.notes.push_back(
            {.key = std::string(key.name),
             .message =
                 sentence("{}: {}: it has transparent pixels, which are laid on white", key.name, name),
             .detail = sentence("To have another background, give a picture without transparency")});
}

/// Frames of a folder that may be lost, and what lies among them.
void addFolderWarnings(const InputKey& key, const fs::path& folder, InputFindings& findings) {
    for (const Sentence& remark : FrameFolder::read(folder).remarks)
        findings.warnings.push_back(
            {.id = "input-frames-remark",
             .severity = Severity::Warning,
             .key = std::string(key.name),
             .message = sentence("{}: {}: {}", key.name, withTilde(folder), remark),
             .fixes = byHand(sentence("Check that these are all frames, and only they"))});
}

/// What a clip is taken as that differs from the one that continues it.
void addClipNotes(const InputKey& key, const fs::path& file, const VideoInfo& info, const Project& project,
                  InputFindings& findings) {
    addColourNotes(key, file, info, findings);
    if (isSampled(info, project.fps))
        findings.notes.push_back(
            {.key = std::string(key.name),
             .message =
                 sentence("{}: {}: {} frames a second, each of which is taken and shown at {} a second",
                          key.name, file.filename().string(), rateText(info.fps), rateText(project.fps)),
             .detail = sentence("To keep the speed of the motion, set fps: {}", rateText(info.fps))});
    if (info.width != project.width || info.height != project.height)
        findings.notes.push_back(
            {.key = std::string(key.name),
             .message =
                 sentence("{}: {}: its frames of {} x {} are resized to {} x {}", key.name,
                          file.filename().string(), info.width, info.height, project.width, project.height),
             .detail = sentence("To take them as they are, set width and height to those of the clip")});
}

/// A drawing of tracks that was made on a video of another size, rate or length.
void addDrawingNotes(const InputKey& key, const fs::path& file, const DrawingCanvas& canvas,
                     const Project& project, InputFindings& findings) {
    if (canvas.frames != project.numFrames || canvas.fps != project.fps)
        findings.notes.push_back(
            {.key = std::string(key.name),
             .message = sentence("{}: {}: drawn for {} frames at {} a second, and taken by time for {} at {}",
                                 key.name, file.filename().string(), canvas.frames, rateText(canvas.fps),
                                 project.numFrames, rateText(project.fps)),
             .detail =
                 sentence("Keyframes keep their seconds. Open the drawing to move them, and save it for "
                          "the new length")});
    if (canvas.width != project.width || canvas.height != project.height)
        findings.notes.push_back({.key = std::string(key.name),
                                  .message = sentence("{}: {}: drawn on {} x {}, and scaled to {} x {}",
                                                      key.name, file.filename().string(), canvas.width,
                                                      canvas.height, project.width, project.height),
                                  .detail = sentence("Open the drawing and save it to keep it in the new "
                                                     "size")});
}

/// Points of a drawing are no file's points: what is in sight of them cannot be said by number.
Problem sightOfDrawing() {
    return {
        .id = "input-unusable",
        .key = std::string(visibilityKey),
        .involved = {std::string(tracksKey)},
        .message = sentence("{} is set, and {} is a drawing, whose tracks say themselves where they end",
                            visibilityKey, tracksKey),
        .fixes = setKey(sentence("Leave {} empty; in a drawing, \"leaves\" puts a point out of sight behind "
                                 "its last keyframe",
                                 visibilityKey),
                        visibilityKey, {""})};
}

TrackExtent extentOfPoints(const std::vector<std::size_t>& trackPoints) {
    return {.points = trackPoints.empty() ? 0 : std::ranges::max(trackPoints), .tracks = trackPoints.size()};
}

/// Refuses a named sound that cannot accompany the video.
void requireSound(const fs::path& file, const Project& project) {
    const VideoFormatInfo* format = findVideoFormat(project.videoFormat);
    if (format == nullptr)
        return;  // reported at its own key
    if (const Sentence reason = soundRefusal(file, format->format); !reason.empty())
        throw Error(
            ErrorKind::Input, reason, file.string(),
            holdsSound(format->format)
                ? sentence("Convert the sound, as with ffmpeg -i IN OUT.m4a for MP4 or OUT.webm for WebM, or "
                           "write audio: none")
                : sentence("Write video_format: mp4 or webm, or audio: none"));
}

/// Refuses a file without a sound that a video can be made after.
void requireSpeech(const fs::path& file) {
    if (soundSeconds(file) <= 0)
        throw Error(ErrorKind::Input, sentence("the file has no sound"), file.string(),
                    sentence("Name a sound file, such as WAV, MP3 or M4A, or a video with sound"));
}

}  // namespace

std::optional<std::int64_t> framesOfSpeech(const Project& project) {
    constexpr std::int64_t step = 4;  // num_frames are a multiple of it, plus 1
    constexpr std::int64_t mostFrames = 4001;
    const std::optional<double> seconds =
        project.lengthBySpeech ? speechSeconds(project) : std::optional<double>();
    if (!seconds)
        return std::nullopt;
    constexpr double rounding = 0.01;  // of a frame, in times that containers round
    const double frames = std::ceil(*seconds * project.fps - rounding);
    if (frames < 1)
        return std::nullopt;
    const auto least = static_cast<std::int64_t>(std::min(frames, static_cast<double>(mostFrames)));
    return (least + step - 2) / step * step + 1;
}

std::optional<std::int64_t> clipFrame(const Project& project) {
    if (project.continueAt == lastFrame)
        return std::nullopt;
    const auto read = parseUnsigned(project.continueAt);
    return static_cast<std::int64_t>(std::get<std::uint64_t>(read));
}

std::optional<Problem> clipFrameProblem(const Project& project) {
    constexpr std::uint64_t most = 1'000'000'000;
    const auto read = parseUnsigned(project.continueAt);
    const auto* frame = std::get_if<std::uint64_t>(&read);
    if (project.continueAt == lastFrame || (frame != nullptr && *frame <= most))
        return std::nullopt;
    return Problem{
        .id = "clip-frame-malformed",
        .key = std::string(clipFrameKey),
        .message = sentence("{} is \"{}\", which is no frame of a clip", clipFrameKey, project.continueAt),
        .fixes = setKey(sentence("Write the number of a frame, counted from 0, or {}", lastFrame),
                        clipFrameKey, {std::string(lastFrame)})};
}

std::variant<ClipFrames, Problem> takenOfClip(const Project& project, std::int64_t count, std::int64_t total,
                                              ClipCount saidBy) {
    constexpr std::int64_t step = 4;  // frames of a latent
    const std::int64_t last = clipFrame(project).value_or(total - 1);
    if (last >= total)
        return Problem{.id = "clip-frame-missing",
                       .key = std::string(clipFrameKey),
                       .involved = {std::string(clipKey)},
                       .message = sentence("{} is {}, and the clip has {} frames, 0 to {}", clipFrameKey,
                                           last, total, total - 1),
                       .fixes = setKey(sentence("Write the number of one of them, or {}", lastFrame),
                                       clipFrameKey, {std::string(lastFrame)})};
    if (last + 1 < count) {
        const bool isChosen = saidBy == ClipCount::Chosen;
        return Problem{
            .id = "clip-too-short",
            .key = std::string(isChosen ? clipCountKey : clipFrameKey),
            .involved = {std::string(clipKey), std::string(isChosen ? clipFrameKey : clipCountKey)},
            .message = sentence("the clip before gives {} frames up to frame {}, and {} are taken", last + 1,
                                last, count),
            .fixes = isChosen
                         ? setKey(sentence("Take fewer, go on from a later frame, or from a longer clip"),
                                  clipCountKey, {fmt::to_string(last / step * step + 1)})
                         : byHand(sentence("Go on from a later frame, or from a longer clip"))};
    }
    return ClipFrames{.first = last + 1 - count, .count = count};
}

Problem tooFewFrames(std::string_view key, std::int64_t found, bool sampled, const Project& project) {
    constexpr std::int64_t step = 4;  // num_frames are a multiple of it, plus 1
    const std::int64_t most = (std::max<std::int64_t>(found, 1) - 1) / step * step + 1;
    return {.id = "input-too-short",
            .key = std::string(key),
            .involved = {"num_frames"},
            .message =
                sampled ? sentence("{} gives {} frames at {} frames a second, and num_frames is {}", key,
                                   found, rateText(project.fps), project.numFrames)
                        : sentence("{} has {} frames, and num_frames is {}", key, found, project.numFrames),
            .fixes = setKey(sentence("Use a longer one, or num_frames of at most {}", most), "num_frames",
                            {fmt::to_string(most)})};
}

InputInspector::Stamp InputInspector::readStamp(const fs::path& file) {
    std::error_code ignored;
    Stamp stamp{
        .bytes = bytesOf(file), .written = fs::last_write_time(file, ignored), .firstFrameWritten = {}};
    if (fs::is_directory(file, ignored))
        stamp.firstFrameWritten = fs::last_write_time(FrameFolder::read(file).files.front(), ignored);
    return stamp;
}

InputInspector::Seen& InputInspector::look(const fs::path& file, const InputKey& key) {
    const Stamp stamp = readStamp(file);
    const auto [place, isNew] = m_seen.try_emplace({file, key.name});
    Seen& seen = place->second;
    if (!isNew && seen.stamp == stamp)
        return seen;
    seen = {.stamp = stamp, .refused = {}, .info = {}, .shown = {}};
    try {
        if (key.name == visibilityKey)
            seen.sight = readVisibilityExtent(file);
        else if (key.kind == InputKind::Speech)
            requireSpeech(file);
        else if (key.kind == InputKind::Tracks) {
            for (const PointTrack& track : readTracks(file))
                seen.trackPoints.push_back(track.size());
            if (drawingKind(file))
                seen.canvas = readTrackDrawing(file).canvas;
        } else
            seen.info = key.kind == InputKind::Video || key.kind == InputKind::Clip ? probeFirstFrame(file)
                                                                                    : probeImage(file);
        seen.shapeInAlpha = key.name == maskKey && hasShapeInAlpha(file);
    } catch (const Error& refused) {
        seen.refused = refused;
    }
    return seen;
}

const ShownFrames& InputInspector::countFrames(const fs::path& file, Seen& seen) {
    if (!seen.shown)
        seen.shown = countShownFrames(file);
    return *seen.shown;
}

void InputInspector::inspectFrames(const InputKey& key, const fs::path& file, Seen& seen,
                                   const Project& project, InputFindings& findings) {
    const VideoInfo& info = seen.info;
    const double fps = inputRate(project);
    addColourNotes(key, file, info, findings);
    if (std::error_code ignored; fs::is_directory(file, ignored))
        addFolderWarnings(key, file, findings);
    if (info.frames == 1)
        return;  // a picture stands for a video
    if (isSampled(info, fps))
        findings.notes.push_back(sampledInput(key, file, info, fps));
    else if (isSampled(info, project.fps))
        findings.notes.push_back(keptRate(key, file, info, project.fps));
    if (key.name == poseKey && !project.speech.empty())
        return;  // behind its end there is no pose
    const ShownFrames surely = asStored(info, info.framesExact ? info.frames : info.frames - doubtfulFrames);
    if (framesFor(info, surely, fps) >= project.numFrames)
        return;
    const std::int64_t found = framesFor(info, countFrames(file, seen), fps);
    if (found >= project.numFrames || (found == 1 && !isSampled(info, fps) && !seen.shown->damage))
        return;
    findings.problems.push_back(seen.shown->damage
                                    ? unusableInput(key, file, *seen.shown->damage)
                                    : tooFewFrames(key.name, found, isSampled(info, fps), project));
}

void InputInspector::inspectSight(const fs::path& file, const Seen& seen, const Project& project,
                                  InputFindings& findings) {
    std::error_code ignored;
    if (!fs::is_regular_file(project.tracks, ignored))
        return;  // told at tracks
    const Seen& tracks = look(project.tracks, *findInputKey(tracksKey));
    if (tracks.refused)
        return;
    if (tracks.canvas)
        findings.problems.push_back(sightOfDrawing());
    else
        requireSightOf(extentOfPoints(tracks.trackPoints), seen.sight, file);
}

std::vector<Problem> InputInspector::clipProblems(const Project& project, std::int64_t frames,
                                                  ClipCount count) {
    const std::scoped_lock lock(m_mutex);
    if (project.continueFrom.empty() || frames == 0 || clipFrameProblem(project))
        return {};
    const InputKey& key = *findInputKey(clipKey);
    try {
        const fs::path file = videoOfClip(project.continueFrom);
        requireMedium(file);
        Seen& seen = look(file, key);
        if (seen.refused)
            return {};
        const ShownFrames& shown = countFrames(file, seen);
        const auto taken = takenOfClip(project, frames, shown.count, count);
        if (const auto* problem = std::get_if<Problem>(&taken))
            return {shown.damage ? unusableInput(key, file, *shown.damage) : *problem};
    } catch (const Error&) {
        return {};  // inspect() tells it
    }
    return {};
}

InputFindings InputInspector::inspect(const Project& project) {
    const std::scoped_lock lock(m_mutex);
    InputFindings findings{.problems = pathProblems(project), .warnings = {}, .notes = {}};
    if (!findings.problems.empty())
        return findings;
    std::uint64_t bytes = 0;
    for (const InputKey& key : inputKeys())
        for (const fs::path named : inputFiles(project, key)) {
            std::error_code ignored;
            if (!fs::exists(named, ignored)) {
                findings.problems.push_back(missingInput(key, named));
                continue;
            }
            fs::path file = named;
            try {
                if (key.kind == InputKind::Clip)
                    file = videoOfClip(named);
                if (key.namesPictures())
                    requireImageFile(file);
                else
                    requireMedium(file);
                bytes += bytesOf(file);
                if (bytes > maxInputBytes) {
                    findings.problems.push_back(tooLarge(key, bytes));
                    return findings;
                }
                if (key.kind == InputKind::Sound) {
                    requireSound(file, project);
                    continue;
                }
                Seen& seen = look(file, key);
                if (seen.refused) {
                    findings.problems.push_back(unusableInput(key, file, *seen.refused));
                    continue;
                }
                addAlphaNote(key, file, seen.info, seen.shapeInAlpha, findings);
                if (key.name == visibilityKey)
                    inspectSight(file, seen, project, findings);
                else if (seen.canvas)
                    addDrawingNotes(key, file, *seen.canvas, project, findings);
                else if (key.kind == InputKind::Video)
                    inspectFrames(key, file, seen, project, findings);
                else if (key.kind == InputKind::Clip)
                    addClipNotes(key, file, seen.info, project, findings);
            } catch (const Error& refused) {
                findings.problems.push_back(unusableInput(key, file, refused));
            }
        }
    return findings;
}

namespace {

/// A picture that only shows may be of a format without any sound: that ends no run.
bool hasReadableSound(const fs::path& file) {
    try {
        return SoundTrack::open(file).has_value();
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

fs::path soundFile(const Project& project) {
    if (project.audio == noSound)
        return {};
    if (project.audio != keptSound)
        return project.audio;
    if (!project.speech.empty() && hasReadableSound(project.speech))
        return project.speech;
    for (const auto member : soundingInputs) {
        const fs::path file = project.*member;
        if (file.empty() || !hasReadableSound(file))
            continue;
        const bool otherSpeed = inputRate(project) == 0 && isSampled(probeVideo(file), project.fps);
        return otherSpeed ? fs::path() : file;
    }
    return {};
}

InputFindings inspectInputs(const Project& project) {
    return InputInspector().inspect(project);
}

std::vector<PointTrack> readProjectTracks(const fs::path& tracks, const fs::path& visibility) {
    std::vector<PointTrack> read = readTracks(tracks);
    if (!visibility.empty())
        hideUnseen(read, visibility);
    return read;
}

std::optional<InputNote> trackNote(const Project& project, std::size_t points) {
    return InputInspector().trackNote(project, points);
}

std::optional<InputNote> InputInspector::trackNote(const Project& project, std::size_t points) {
    if (project.tracks.empty() || points == 0)
        return std::nullopt;
    const std::scoped_lock lock(m_mutex);
    try {
        requireMedium(project.tracks);
        const Seen& seen = look(project.tracks, *findInputKey(tracksKey));
        if (seen.refused || seen.canvas)
            return std::nullopt;  // a drawing leaves the video where that is drawn
        const auto shorter =
            std::ranges::count_if(seen.trackPoints, [&](std::size_t own) { return own < points; });
        if (shorter == 0)
            return std::nullopt;
        return InputNote{
            .key = std::string(tracksKey),
            .message = sentence("{}: {}: {} of {} tracks have fewer than {} points and end before the video",
                                tracksKey, fs::path(project.tracks).filename().string(), shorter,
                                seen.trackPoints.size(), points),
            .detail = sentence("{} points span the video; write as many to move a point to its end", points)};
    } catch (const Error&) {
        return std::nullopt;  // inspect() tells it
    }
}

}  // namespace meshreel
