// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/sound/sound_config.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/models/config_reader.h"

namespace meshreel {
namespace {

/// A switch of the original config that the released model has set so.
struct SoundSwitch {
    std::string_view key;
    bool released;
};
constexpr std::array soundSwitches{
    SoundSwitch{"enable_adain", true},     SoundSwitch{"zero_timestep", true},
    SoundSwitch{"enable_motioner", false}, SoundSwitch{"enable_framepack", true},
    SoundSwitch{"add_last_motion", true},  SoundSwitch{"enable_tsm", false},
};

void requireWord(const ConfigReader& reader, std::string_view key, std::string_view released) {
    if (const std::string word = reader.text(key).value_or(std::string(released)); word != released)
        reader.refuse(key, sentence("The variant {} was never released and is not supported", word),
                      sentence("Supported is {}", released));
}

std::vector<std::int64_t> readInjectLayers(const nlohmann::json& json, const ConfigReader& reader,
                                           std::int64_t blocks) {
    constexpr const char* key = "audio_inject_layers";
    if (reader.absent(key))
        return SoundConfig().layers;
    const nlohmann::json& list = json.at(key);
    const auto isIndex = [blocks](const nlohmann::json& value) {
        return value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
               value.get<std::int64_t>() < blocks;
    };
    if (!list.is_array() || list.empty() || !std::ranges::all_of(list, isIndex))
        reader.refuse(key, sentence("The value is not a list of some of the {} blocks", blocks),
                      useOriginal());
    const auto layers = list.get<std::vector<std::int64_t>>();
    if (std::ranges::adjacent_find(layers, std::greater_equal<>()) != layers.end())
        reader.refuse(key, sentence("The blocks do not ascend"), useOriginal());
    return layers;
}

}  // namespace

std::vector<std::int64_t> SoundConfig::layersOf(std::int64_t injectors) {
    const std::vector<std::int64_t> released = SoundConfig().layers;
    const std::vector<std::int64_t> upstreamDefault = {0, 4, 8, 12, 16, 20, 24, 27};
    for (const std::vector<std::int64_t>& layers : {released, upstreamDefault})
        if (std::ssize(layers) == injectors)
            return layers;
    return {};
}

SoundConfig SoundConfig::read(const nlohmann::json& json, const ConfigReader& reader, std::int64_t blocks) {
    SoundConfig config;
    config.width = reader.size("audio_dim", config.width);
    config.states = reader.size("num_audio_layers", config.states);
    config.localTokens = reader.size("num_audio_token", config.localTokens);
    config.poseChannels = reader.size("cond_dim", config.poseChannels);
    config.layers = readInjectLayers(json, reader, blocks);
    for (const SoundSwitch& row : soundSwitches)
        if (reader.flag(row.key, row.released) != row.released)
            reader.refuse(row.key, sentence("This variant was never released and is not supported"),
                          sentence("Supported is {}", row.released ? "true" : "false"));
    requireWord(reader, "adain_mode", "attn_norm");
    requireWord(reader, "framepack_drop_mode", "padd");
    return config;
}

}  // namespace meshreel
