// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/text_encoder/umt5_config.h"

#include <nlohmann/json.hpp>

#include "engine/base/sentence.h"
#include "engine/models/config_reader.h"

namespace meshreel {

Umt5Config Umt5Config::fromJson(const nlohmann::json& json, const std::string& where) {
    const ConfigReader reader(json, where);
    if (reader.text("feed_forward_proj").value_or("gated-gelu") != "gated-gelu")
        reader.refuse("feed_forward_proj", sentence("Only the gated-gelu feed-forward of UMT5 is supported"),
                      sentence("Use the text encoder that belongs to the Wan checkpoint"));
    Umt5Config config;
    config.vocabSize = reader.size("vocab_size");
    config.dModel = reader.size("d_model");
    config.dKv = reader.size("d_kv");
    config.dFf = reader.size("d_ff");
    config.layers = reader.size("num_layers");
    config.heads = reader.size("num_heads");
    config.buckets = reader.size("relative_attention_num_buckets", config.buckets);
    config.maxDistance = reader.size("relative_attention_max_distance", config.maxDistance);
    config.epsilon = reader.number("layer_norm_epsilon", config.epsilon);
    if (config.buckets < 4 || config.maxDistance <= config.buckets / 4)
        reader.refuse("relative_attention_num_buckets",
                      sentence("{} buckets up to a distance of {} leave no room for the logarithmic ones",
                               config.buckets, config.maxDistance),
                      sentence("Use the config.json that came with the weights"));
    return config;
}

}  // namespace meshreel
