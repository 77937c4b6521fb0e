// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/base/held_file.h"

namespace meshreel {

/// Names in a folder that holds a clip, as a run's does.
namespace clip_file {
/// The video is this with the extension of its format (video.mp4); numbered PNG frames are a folder of this
/// name.
inline constexpr std::string_view videoStem = "video";
inline constexpr std::string_view latents = "latents.safetensors";
inline constexpr std::string_view status = "status.json";
}  // namespace clip_file

/// Returns whether a path is a folder that holds a clip: a video under its name, or a run that has none yet.
/// Other folders, such as one of numbered pictures, are none.
bool isClipFolder(const std::filesystem::path& path);

/// Returns where the frames of a clip are: the video in a clip folder, any other path as it is. Throws
/// Error{Input} for a run that has no video yet.
std::filesystem::path videoOfClip(const std::filesystem::path& clip);

/// Holds the video in a clip folder; it is a file or a folder of frames, and no link out of the folder.
/// Throws Error{Input} as videoOfClip() does.
HeldFile holdVideo(const HeldFile& clipFolder);

/// Holds the latents in a clip folder; nothing where there are none.
std::optional<HeldFile> holdLatents(const HeldFile& clipFolder);

}  // namespace meshreel
