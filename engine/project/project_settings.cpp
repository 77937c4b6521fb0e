// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_settings.h"

namespace meshreel {

MeshRequest meshRequest(const Project& project, int ranks) {
    // Every extent is within its key's range, which fits an int.
    const auto extent = [](std::int64_t value) { return static_cast<int>(value); };
    return {.ici = {.data = extent(project.iciDataParallelism),
                    .fsdp = extent(project.iciFsdpParallelism),
                    .context = extent(project.iciContextParallelism),
                    .tensor = extent(project.iciTensorParallelism)},
            .dcn = {.data = extent(project.dcnDataParallelism),
                    .fsdp = extent(project.dcnFsdpParallelism),
                    .context = extent(project.dcnContextParallelism),
                    .tensor = extent(project.dcnTensorParallelism)},
            .devices = extent(project.devices),
            .ranks = ranks};
}

AttentionSettings attentionSettings(const Project& project) {
    const AttentionMode* mode = findAttentionMode(project.attention);
    return {.mode = mode != nullptr ? mode : &requireAttentionMode(project.attention),
            .blocks = {.blockQ = project.blockQ,
                       .blockKv = project.blockKv,
                       .blockKvCompute = project.blockKvCompute,
                       .blockKvComputeIn = project.blockKvComputeIn,
                       .headsPerTile = project.headsPerTile,
                       .vmemLimitBytes = project.vmemLimitBytes},
            .flashMinSeqLength = project.flashMinSeqLength,
            .base2 = project.useBase2Exp,
            .ulyssesShards = static_cast<int>(project.ulyssesShards),
            .chunks = static_cast<int>(project.ulyssesAttentionChunks),
            .uniformSharding = project.attentionShardingUniform};
}

}  // namespace meshreel
