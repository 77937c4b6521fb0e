// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "engine/models/vae/latent_preview.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/weights/cache/cache_folder.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// The maps from latents to colours across runs, one for each VAE: fitting one costs an encode.
class PreviewCache {
  public:
    PreviewCache(CacheFolder folder, TensorCache::Warn warn);

    /// Returns the preview of a VAE that was made from `checkpoint`: kept, or fitted now by `fit` and kept.
    /// Throws as `fit` does.
    [[nodiscard]] LatentPreview fitted(const WanVae& vae, const Checkpoint& checkpoint,
                                       const std::function<LatentPreview()>& fit) const;

  private:
    TensorCache m_coefficients;
};

/// Returns all that a fit depends on but rounding: weights, what normalises latents, number types, and the
/// fit itself.
std::string previewKey(const WanVae& vae, const Checkpoint& checkpoint);

/// Throws Error{Input} for a damaged entry; `entry` as PreviewCache writes it.
void verifyPreviewEntry(const std::filesystem::path& entry);

}  // namespace meshreel
