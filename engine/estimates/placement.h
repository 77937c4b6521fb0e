// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/record.h"
#include "engine/base/sentence.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_exchange.h"
#include "engine/kernels/linear/arithmetic.h"

namespace meshreel {

/// A part of a model that is computed in one place and one form.
enum class PlacedPart : std::uint8_t {
    Transformer,  ///< the first one of two experts
    SecondTransformer,
    TextEncoder,
    ImageEncoder,
    VaeEncoder,
    VaeDecoder,
    PreviewDecoder,
    Embeddings  ///< embeddings of time, text, image and faces, when a GPU computes the rest of the
                ///< transformer
};

template <>
struct EnumNames<PlacedPart> {
    static constexpr std::array<std::string_view, 8> names{"transformer",     "transformer_2", "text_encoder",
                                                           "image_encoder",   "vae_encoder",   "vae_decoder",
                                                           "preview_decoder", "embeddings"};
};
inline constexpr std::size_t placedParts = EnumNames<PlacedPart>::names.size();
inline constexpr std::array transformerParts{PlacedPart::Transformer, PlacedPart::SecondTransformer};
inline constexpr std::array encoderParts{PlacedPart::TextEncoder, PlacedPart::ImageEncoder};
inline constexpr std::array vaeParts{PlacedPart::VaeEncoder, PlacedPart::VaeDecoder,
                                     PlacedPart::PreviewDecoder};

/// Which of a process's devices compute a part with their GPUs. The CPU computes what no GPU does.
enum class PartPlace : std::uint8_t { Cpu, FirstGpu, EveryGpu };

template <>
struct EnumNames<PartPlace> {
    static constexpr std::array<std::string_view, 3> names{"cpu", "first_gpu", "every_gpu"};
};

/// What kept a part from a place or a form that the plan would rather have.
enum class PlaceReason : std::uint8_t {
    NoGpu,        ///< none that can be used, or a software driver alone
    GpuCannot,    ///< its kernels do not compute this
    NotMeasured,  ///< whether the GPU is faster
    GpuIsSlower,  ///< than the CPU, by what was measured
    OtherGpu,     ///< is predicted to be faster
    MemoryShort,  ///< not enough memory on the GPU
    BudgetShort,  ///< memory_budget holds no more
    HeldInTurn    ///< memory holds one of two experts
};

template <>
struct EnumNames<PlaceReason> {
    static constexpr std::array<std::string_view, 8> names{"no_gpu",        "gpu_cannot",  "not_measured",
                                                           "gpu_is_slower", "other_gpu",   "memory_short",
                                                           "budget_short",  "held_in_turn"};
};

/// A place or a form that comes earlier in the order of the search and was left.
struct PassedOver {
    PartPlace place = PartPlace::EveryGpu;  ///< where the part would have been
    PlaceReason reason = PlaceReason::NoGpu;
    Sentence why;

    friend bool operator==(const PassedOver&, const PassedOver&) = default;
};

/// Where a part is computed, why there, in which form and with which bytes.
struct PartPlan {
    PlacedPart part = PlacedPart::Transformer;
    PartPlace place = PartPlace::Cpu;
    /// What the search left for this, in its order; empty: the part has its first choice, or the project
    /// names the place.
    std::vector<PassedOver> passedOver = {};

    /// For a transformer: the number of layers that it keeps; the others are read from the checkpoint for
    /// each use. Nothing: all stay.
    std::optional<std::int64_t> residentLayers = {};
    bool takesTurns = false;        ///< for two experts: one is in memory at a time
    int strips = 1;                 ///< strips of a frame's width that the devices of a VAE share
    std::int64_t stripsInTurn = 1;  ///< that a GPU decodes frames in, one after the other
    Arithmetic products = Arithmetic::F32;
    /// What multiplies: a library's core, a kernel, or the GPU by its name with the forms that it has for
    /// this.
    std::string productsBy = {};
    std::uint64_t bytes = 0;  ///< that it takes at most, where it is computed, on a device

    [[nodiscard]] bool isOnGpu() const { return place != PartPlace::Cpu; }
};

/// Where the parts of a run are computed. What memory and time follow from, beside the project and its model.
struct Placement {
    std::vector<ChosenGpu> gpus = {};  ///< GPUs of this process's devices in order; none: the CPU computes
    GpuExchange exchange = GpuExchange::Staged;  ///< between these GPUs
    std::vector<PartPlan> parts = {};            ///< the parts of the run, in the order of PlacedPart
    /// Other GPUs that were looked at for the run, each with the reason why another one has it. Where the CPU
    /// computes, the reasons stand at the parts.
    std::vector<PassedOver> gpusLeft = {};

    /// Null when the run has no such part.
    [[nodiscard]] const PartPlan* find(PlacedPart part) const;
    [[nodiscard]] bool isOnGpu(PlacedPart part) const;
    [[nodiscard]] bool anyOnGpu(std::span<const PlacedPart> some) const;
    [[nodiscard]] bool hasGpus() const { return !gpus.empty(); }

    /// Returns the layers that each transformer keeps; nothing: all stay.
    [[nodiscard]] std::optional<std::int64_t> residentLayers() const;
    /// Two experts, and both are in memory while denoising.
    [[nodiscard]] bool keepsBothExperts() const;
    /// Return the strips of a frame's width that devices share when they decode, and when they encode.
    [[nodiscard]] int vaeStrips() const;
    [[nodiscard]] int encodeStrips() const;
    [[nodiscard]] std::int64_t vaeStripsInTurn() const;

    /// Returns why the CPU computes the part; empty when a GPU does, and where the project says so.
    [[nodiscard]] Sentence whyOnCpu(PlacedPart part) const;
    /// Returns why the CPU computes all of it, where the project leaves that to the plan; else empty.
    [[nodiscard]] Sentence whyNoGpu() const;

    /// Returns the placement with a change to each of these parts that it has.
    template <typename Change>
    [[nodiscard]] Placement with(std::span<const PlacedPart> changed, const Change& change) const {
        Placement other = *this;
        for (const PlacedPart part : changed)
            for (PartPlan& each : other.parts)
                if (each.part == part)
                    change(each);
        return other;
    }
    [[nodiscard]] Placement withResidentLayers(std::optional<std::int64_t> layers) const;
};

/// Returns the bytes that each device may take of its GPU's memory: those of the GPU with the least per
/// device.
std::uint64_t freeOfEach(std::span<const ChosenGpu> gpus);

/// "0: NVIDIA GeForce RTX 4070 (radv Mesa 22.3.6)".
std::string describeGpu(const ChosenGpu& gpu);

/// "embeddings (f32 by OpenBLAS, core Haswell), VAE decoder (f32 by avx2)": what the CPU computes beside
/// GPUs; empty without them.
std::string partsOnCpu(const Placement& placement);

/// "transformer, VAE and encoders": what the GPU of the first device computes, or that of another one. Of a
/// VAE and of encoders that are not all there: "transformer, VAE decoder and text encoder".
std::string partsOnGpu(const Placement& placement, bool isFirst);

/// Parts that the CPU computes beside GPUs, for one reason: of the VAE, or encoders.
struct PartsLeft {
    std::vector<PlacedPart> parts;
    Sentence why;
};
/// Those of the VAE first; none without GPUs.
std::vector<PartsLeft> partsLeftToCpu(const Placement& placement);

/// "VAE" or "encoders" for all of them that the run has, else each by its name.
std::string partsText(const Placement& placement, std::span<const PlacedPart> parts);

/// Each part: keys part, place, gpus (their numbers), passed_over [{place, reason, why}], products,
/// products_by, bytes; of a transformer resident_layers and takes_turns, of a VAE strips and strips_in_turn.
nlohmann::ordered_json placementJson(const Placement& placement);

/// What was left: keys place, reason, why.
nlohmann::ordered_json passedOverJson(const std::vector<PassedOver>& all);

}  // namespace meshreel
