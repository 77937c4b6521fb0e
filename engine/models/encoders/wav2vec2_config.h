// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace meshreel {

/// config.json of transformers' Wav2Vec2Model, keys in the comments; absent keys have transformers' values,
/// those of the base model.
struct Wav2Vec2Config {
    static constexpr int sampleRate = 16'000;  ///< of the sound that it hears, one channel

    std::int64_t hiddenSize = 768;         ///< hidden_size
    std::int64_t intermediateSize = 3072;  ///< intermediate_size
    std::int64_t layers = 12;              ///< num_hidden_layers
    std::int64_t heads = 12;               ///< num_attention_heads

    // The convolutions from samples to frames, one after the other.
    std::vector<std::int64_t> channels = {512, 512, 512, 512, 512, 512, 512};  ///< conv_dim
    std::vector<std::int64_t> kernels = {10, 3, 3, 3, 3, 2, 2};                ///< conv_kernel: taps of each
    std::vector<std::int64_t> strides = {5, 2, 2, 2, 2, 2, 2};                 ///< conv_stride
    bool convolutionBias = false;                                              ///< conv_bias
    /// feat_extract_norm: "layer" norms the channels behind each convolution, "group" each channel over the
    /// whole sound, behind the first one only.
    bool layerNorms = false;

    std::int64_t positionTaps = 128;   ///< num_conv_pos_embeddings: frames that a position is made of
    std::int64_t positionGroups = 16;  ///< num_conv_pos_embedding_groups
    bool stableLayerNorm = false;      ///< do_stable_layer_norm: norms stand before what they feed
    double epsilon = 1e-5;             ///< layer_norm_eps
    bool normalises = true;  ///< do_normalize, of preprocessor_config.json: the sound's mean and variance

    /// Reads the config. A key "do_normalize" in it stands for that of preprocessor_config.json; without one
    /// sound is normalised for models of layerNorms alone, as ComfyUI does. Throws Error{Input} at `where`
    /// naming the key that is out of range or not supported.
    static Wav2Vec2Config fromJson(const nlohmann::json& json, const std::string& where);

    /// Returns the frames that so many samples make; 0 where they are too few for one.
    [[nodiscard]] std::int64_t frames(std::int64_t samples) const;

    /// Returns the samples that so many frames see, at least one frame.
    [[nodiscard]] std::int64_t samples(std::int64_t frames) const;

    /// Returns the samples from one frame to the next.
    [[nodiscard]] std::int64_t hop() const;

    /// Returns how many frames a second has.
    [[nodiscard]] double framesPerSecond() const {
        return static_cast<double>(sampleRate) / static_cast<double>(hop());
    }

    friend bool operator==(const Wav2Vec2Config&, const Wav2Vec2Config&) = default;
};

}  // namespace meshreel
