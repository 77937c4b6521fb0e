// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"

namespace meshreel {

/// What is between two cuts of a film: a run of its own.
struct Shot {
    std::string name;  ///< letters, digits, '-', '_' and '.'; no two shots have the same
    int line = 0;      ///< of the storyboard
    Project project;   ///< paths absolute; continue_from is empty where `continues` names a shot
    std::optional<std::size_t> continues = {};  ///< the shot before this one's index that it goes on from
    std::optional<double> seconds =
        {};  ///< that it lasts in the film, where the storyboard says so; else num_frames
    std::optional<std::int64_t> blend = {};  ///< frames in which the film passes over from the shot before,
                                             ///< if this one goes on from its end; else usualBlend
};

/// A film as its file says it: a project's keys, which all shots share, and `shots`, a list of maps. A shot
/// has any key of a project in place of the shared one, and beside them:
///   name      what its run folder is called after; without it shot-1, shot-2, …, the next that is free
///   seconds   how long it lasts in the film, in place of num_frames
///   continue  true, or the name of an earlier shot: it goes on from that one's last frame, or from
///   continue_at.
///   blend     frames of that end in which the film passes over into this shot; 0 cuts.
/// A shot that continues another and names no seed has the seed after that one's. It begins with that one in
/// place of the `image` that all shots share, unless that shows something else: keepsImage().
struct Storyboard {
    std::filesystem::path file;
    std::vector<Shot> shots;  ///< at least one
    std::vector<Problem> warnings = {};
};

/// Reads a storyboard; `overrides` are "key=value" texts that win over what all shots share. Throws
/// ProjectError with every problem, each at its line.
Storyboard readStoryboard(const std::filesystem::path& file, std::span<const std::string> overrides = {});

/// readStoryboard() of a text, whose paths start at the folder of `file`.
Storyboard parseStoryboard(const std::string& text, const std::filesystem::path& file,
                           std::span<const std::string> overrides = {});

}  // namespace meshreel
