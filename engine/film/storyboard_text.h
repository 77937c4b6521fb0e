// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/project/project.h"

namespace meshreel {

// The file of a storyboard as it is edited: each function returns the text with one change. What does not
// change stays byte for byte, comments and unknown keys too; a comment right above a shot, not further in
// than it, goes with it. Only shots that are written in brackets are written anew, a key a line. All throw
// ProjectError where the text is no YAML or lists no shots. Indices count the shots from 0.

/// Gives a shot its own text for a key: one of a project's, or of storyboard_key. Nothing: what all shots
/// share counts for it. The text is spelled as for setting a project's key; one that is not legal is written
/// as it is, but for a name that another shot has: that throws ProjectError. Shots that continue another one
/// by its name go on from the same one when the names change.
std::string withShotValue(const std::string& text, std::size_t shot, std::string_view key,
                          const std::optional<std::string>& value);

/// Inserts a shot so that it is number `at`; at most the number of shots.
std::string withNewShot(const std::string& text, std::size_t at, const std::string& prompt);

/// Inserts a copy behind the shot; a name gets a number that is free.
std::string withCopiedShot(const std::string& text, std::size_t shot);

/// Throws ProjectError for the only shot: a film has at least one.
std::string withoutShot(const std::string& text, std::size_t shot);

/// Moves a shot to where it is number `to` afterwards.
std::string withMovedShot(const std::string& text, std::size_t shot, std::size_t to);

/// Makes the project's values those that all shots share, but for what is one clip's own, as prompt and
/// pictures: nothing of that is shared then.
std::string withSharedKeys(const std::string& text, const Project& project);

/// Returns the text of a storyboard with one shot: what makes this project's clip its own, as prompt and
/// pictures, is the shot's, everything else is for all shots.
std::string newStoryboardText(const Project& project);

}  // namespace meshreel
