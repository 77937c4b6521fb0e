// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/media/frame_comparison.h"
#include "ui/player/clip.h"

namespace meshreel {

/// The videos of two runs, frame by frame beside each other.
struct ClipPair {
    Clip first;
    Clip second;
    Clip difference;                           ///< amplified; empty for videos of two sizes
    std::vector<FrameDistance> likeness = {};  ///< of every common frame; empty for videos of two sizes

    /// That both have.
    [[nodiscard]] int commonFrames() const {
        return static_cast<int>(std::min(first.frames.size(), second.frames.size()));
    }
    [[nodiscard]] bool isOneLength() const { return first.frames.size() == second.frames.size(); }
};

/// How much differences are amplified, to be seen.
inline constexpr int differenceGain = 8;

/// Reads and compares. Throws Error{Input} where a run has no video, or one that cannot be read,
/// Error{Cancelled}.
ClipPair readClipPair(const std::filesystem::path& firstRun, const std::filesystem::path& secondRun,
                      const StopToken& stop);

/// How frames are put beside each other where the videos differ in length or rate; empty where they do not.
QString pairingText(const ClipPair& pair);

/// "PSNR 31.2 dB, SSIM 0.962".
QString likenessText(const FrameDistance& likeness);

}  // namespace meshreel
