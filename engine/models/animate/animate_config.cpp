// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/animate/animate_config.h"

#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/sentence.h"
#include "engine/models/config_reader.h"

namespace meshreel {

namespace {

constexpr std::int64_t smallestSide = 8;
constexpr std::int64_t lastSide = 4;
constexpr std::int64_t halvings = 2;  // of time, by the face encoder

/// Features of images of a side, of the released model and of those that leave it open.
struct SideChannels {
    std::int64_t side;
    std::int64_t channels;
};
constexpr std::array defaultChannels = {SideChannels{4, 512},  SideChannels{8, 512},  SideChannels{16, 512},
                                        SideChannels{32, 512}, SideChannels{64, 256}, SideChannels{128, 128},
                                        SideChannels{256, 64}, SideChannels{512, 32}, SideChannels{1024, 16}};

std::int64_t channelsOf(std::int64_t side, const nlohmann::json* table, const ConfigReader& reader) {
    constexpr const char* key = "motion_encoder_channel_sizes";
    if (table != nullptr)
        return ConfigReader(*table, reader.place(key)).size(std::to_string(side));
    for (const SideChannels& known : defaultChannels)
        if (known.side == side)
            return known.channels;
    reader.refuse("motion_encoder_size",
                  sentence("How many features images of {} pixels a side have, {} has to say", side, key),
                  useOriginal());
}

}  // namespace

std::int64_t AnimateConfig::latentFrames(std::int64_t faceFrames) {
    for (std::int64_t halving = 0; halving < halvings; ++halving)
        faceFrames = (faceFrames - 1) / 2 + 1;
    return faceFrames + 1;
}

AnimateConfig AnimateConfig::read(const nlohmann::json& json, const ConfigReader& reader,
                                  std::int64_t blocks) {
    AnimateConfig config;
    config.poseChannels = reader.size("latent_channels", config.poseChannels);
    config.faceSide = reader.size("motion_encoder_size", config.faceSide);
    config.styleDim = reader.size("motion_style_dim", config.styleDim);
    config.directions = reader.size("motion_dim", config.directions);
    config.motionDim = reader.size("motion_encoder_dim", config.motionDim);
    config.hiddenDim = reader.size("face_encoder_hidden_dim", config.hiddenDim);
    config.heads = reader.size("face_encoder_num_heads", config.heads);
    config.blocksPerAdapter = reader.size("inject_face_latents_blocks", config.blocksPerAdapter);
    if (config.faceSide < smallestSide || !std::has_single_bit(static_cast<std::uint64_t>(config.faceSide)))
        reader.refuse(
            "motion_encoder_size",
            sentence("Faces of {}x{} pixels are not halved down to 4x4", config.faceSide, config.faceSide),
            useOriginal());
    if (config.motionDim < config.directions)
        reader.refuse("motion_encoder_dim",
                      sentence("{} directions of motion do not fit into {} features", config.directions,
                               config.motionDim),
                      useOriginal());
    if (blocks % config.blocksPerAdapter != 0)
        reader.refuse("inject_face_latents_blocks",
                      sentence("{} blocks cannot be shared out in groups of {}, each with a face adapter",
                               blocks, config.blocksPerAdapter),
                      useOriginal());
    const auto found = json.find("motion_encoder_channel_sizes");
    const nlohmann::json* table = found == json.end() || found->is_null() ? nullptr : &*found;
    config.channels.clear();
    for (std::int64_t side = config.faceSide; side >= lastSide; side /= 2)
        config.channels.push_back(channelsOf(side, table, reader));
    return config;
}

}  // namespace meshreel
