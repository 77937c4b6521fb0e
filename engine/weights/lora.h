// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/adapter_change.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/peft_config.h"

namespace meshreel {

/// What of an adapter is applied.
enum class LoraScope : std::uint8_t {
    Everything,
    LowRankLayers,  ///< as diffusers does: layers with a low-rank pair, without norms and differences of
                    ///< convolutions
};

/// The transformer that an adapter is opened for.
struct LoraExpert {
    int number = 1;         ///< see transformerName()
    bool oneOfTwo = false;  ///< the model has two
};

/// Returns the transformers that the keys of a file name by "transformer." and "transformer_2." in front;
/// none when no key names the second: then all are meant. Throws Error{Input} for a file that cannot be read.
std::vector<int> namedExperts(const std::filesystem::path& file);

/// An adapter for a transformer, in any of the spellings that people's files have: PEFT and diffusers
/// (lora_A, lora_B), the original names (lora_down, lora_up), kohya's (lora_unet_…), LyCORIS's (hada_w1_a,
/// lokr_w1), with .alpha of any type, whole differences of weights (.diff), of biases (.diff_b) and of
/// modulation tables (.diff_m).
///
/// weight += strength · scale · difference, + strength · diff; bias += strength · diff_b, + strength · scale
/// · the bias of up. The difference is up · down (LoRA), (w1_a · w1_b) ⊙ (w2_a · w2_b) (LoHa) or w1 ⊗ w2
/// (LoKr). The scale is alpha / rank, where alpha stands in the file; otherwise what PEFT's description says
/// (adapter_config.json beside the file, or its metadata); otherwise 1. It is 1 too for LyCORIS's LoKr
/// without any product of two. With magnitudes (DoRA), see AdapterChange.
class LoraAdapter : public WeightPatch {
  public:
    /// Finds for every key of the file the tensor of `target` that it changes. Lists keys without one, and
    /// those whose shapes do not fit it. Throws Error{Input} for a file that is damaged, that matches nothing
    /// (naming the family of models that it was made for, if its keys show it), or whose description asks for
    /// more than Meshreel applies.
    static std::shared_ptr<const LoraAdapter> open(const std::filesystem::path& file,
                                                   const Checkpoint& target, double strength,
                                                   LoraScope scope = LoraScope::Everything,
                                                   LoraExpert expert = {});

    [[nodiscard]] bool touches(std::string_view name) const override { return m_changes.contains(name); }
    [[nodiscard]] std::string identity() const override;
    void addTo(std::string_view name, const RowsPlace& place, const RowsBefore& before,
               Tensor& rows) const override;

    [[nodiscard]] const std::filesystem::path& path() const { return m_file.path(); }
    [[nodiscard]] double strength() const { return m_strength; }
    /// What the file says beside its tensors.
    [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return m_file.metadata(); }

    /// "LoRA", "LoHa", "LoKr", "DoRA"; several when the file mixes them; empty when it holds only whole
    /// differences.
    [[nodiscard]] std::vector<std::string_view> kinds() const;

    /// Tensors of the target that it changes.
    [[nodiscard]] std::size_t changedTensors() const { return m_changes.size(); }

    /// Their names, sorted.
    [[nodiscard]] std::vector<std::string> changedNames() const;

    /// Returns the keys of the file that fit nothing, sorted.
    [[nodiscard]] const std::vector<std::string>& unmatchedKeys() const { return m_unmatched; }

    /// strength · scale of what has factors, smallest and largest; nothing when there are none.
    struct ScaleRange {
        double least = 0.0;
        double most = 0.0;
    };
    [[nodiscard]] std::optional<ScaleRange> effectiveScale() const;

    /// Returns the tensors that those change, by strength · scale.
    [[nodiscard]] std::map<double, std::vector<std::string>> namesByScale() const;

    /// Returns PEFT's description that the scales come from; nullptr without one.
    [[nodiscard]] const PeftConfig* description() const { return m_description ? &*m_description : nullptr; }

    /// Returns the adapter_config.json of that description; empty when it is in the file.
    [[nodiscard]] const std::filesystem::path& descriptionFile() const { return m_descriptionFile; }

    /// Returns what was found in or beside the file and is not applied.
    [[nodiscard]] const std::vector<Sentence>& warnings() const { return m_warnings; }

    /// "FILE: changes 300 tensors, effective scale 0.5; 2 keys fit nothing".
    [[nodiscard]] Sentence text() const;

  private:
    friend class LoraReader;

    /// Computed once for each change with magnitudes.
    [[nodiscard]] const std::vector<float>& findFactors(const AdapterChange& change,
                                                        const RowsBefore& before) const;

    LoraAdapter(TensorFile file, double strength, LoraScope scope)
        : m_file(std::move(file)), m_strength(strength), m_scope(scope) {}

    TensorFile m_file;
    double m_strength;
    LoraScope m_scope;
    std::map<std::string, std::vector<AdapterChange>, std::less<>> m_changes;
    std::vector<std::string> m_unmatched;
    std::optional<PeftConfig> m_description;
    std::filesystem::path m_descriptionFile;
    std::vector<Sentence> m_warnings;
    mutable std::mutex m_factorsMutex;
    mutable std::map<const AdapterChange*, std::vector<float>> m_factors;  // guarded by m_factorsMutex
};

}  // namespace meshreel
