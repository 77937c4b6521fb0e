// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/stop_token.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {

/// XXH3, 64 bits: finds damage, not malice.
std::uint64_t contentHash(std::span<const std::byte> bytes);

/// XXH3, 128 bits, as 32 hexadecimal digits: names what a text identifies.
std::string nameHash(std::string_view text);

/// Identifies what a file holds, whatever it is called and whenever it was written.
struct FileFingerprint {
    std::uint64_t bytes = 0;  ///< size of the file
    std::string hash;         ///< XXH3, 128 bits: finds accidents, not malice
    bool sampled = false;     ///< the hash covers the header and samples of every tensor, not every byte

    friend bool operator==(const FileFingerprint&, const FileFingerprint&) = default;
};

/// Files of weights up to this size are hashed whole; it holds every VAE in bf16 and most adapters.
inline constexpr std::uint64_t wholeFingerprintBytes = std::uint64_t{256} << 20;

/// Hashes every byte. Throws Error{Input} when the file cannot be read, Error{Cancelled}.
FileFingerprint fingerprintFile(const std::filesystem::path& file, const StopToken& stop);

/// Fingerprints files of up to `mostWhole` bytes completely. For larger ones it hashes the header and up to
/// four blocks of 4 KiB of each tensor: first, last and two between. That finds other, retrained, merged and
/// requantised weights; it can miss single numbers that were edited in a large tensor.
FileFingerprint fingerprintWeights(const TensorFile& file, const StopToken& stop,
                                   std::uint64_t mostWhole = wholeFingerprintBytes);

void to_json(nlohmann::json& json, const FileFingerprint& fingerprint);
void from_json(const nlohmann::json& json, FileFingerprint& fingerprint);

/// Returns what distinguishes a checkpoint from others without reading its weights: for every file the path
/// (links resolved), size, time of the last change and a hash of the header, and the identity of what is
/// added to the weights. For keys of caches.
nlohmann::json checkpointIdentity(const Checkpoint& checkpoint);

}  // namespace meshreel
