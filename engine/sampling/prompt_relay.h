// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace meshreel {

/// When a part of a prompt holds, as a part of the video's time: 0 is the first latent frame, 1 the last.
struct RelaySpan {
    double begin = 0;
    double end = 1;
};

/// A place among a video's latent frames, counted from 0, which may lie between two; nothing for a reference,
/// which has no time.
using LatentTime = std::optional<double>;

/// What the scores of a part's keys get in attention to the text, for the queries of each of `frames`: 0 in
/// the part's time but for its outermost two frames, and −d²/2σ² at a distance of d latent frames beyond,
/// with σ = 1/ln(1/epsilon). It is raised so that the part is free in one of the video's `latentFrames` at
/// least. 0 for references. Prompt Relay (gordonchen19.github.io/Prompt-Relay) as in Wan2GP 8681e9f
/// (shared/prompt_relay.py, PromptRelayMaskBuilder). `epsilon` in (0, 1).
std::vector<float> relayBias(const RelaySpan& span, std::int64_t latentFrames, double epsilon,
                             std::span<const LatentTime> frames);

}  // namespace meshreel
