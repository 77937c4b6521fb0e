// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/weight_patch.h"

namespace meshreel {

/// What of an adapter is applied.
enum class LoraScope : std::uint8_t {
    Everything,
    LowRankLayers,  ///< as diffusers does: layers with a low-rank pair, no norms and no convolution's
                    ///< difference
};

/// An adapter for a transformer, in any of the spellings that people's files have: PEFT and diffusers
/// (lora_A, lora_B), the original names (lora_down, lora_up), kohya's (lora_unet_…), with .alpha of any type,
/// whole differences of weights (.diff), of biases (.diff_b) and of modulation tables (.diff_m).
///
/// weight += strength · (alpha / rank) · up · down, + strength · diff; bias += strength · diff_b.
class LoraAdapter : public WeightPatch {
  public:
    /// Finds for every key of the file the tensor of `target` that it changes. Throws Error{Input} for a file
    /// that is damaged, whose shapes do not fit the target's, or none of whose keys fits.
    static std::shared_ptr<const LoraAdapter> open(const std::filesystem::path& file,
                                                   const Checkpoint& target, double strength,
                                                   LoraScope scope = LoraScope::Everything);

    [[nodiscard]] bool touches(std::string_view name) const override { return m_changes.contains(name); }
    [[nodiscard]] std::string identity() const override;
    void addTo(std::string_view name, const RowsPlace& place, Tensor& rows) const override;

    [[nodiscard]] const std::filesystem::path& path() const { return m_file.path(); }
    [[nodiscard]] double strength() const { return m_strength; }

    /// Tensors of the target that it changes.
    [[nodiscard]] std::size_t changedTensors() const { return m_changes.size(); }

    /// Their names, sorted.
    [[nodiscard]] std::vector<std::string> changedNames() const;

    /// Keys of the file that fit nothing, sorted.
    [[nodiscard]] const std::vector<std::string>& unmatchedKeys() const { return m_unmatched; }

    /// strength · alpha / rank of the low-rank pairs, smallest and largest; nothing when there are none.
    struct ScaleRange {
        double least = 0.0;
        double most = 0.0;
    };
    [[nodiscard]] std::optional<ScaleRange> effectiveScale() const;

    /// "FILE: changes 300 tensors, effective scale 0.5; 2 keys fit nothing".
    [[nodiscard]] Sentence text() const;

  private:
    /// Something that is added to one tensor: a product of two tensors of the file, or one of them.
    struct Change {
        const FileTensor* up = nullptr;    ///< [out, rank, …]; of a difference nullptr
        const FileTensor* down = nullptr;  ///< [rank, …], or the difference
        double scale = 1.0;
        std::int64_t firstRow = 0;  ///< of `up` or of the difference, where the target is a part of it
    };
    friend class LoraReader;
    void addDifference(const Change& change, const RowsPlace& place, Tensor& rows) const;
    void addProduct(const Change& change, const RowsPlace& place, Tensor& rows) const;

    LoraAdapter(TensorFile file, double strength, LoraScope scope)
        : m_file(std::move(file)), m_strength(strength), m_scope(scope) {}

    TensorFile m_file;
    double m_strength;
    LoraScope m_scope;
    std::map<std::string, std::vector<Change>, std::less<>> m_changes;
    std::vector<std::string> m_unmatched;
};

}  // namespace meshreel
