// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/keys/section_keys.h"

namespace meshreel {

std::vector<ProjectKey> vaeKeys() {
    return {
        {.name = "vae_decode_chunk",
         .member = &Project::vaeDecodeChunk,
         .section = "VAE",
         .title = "Decode chunk",
         .help = "Latent frames that are decoded together; -1 takes all. More memory, the same result.",
         .unit = "latent frames",
         .range = IntegerRange{.minimum = 1, .maximum = 1001, .automatic = -1}},
        {.name = "vae_encode_chunk",
         .member = &Project::vaeEncodeChunk,
         .section = "VAE",
         .title = "Encode chunk",
         .help =
             "Frames that are encoded together, a multiple of 4; -1 takes all. More memory, the same result.",
         .unit = "frames",
         .range = IntegerRange{.minimum = frameStep, .maximum = 4000, .step = frameStep, .automatic = -1}},
        {.name = "vae_spatial",
         .member = &Project::vaeSpatial,
         .section = "VAE",
         .title = "Width strips",
         .help = "Devices that share out the VAE's width; -1 takes all.",
         .unit = "devices",
         .range = meshRange},
        {.name = "replicate_vae",
         .member = &Project::replicateVae,
         .section = "VAE",
         .title = "Replicate weights",
         .help = "Gives every device the whole of the VAE's weights."},
    };
}

}  // namespace meshreel
