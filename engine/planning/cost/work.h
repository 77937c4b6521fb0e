// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

namespace meshreel {

/// What computing is made of, as far as the time that it takes goes.
enum class WorkClass : std::uint8_t {
    LinearF32,
    LinearBf16,
    LinearInt8,
    Rounding,
    DenseAttention,
    BlockedAttentionF32,
    BlockedAttentionBf16,
    Softmax,
    KeyPacking,
    Activations,
    Weights,
    Blocks,
    Exchange,
    Messages,
    Steps,
    Checkpoints,
    ConvolutionF32,
    ConvolutionBf16,
    Features,
    VaeLayers,
    TextWeights,
    Prompts,
    Packing,
    Runs
};
inline constexpr std::size_t workClasses = 24;

struct WorkClassRow {
    WorkClass kind;
    std::string_view name;  ///< in files and tables
    std::string_view unit;
    double typicalSeconds;  ///< of one unit on two cores with AVX2, to within a few times
    std::string_view help;
};

/// Every class once, in the order of the enumeration.
std::span<const WorkClassRow> workClassRows();

/// How much of each class something is made of.
struct Work {
    std::array<double, workClasses> amounts = {};  ///< in the class's unit, never negative

    double& operator[](WorkClass kind) { return amounts[static_cast<std::size_t>(kind)]; }
    double operator[](WorkClass kind) const { return amounts[static_cast<std::size_t>(kind)]; }
    Work& operator+=(const Work& other);
    Work& operator*=(double factor);
    friend Work operator+(Work a, const Work& b) { return a += b; }
    friend Work operator*(double factor, Work work) { return work *= factor; }
    friend bool operator==(const Work&, const Work&) = default;
};

/// {name: amount} of what is not zero.
nlohmann::ordered_json workJson(const Work& work);

/// Its inverse; names that this version does not know are passed over. Throws nlohmann::json::exception where
/// an amount is no number.
Work workFrom(const nlohmann::json& json);

}  // namespace meshreel
