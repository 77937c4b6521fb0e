// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"

namespace meshreel {

/// What a storyboard's file says beside the keys of projects.
namespace storyboard_key {
inline constexpr std::string_view shots = "shots";
inline constexpr std::string_view name = "name";
inline constexpr std::string_view seconds = "seconds";
inline constexpr std::string_view continues = "continue";
inline constexpr std::string_view blend = "blend";
}  // namespace storyboard_key

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
    int lastLine = 0;                        ///< of the storyboard
    /// What the storyboard gives to this shot alone, by key, as it is written, for setting it from a text:
    /// keys of projects and those of storyboard_key.
    std::map<std::string, std::string, std::less<>> written = {};
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
    std::vector<Shot> shots;             ///< at least one
    std::vector<Problem> problems = {};  ///< each at its line; only warnings after readStoryboard() and
                                         ///< parseStoryboard()

    /// Returns the index of the shot that says something in this line; nothing for what all shots share.
    [[nodiscard]] std::optional<std::size_t> shotAt(int line) const;
};

/// Reads a storyboard; `overrides` are "key=value" texts that win over what all shots share. Throws
/// ProjectError with every problem, each at its line.
Storyboard readStoryboard(const std::filesystem::path& file, std::span<const std::string> overrides = {});

/// readStoryboard() of a text, whose paths start at the folder of `file`.
Storyboard parseStoryboard(const std::string& text, const std::filesystem::path& file,
                           std::span<const std::string> overrides = {});

/// parseStoryboard() of a text that is being edited: throws for nothing wrong with it. Values that cannot be
/// used stay at their defaults, and `problems` has the errors, too. Has no shots where the text is no YAML or
/// lists none.
Storyboard examineStoryboard(const std::string& text, const std::filesystem::path& file,
                             std::span<const std::string> overrides = {});

/// Returns whether the text of a YAML file lists shots, whatever is wrong with them.
bool isStoryboard(const std::string& text);

}  // namespace meshreel
