// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/clip_folder.h"

#include <string>
#include <system_error>

#include "engine/base/error.h"
#include "engine/media/video_writer.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// Its name in the folder; empty where there is none.
fs::path videoNameIn(const fs::path& folder) {
    std::error_code ignored;
    for (const VideoFormatInfo& info : videoFormats())
        if (const fs::path name = withVideoExtension(clip_file::videoStem, info.format);
            fs::exists(fs::symlink_status(folder / name, ignored)))
            return name;
    return {};
}

fs::path requiredVideo(const fs::path& folder, const fs::path& named) {
    fs::path name = videoNameIn(folder);
    if (name.empty())
        throw Error(ErrorKind::Input,
                    Problem{.id = "clip-has-no-video",
                            .place = {.file = named.string()},
                            .message = sentence("this run has no video yet"),
                            .fixes = byHand(sentence("Finish it first, or name a run that is done"))});
    return name;
}

}  // namespace

bool isClipFolder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored) &&
           (fs::is_regular_file(path / clip_file::status, ignored) || !videoNameIn(path).empty());
}

fs::path videoOfClip(const fs::path& clip) {
    return isClipFolder(clip) ? clip / requiredVideo(clip, clip) : clip;
}

HeldFile holdVideo(const HeldFile& clipFolder) {
    const fs::path name = requiredVideo(clipFolder.path(), clipFolder.name());
    std::error_code ignored;
    if (!fs::is_directory(fs::symlink_status(clipFolder.path() / name, ignored)))
        return {clipFolder, name.string()};
    HeldFile frames(clipFolder.name() / name, Links::Refuse);
    if (frames.realPath().parent_path() != clipFolder.realPath())
        throw Error(ErrorKind::Input, sentence("this folder was replaced while it was read"),
                    clipFolder.name().string(), sentence("Try again"));
    return frames;
}

std::optional<HeldFile> holdLatents(const HeldFile& clipFolder) {
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(clipFolder.path() / clip_file::latents, ignored)))
        return std::nullopt;
    return std::optional<HeldFile>(std::in_place, clipFolder, std::string(clip_file::latents));
}

}  // namespace meshreel
