// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/film/film.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/write_failure.h"
#include "engine/media/sound.h"
#include "engine/media/video_joining.h"
#include "engine/media/video_writer.h"
#include "engine/project/project_settings.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "engine/weights/cache/fingerprint.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::string_view filmStem = "film";
constexpr std::string_view recordName = "film.json";
constexpr const char* storyboardOfRecord = "storyboard";

fs::path videoOfShot(const PlannedShot& shot) {
    const std::optional<fs::path> video = RunFolder::open(shot.folder).video();
    if (!video)
        throw Error(ErrorKind::Input, sentence("the shot {} has no video", shot.name), shot.folder.string(),
                    sentence("Remove its folder, and make the film again"));
    return *video;
}

/// How a shot goes on from the one before, as its run measured it; null where it begins anew.
nlohmann::ordered_json seamOf(const PlannedShot& shot) {
    const RunFolder run = RunFolder::open(shot.folder);
    if (shot.sharedFrames == 0 || !run.has(run_file::timings))
        return nullptr;
    const nlohmann::json timings = run.object(run_file::timings);
    return timings.contains("continued") ? nlohmann::ordered_json(timings.at("continued")) : nullptr;
}

fs::path absoluteFile(const fs::path& file) {
    return fs::absolute(file).lexically_normal();
}

void writeRecordText(const fs::path& folder, const nlohmann::ordered_json& record) {
    writeFileAtomically(folder / recordName,
                        record.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void writeRecord(const FilmPlan& plan, const JoinedVideo& joined) {
    nlohmann::ordered_json shots = nlohmann::ordered_json::array();
    for (const PlannedShot& shot : plan.shots)
        shots.push_back({{"name", shot.name},
                         {"folder", shot.folder.filename().string()},
                         {"identity", shot.identity},
                         {"frames", shot.project.numFrames},
                         {"shared_frames", shot.sharedFrames},
                         {"blended_frames", shot.blendedFrames},
                         {"continued", seamOf(shot)}});
    const nlohmann::ordered_json record{{storyboardOfRecord, absoluteFile(plan.storyboard).string()},
                                        {"video", joined.video.file.filename().string()},
                                        {"frames", joined.frames},
                                        {"encoded_again", !joined.whyEncoded.empty()},
                                        {"why_encoded", joined.whyEncoded.text()},
                                        {"shots", std::move(shots)}};
    writeRecordText(plan.folder, record);
}

/// Whose film it will be, before there is one.
void claimFolder(const FilmPlan& plan) {
    std::error_code ignored;
    if (fs::exists(plan.folder / recordName, ignored))
        return;
    nlohmann::ordered_json record;
    record[storyboardOfRecord] = absoluteFile(plan.storyboard).string();
    writeRecordText(plan.folder, record);
}

/// Whether a folder has the film of a storyboard other than this file, and that one still exists. A record
/// with a path of which nobody knows where it begins is of any file of that name.
bool isOfAnother(const fs::path& folder, const fs::path& file) {
    try {
        const nlohmann::json record = nlohmann::json::parse(readFile(folder / recordName));
        const fs::path owner = record.at(storyboardOfRecord).get<std::string>();
        std::error_code ignored;
        return owner.is_absolute() ? owner != file && fs::exists(owner, ignored)
                                   : owner.filename() != file.filename();
    } catch (const Error&) {  // nobody's
    } catch (const nlohmann::json::exception&) {
        // not the record of a film
    }
    return false;
}

bool hasSoundIn(const fs::path& video) {
    try {
        return SoundTrack::open(video).has_value();
    } catch (const Error&) {
        return false;  // a folder of frames has none
    }
}

JoinedVideo assemble(const FilmPlan& plan) {
    std::vector<VideoPart> parts;
    for (const PlannedShot& shot : plan.shots)
        parts.push_back(
            {.video = videoOfShot(shot), .dropped = shot.sharedFrames, .blended = shot.blendedFrames});
    VideoOptions options = videoOptions(plan.shots.front().project);
    options.metadata = {{"title", plan.storyboard.stem().string()}};
    return joinVideos(parts, plan.folder / filmStem, options);
}

RunLock lockFilm(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure)
        throw writeFailure(sentence("the folder of the film cannot be made ({})", failure.message()),
                           folder.string(), failure.value());
    std::optional<RunLock> lock = RunLock::tryTake(folder);
    if (!lock)
        throw Error(ErrorKind::Input, sentence("another program makes a film in this folder"),
                    folder.string(), sentence("Wait until it is done, or choose another folder for it"));
    return std::move(*lock);
}

}  // namespace

FilmResult makeFilm(const FilmPlan& plan, const ShotMaker& maker, const EventSink& sink) {
    const RunLock lock = lockFilm(plan.folder);
    claimFolder(plan);
    std::size_t number = 0;
    for (const PlannedShot& shot : plan.shots) {
        ++number;
        // A shot may be the same as an earlier one, which was made meanwhile.
        if (shot.state == ShotState::Made || isMade(shot.folder)) {
            sink(RunMessage{MessageLevel::Info,
                            sentence("Shot {} of {}, {}: is there", number, plan.shots.size(), shot.name)});
            continue;
        }
        sink(RunMessage{MessageLevel::Info,
                        sentence("Shot {} of {}, {}", number, plan.shots.size(), shot.name)});
        const RunOutcome outcome = shot.state == ShotState::Begun ? maker.resume(shot) : maker.make(shot);
        if (!outcome.note.empty())
            sink(RunMessage{MessageLevel::Info, outcome.note});
    }
    const JoinedVideo joined = assemble(plan);
    writeRecord(plan, joined);
    FilmResult result{.video = joined.video.file, .frames = joined.frames, .note = joined.video.note};
    if (!joined.whyEncoded.empty())
        sink(RunMessage{MessageLevel::Info,
                        sentence("The pictures were encoded once more: {}", joined.whyEncoded)});
    if (hasSoundIn(videoOfShot(plan.shots.front())))
        sink(RunMessage{MessageLevel::Warning,
                        sentence("The film has no sound: that of the shots is left out")});
    return result;
}

fs::path filmFolder(const Storyboard& storyboard) {
    constexpr std::size_t hashDigits = 8;
    const fs::path file = absoluteFile(storyboard.file);
    const std::string name = "film-" + file.stem().string();
    const fs::path own = runsFolder() / (name + "-" + nameHash(file.string()).substr(0, hashDigits));
    const fs::path usual = runsFolder() / name;
    std::error_code ignored;
    return fs::is_directory(own, ignored) || isOfAnother(usual, file) ? own : usual;
}

std::optional<fs::path> joinedFilm(const FilmPlan& plan) {
    try {
        const nlohmann::json record = nlohmann::json::parse(readFile(plan.folder / recordName));
        const nlohmann::json& shots = record.at("shots");
        const bool areTheSame =
            std::ranges::equal(shots, plan.shots, [](const nlohmann::json& joined, const PlannedShot& shot) {
                return !shot.identity.empty() && joined.at("identity") == shot.identity &&
                       joined.at("shared_frames") == shot.sharedFrames &&
                       joined.at("blended_frames") == shot.blendedFrames;
            });
        const fs::path video = plan.folder / fs::path(record.at("video").get<std::string>()).filename();
        std::error_code missing;
        if (areTheSame && plan.left() == 0 && fs::is_regular_file(fs::symlink_status(video, missing)))
            return video;
    } catch (const Error&) {  // no film was joined yet
    } catch (const nlohmann::json::exception&) {
        // not the record of a film: it is joined anew
    }
    return std::nullopt;
}

}  // namespace meshreel
