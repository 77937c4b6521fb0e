// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/attention/paired_keys.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/rows/int8_rows.h"
#include "engine/kernels/rows/rope.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

// Animate-2: the transformer goes through a driving video at one fixed time, and the passes that denoise
// attend to its keys, frame by frame (PairedKeys). Nothing of them depends on the step, so that they can be
// kept.

/// How passes come by the keys of a driving video.
enum class DrivingKeysUse : std::uint8_t {
    Cached,      ///< kept as they were computed
    Int8,        ///< kept in int8, a scale for each head of each token
    Recomputed,  ///< computed beside each pass, block by block
};

/// One value of the project key `driving_keys`, but for the automatic one.
struct DrivingKeysRow {
    DrivingKeysUse use;
    std::string_view name;
    std::string_view help;
};

/// The project key's value for "what memory has room for".
inline constexpr std::string_view automaticDrivingKeys = "auto";

/// In the order in which a plan tries them: the fastest first.
std::span<const DrivingKeysRow> drivingKeysRows();
const DrivingKeysRow& rowOf(DrivingKeysUse use);
/// Null when there is none.
const DrivingKeysRow* findDrivingKeys(std::string_view name);

/// How passes are to see a driving video.
struct DrivingOptions {
    DrivingKeysUse use = DrivingKeysUse::Cached;
    float firstFrameBias = 0;  ///< see DrivingStream
};

/// What a driving video is computed of.
struct DrivingVideo {
    Tensor latents;               ///< f32 [B, inChannels, F - 1, H, W], with the channels beside the latents
    CrossAttentionCache context;  ///< of the fixed text, and of the image of its first frame
};

/// The keys and values of all blocks, of what a device's queries see.
class DrivingKeys {
  public:
    /// `use`: Cached or Int8.
    explicit DrivingKeys(DrivingKeysUse use) : m_use(use) {}

    /// Keeps those of the next block where they lie.
    void add(const Execution& execution, PairedKeys keys);

    [[nodiscard]] std::int64_t blocks() const {
        return m_use == DrivingKeysUse::Int8 ? std::ssize(m_packed) : std::ssize(m_keys);
    }

    /// Returns those of a block; `room` is used where they have to be unpacked, and keeps its memory from
    /// block to block.
    [[nodiscard]] const PairedKeys& ofBlock(const Execution& execution, std::int64_t block,
                                            PairedKeys& room) const;

    [[nodiscard]] std::size_t bytes() const;

  private:
    struct PackedChunk {
        Int8Rows key;
        Int8Rows value;
    };

    DrivingKeysUse m_use;
    std::vector<PairedKeys> m_keys;                  // of each block, where they are cached
    std::vector<std::vector<PackedChunk>> m_packed;  // of each block, else
    FramePairs m_pairs;
    std::vector<Shape> m_shapes;  // of the chunks of a block
    DType m_type = DType::F32;    // that they are unpacked to
};

/// What passes attend to of a driving video: frame f >= 1 of their latents sees frame f - 1 of it.
struct DrivingStream {
    DrivingVideo video;
    RotaryTable rotary;  ///< of the device's tokens of the video, where it computes
    FramePairs pairs;
    std::optional<DrivingKeys> kept = {};  ///< without them each pass computes them
    /// Added to the scores of the keys of the latents' frame 1, the first behind the character's. Distilled
    /// weights want -1.3 (upstream's log_scale).
    float firstFrameBias = 0;
};

}  // namespace meshreel
