// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace meshreel {

/// Returns what huggingface_hub keeps on this machine, found as its constants.py finds it: variables in its
/// order, with "~" and "$NAME" in them replaced. Empty variables count as unset.

/// $HF_HUB_CACHE, else $HUGGINGFACE_HUB_CACHE, else "hub" in $HF_HOME, else in $XDG_CACHE_HOME/huggingface,
/// else in ~/.cache/huggingface.
std::filesystem::path huggingFaceCache();

/// $HF_TOKEN, else $HUGGING_FACE_HUB_TOKEN, else what `hf auth login` keeps ($HF_TOKEN_PATH, else "token"
/// beside "hub"). Empty without one, and where HF_HUB_DISABLE_IMPLICIT_TOKEN forbids to send it.
std::string huggingFaceToken();

/// HF_HUB_OFFLINE, else TRANSFORMERS_OFFLINE: nobody may be asked.
bool isHuggingFaceOffline();

/// A model's repository in the cache.
struct CachedModel {
    std::string id;                    ///< "Wan-AI/Wan2.1-T2V-1.3B-Diffusers"
    std::filesystem::path snapshot;    ///< its folder
    std::vector<std::string> missing;  ///< files that the snapshot should have and lacks; empty: it is whole
};

/// Returns the snapshot of a repository to use: that of the branch main if it is complete, else the newest
/// complete one, else the incomplete one that would come first. Returns nothing when the cache has no
/// snapshot of it.
std::optional<CachedModel> findCachedModel(const std::string& id);

/// Returns the snapshots of every model's repository in the cache, by id.
std::vector<CachedModel> cachedModels();

/// Returns the folders of a repository's snapshots in search order, complete or not.
std::vector<std::filesystem::path> huggingFaceSnapshots(const std::string& id);

/// Returns a file of any repository in the cache that has this SHA-256 as its name.
std::optional<std::filesystem::path> findHuggingFaceBlob(const std::string& sha256);

}  // namespace meshreel
