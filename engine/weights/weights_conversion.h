// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/stored_type.h"

namespace meshreel {

/// The names that a converted file has.
enum class TargetLayout : std::uint8_t {
    Diffusers,
    Original,  ///< names of the Wan project
    Comfy,     ///< those after "model.diffusion_model." (for transformers)
};

/// What the numbers of a converted file are.
struct TargetNumbers {
    /// Absent: as the source stores them, and f32 for what it stores in blocks or fp8.
    std::optional<StoredType> type{};
    /// fp8 only: every matrix with a scale of its own (scale_weight), as ComfyUI's "scaled" files have.
    bool scaled = false;
};

/// "f32", "bf16", "f16", "fp8" (e4m3), "fp8_e5m2", "fp8_scaled", or a quantisation of GGUF ("Q8_0", …).
/// Nothing for other names.
std::optional<TargetNumbers> targetNumbers(std::string_view name);
std::vector<std::string_view> targetNumberNames();

struct ConversionOrder {
    TargetLayout layout = TargetLayout::Diffusers;
    TargetNumbers numbers{};
    /// Called after every tensor: bytes done of all bytes.
    std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
    StopToken stop{};  ///< asked every few MiB
};

/// How far the numbers that are now in the file are from the source's.
struct ConversionLoss {
    std::size_t tensors = 0;
    double largest = 0.0;   ///< difference of an element
    double relative = 0.0;  ///< root of the mean square of the differences, by that of the numbers
};

struct ConversionReport {
    std::uint64_t bytes = 0;                       ///< size of the file
    std::map<std::string, ConversionLoss> losses;  ///< keyed by the type that tensors were written as
    std::vector<std::string> left;  ///< tensors that the target layout has no place for, by diffusers' names
};

/// Writes the source's tensors into `file` (".gguf" or safetensors) a few MiB at a time, so that memory does
/// not grow with the tensors, reads everything back through the real readers, and only then gives the file
/// its name. Norms, biases and convolutions keep their precision where `numbers` is fp8 or in blocks.
/// Adapters of the checkpoint are merged. What a killed conversion into `file` left is removed. Throws
/// Error{Project} for what the format or layout cannot hold, Error{Cancelled} after a stop, Error{Resources}
/// when the disk is full, Error{Mismatch} when what was read back is not what was written.
ConversionReport convertWeights(const Checkpoint& source, const std::filesystem::path& file,
                                const ConversionOrder& order);

}  // namespace meshreel
