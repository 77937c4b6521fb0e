// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

#include "engine/models/families/model_family.h"
#include "engine/project/project.h"
#include "engine/sampling/guidance.h"

namespace meshreel {

/// Token groups that a project's files make, in the order of their tokens: of a video, then of pictures.
/// Phantom's pictures are one group, Bernini-R's one each.
struct TokenGroupCounts {
    std::size_t videos = 0;
    std::size_t pictures = 0;
    std::size_t shown = 0;  ///< that every pass sees, at most: Fun Control's reference, or what S2V sees
                            ///< beside a clip (the picture and the motion before it)

    [[nodiscard]] std::size_t all() const { return videos + pictures + shown; }
};
TokenGroupCounts countGroups(const Project& project, WanTask task);

/// Returns how strongly an expert, 1 or 2, of so many follows the prompt.
double guidanceOf(const Project& project, int experts, int expert);

/// Returns the passes that a step of this expert makes of a video. Of Bernini-R (Wan2GP's any2video.py, with
/// V for its video, I for its pictures):
///   P(∅) + video · (P(V) − P(∅)) + image · (P(V, I) − P(V)) + prompt · (P(V, I, prompt) − P(V, I)),
/// and with a video alone, P(V) + prompt · (P(V, prompt) − P(V)). Passes whose weight in that is 0 are left
/// out. Where the second of two experts follows the prompt less or more than the first, it follows the others
/// less or more by the same factor, as omega_scale of Bernini's program does; but a scale above 1 stays 1 at
/// least, and one of 1 (which turns its part off) or less stays as it is.
GuidedPasses chooseGuidance(const Project& project, WanTask task, int experts, int expert);

/// Returns whether the first two passes differ by their text alone. Not of passes without guidance.
bool sharePass(const GuidedPasses& passes, WanTask task);

}  // namespace meshreel
