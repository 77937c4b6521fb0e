// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "engine/models/wan_transformer_config.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// A transformer of seeded normal weights, small enough that activations stay finite through any number of
/// blocks. Its file is gone when this is destroyed.
class RandomCheckpoint {
  public:
    /// Writes it (f32) into a new file of the system's folder for temporary files. Throws Error{Resources}
    /// when that is full.
    explicit RandomCheckpoint(const WanTransformerConfig& config);
    ~RandomCheckpoint();
    RandomCheckpoint(const RandomCheckpoint&) = delete;
    RandomCheckpoint& operator=(const RandomCheckpoint&) = delete;

    [[nodiscard]] const Checkpoint& checkpoint() const { return m_checkpoint; }

  private:
    std::filesystem::path m_file;
    Checkpoint m_checkpoint;
};

}  // namespace meshreel
