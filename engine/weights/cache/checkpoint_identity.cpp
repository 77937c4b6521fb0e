// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/checkpoint_identity.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/weights/cache/content_hash.h"

namespace meshreel {
namespace fs = std::filesystem;

nlohmann::json checkpointIdentity(const Checkpoint& checkpoint) {
    nlohmann::json files = nlohmann::json::array();
    for (const TensorFile& shard : checkpoint.shards()) {
        std::error_code ignored;
        const fs::path canonical = fs::canonical(shard.path(), ignored);
        const auto changed = fs::last_write_time(shard.path(), ignored).time_since_epoch();
        files.push_back(
            {{"path", (canonical.empty() ? fs::absolute(shard.path()) : canonical).string()},
             {"bytes", shard.fileBytes()},
             {"changed_ns", std::chrono::duration_cast<std::chrono::nanoseconds>(changed).count()},
             {"header", contentHash(shard.headerBytes())}});
    }
    if (checkpoint.patches().empty())
        return files;
    nlohmann::json patches = nlohmann::json::array();
    for (const auto& patch : checkpoint.patches())
        patches.push_back(patch->identity());
    return {{"files", std::move(files)}, {"patches", std::move(patches)}};
}

}  // namespace meshreel
