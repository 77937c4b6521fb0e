// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {

// Cases of models that hear. All throw as verifyCase().

/// The sound encoder wav2vec 2.0, with norms by layer and by group: of X.in.waveform [samples] every hidden
/// state, and what is before them.
void verifyWav2Vec2(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);

// The parts of Wan 2.2's S2V transformer.

/// Tokens of sound for each latent frame, of hidden states X.in.audio [states, width, columns].
void verifySoundTokens(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
/// Tokens and places of X.in.motion_latents [channels, frames, rows, columns].
void verifyMotionPacking(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
/// The places of all tokens: of the video, its reference and motion.
void verifySoundPlaces(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
/// Hidden states X.in.features [layers, states, width] by the frames of clips.
void verifySoundFrames(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
/// What is added to tokens behind a block.
void verifyAudioInjector(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
/// The whole transformer.
void verifySoundTransformer(const Execution& execution, const GoldenFiles& files,
                            GoldenComparison& comparison);

}  // namespace meshreel
