// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace meshreel {

/// Hugging Face's UMT5EncoderModel config.json.
struct Umt5Config {
    std::int64_t vocabSize = 0;      ///< vocab_size
    std::int64_t dModel = 0;         ///< d_model
    std::int64_t dKv = 0;            ///< d_kv, of one head; dKv · heads need not be dModel
    std::int64_t dFf = 0;            ///< d_ff
    std::int64_t layers = 0;         ///< num_layers
    std::int64_t heads = 0;          ///< num_heads
    std::int64_t buckets = 32;       ///< relative_attention_num_buckets
    std::int64_t maxDistance = 128;  ///< relative_attention_max_distance
    double epsilon = 1e-6;           ///< layer_norm_epsilon

    /// Throws Error{Input} at `where` naming the key that is missing, out of range or not supported.
    static Umt5Config fromJson(const nlohmann::json& json, const std::string& where);
};

}  // namespace meshreel
