// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/preview_cache.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/tensor/tensor.h"
#include "engine/weights/cache/fingerprint.h"

namespace meshreel {
namespace {

const CachedTensorKind& previewKind() {
    static const CachedTensorKind kind{
        .tensor = "coefficients",
        .rank = 2,
        .isDamaged = sentence("the cached preview of a VAE is damaged"),
        .notUsed = sentence("The preview of the VAE in the cache is not used and fitted again"),
        .notKept = sentence("The preview that was fitted to the VAE is not kept"),
        .clearing = "meshreel cache clear --previews",
    };
    return kind;
}

}  // namespace

PreviewCache::PreviewCache(CacheFolder folder, TensorCache::Warn warn)
    : m_coefficients(std::move(folder), previewKind(), std::move(warn)) {}

LatentPreview PreviewCache::fitted(const WanVae& vae, const Checkpoint& checkpoint,
                                   const std::function<LatentPreview()>& fit) const {
    const std::string key = previewKey(vae, checkpoint);
    const std::optional<Tensor> kept = m_coefficients.find(key);
    if (kept && kept->shape() == LatentPreview::coefficientShape(vae.config().zDim))
        return LatentPreview(*kept);
    LatentPreview preview = fit();
    m_coefficients.put(key, preview.coefficients());
    return preview;
}

std::string previewKey(const WanVae& vae, const Checkpoint& checkpoint) {
    return nlohmann::json{
        {"vae", checkpointIdentity(checkpoint)},      {"latents_mean", vae.config().latentsMean},
        {"latents_std", vae.config().latentsStd},     {"activations", nameOf(vae.precision().activations)},
        {"weights", nameOf(vae.precision().weights)}, {"fit", LatentPreview::fitVersion}}
        .dump();
}

void verifyPreviewEntry(const std::filesystem::path& entry) {
    verifyCachedTensor(entry, previewKind());
}

}  // namespace meshreel
