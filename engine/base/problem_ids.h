// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace meshreel {

/// Every fault that is known by name, in the order of the alphabet after the first, which is that of problems
/// nobody asks for. A new fault is a new line here.
inline constexpr auto problemIds = std::to_array<std::string_view>({
    "unspecified",
    "adapter-list-malformed",
    "adapter-partly-fits",
    "adapter-remark",
    "adapter-unusable",
    "adapter-works",
    "adapters-not-named",
    "adapters-not-sent",
    "attention-guidance-unused",
    "attention-not-available",
    "attention-ring-of-one-device",
    "attention-unknown",
    "batch-too-large",
    "batch-with-first-block-cache",
    "block-impossible",
    "blocks-do-not-divide",
    "boundary-unknown",
    "case-impossible",
    "choice-unknown",
    "chunks-impossible",
    "clip-frame-malformed",
    "clip-frame-missing",
    "clip-frames-too-many",
    "clip-has-no-video",
    "clip-too-short",
    "comment-behind-text",
    "config-name-only",
    "config-unknown",
    "context-overlap-too-long",
    "context-windows-not-for-task",
    "control-scales-differ",
    "cpus-oversubscribed",
    "curve-flow-shift-differs",
    "curve-malformed",
    "curve-missing",
    "curve-of-other-model",
    "devices-idle",
    "devices-too-many",
    "disk-short",
    "expert-missing",
    "feed-forward-does-not-divide",
    "file-of-another-program",
    "file-unreadable",
    "frame-rate-differs",
    "gpu-cannot-compute",
    "gpu-not-here",
    "gpus-for-one-device",
    "gpus-malformed",
    "hardware-profile-malformed",
    "heads-do-not-divide-by-tensor",
    "heads-fewer-than-devices",
    "heads-not-for-program",
    "heads-per-tile-unsupported",
    "hosts-unreadable",
    "input-frames-remark",
    "input-missing",
    "input-path-not-utf8",
    "input-sampled",
    "input-too-short",
    "input-unusable",
    "inputs-too-large",
    "key-is-a-group",
    "key-is-unknown",
    "key-not-possible",
    "key-without-effect",
    "keyframe-moved",
    "keyframe-outside-clip",
    "keyframes-coincide",
    "keyframes-malformed",
    "keyframes-too-close",
    "keyframes-too-few",
    "keys-given-both",
    "keys-ignored",
    "levels-not-descending",
    "library-refused",
    "mask-without-video",
    "memory-short",
    "memory-tight",
    "mesh-axes-both-automatic",
    "mesh-does-not-divide",
    "mesh-product-differs",
    "mesh-slow",
    "mesh-too-large",
    "model-files-ambiguous",
    "model-files-remark",
    "model-not-named",
    "model-unusable",
    "negative-prompt-unused",
    "not-a-boolean",
    "not-a-map",
    "not-a-number",
    "number-has-separators",
    "number-has-too-many-digits",
    "number-in-another-base",
    "number-list-empty",
    "number-list-malformed",
    "number-list-out-of-range",
    "number-not-finite",
    "number-not-whole",
    "number-starts-with-zero",
    "override-malformed",
    "path-not-trusted",
    "precision-mixed",
    "preset-replaced",
    "prompt-cut",
    "prompt-empty",
    "prompt-has-variants",
    "prompt-is-a-style",
    "prompt-part-empty",
    "prompt-parts-and-times",
    "prompt-parts-unused",
    "ranks-do-not-divide",
    "ranks-too-many",
    "references-too-many",
    "scratch-limit-exceeded",
    "step-cache-needs-guidance",
    "step-cache-needs-two-experts",
    "step-cache-not-for-model",
    "step-cache-range-empty",
    "step-cache-with-windows",
    "step-caches-exclusive",
    "storyboard-malformed",
    "storyboard-shot-refused",
    "sweep-malformed",
    "task-input-missing",
    "task-input-unused",
    "task-not-offered",
    "task-setting-unused",
    "teacache-fit-missing",
    "text-has-control-character",
    "text-not-utf8",
    "timed-marker-malformed",
    "timed-part-beyond-end",
    "timed-part-never",
    "trained-input-missing",
    "ulysses-shards-do-not-divide",
    "ulysses-shards-missing",
    "vae-strips-do-not-divide",
    "value-above-most",
    "value-below-least",
    "value-in-quotes",
    "value-is-a-list",
    "value-missing",
    "value-off-grid",
    "value-without-effect",
    "version-missing",
    "version-unknown",
    "video-format-not-offered",
    "video-rate-beyond-format",
    "video-size-off-grid",
    "video-too-large",
    "wildcard-missing",
    "wildcard-unusable",
    "wildcards-drawn",
    "yaml-malformed",
});

/// Identifies the fault that a problem describes: a name of problemIds, checked at compile time. `problem.id
/// = "prompt-empty"`.
class ProblemId {
  public:
    constexpr ProblemId() = default;
    consteval ProblemId(const char* name) : m_index(indexOf(name)) {}

    [[nodiscard]] constexpr std::string_view name() const { return problemIds[m_index]; }

    friend bool operator==(ProblemId, ProblemId) = default;

  private:
    static consteval std::uint16_t indexOf(std::string_view name) {
        const auto found = std::ranges::find(problemIds, name);
        if (found == problemIds.end())
            throw "add the name to problemIds";
        return static_cast<std::uint16_t>(found - problemIds.begin());
    }

    std::uint16_t m_index = 0;
};

}  // namespace meshreel
