// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <filesystem>
#include <string>

namespace meshreel {

/// Keeps a frame of a clip as a PNG file among the user's data, so that projects can name it, and returns the
/// file: under the clip's name and the frame's number, counted from 0. One that is there and the same is used
/// again. Throws as writeFileAtomically() does. On any thread.
std::filesystem::path keepFrame(const QImage& frame, const std::string& clipName, int number);

}  // namespace meshreel
