// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/strings.h"

namespace meshreel {

class TensorFile;

/// PEFT's description of a LoRA, LoHa or LoKr: adapter_config.json, or the same as JSON in a safetensors
/// file's metadata
/// (`lora_adapter_metadata`, where diffusers puts the name of the model's part in front of every key).
class PeftConfig {
  public:
    static constexpr std::string_view fileName = "adapter_config.json";

    /// Parses the description; `where` is for messages. Throws Error{Input} for anything else, and for an
    /// adapter that Meshreel cannot apply: PiSSA, replicated layers, …
    static PeftConfig parse(const std::string& json, const std::string& where);

    /// Returns the description for `part` ("transformer" or "transformer_2") from the metadata of the file;
    /// nothing without one. Throws as parse() does.
    static std::optional<PeftConfig> inMetadata(const TensorFile& file, const std::string& part);

    /// Returns lora_alpha / rank of a module, or lora_alpha / sqrt(rank) with use_rslora; patterns select by
    /// the module's name as PEFT matches them: the first whose regular expression fits the end of the name
    /// from a dot on. `rank` is that of the module's tensors, absent if they do not show it: then r is taken.
    /// Throws Error{Input} when r differs.
    [[nodiscard]] double scale(const std::string& module, std::optional<std::int64_t> rank) const;

    /// Throws Error{Input} when PEFT would replace the model's tensors with tensors of these names: whole
    /// modules (modules_to_save) and biases.
    void refuseReplacements(const std::vector<std::string>& tensorsWithoutLora) const;

    [[nodiscard]] const std::string& where() const { return m_where; }

    /// "lora_alpha 32, r 16, use_rslora".
    [[nodiscard]] const std::string& summary() const { return m_summary; }

    /// Returns whether the adapter was trained as DoRA, whose magnitudes are tensors of their own.
    [[nodiscard]] bool usesDora() const { return m_dora; }

    /// Returns the keys with a value that has no effect here, sorted.
    [[nodiscard]] const std::vector<std::string>& unknownKeys() const { return m_unknownKeys; }

    /// Returns all that the scales follow from, for keys of caches.
    [[nodiscard]] const std::string& identity() const { return m_identity; }

  private:
    /// A key of rank_pattern or alpha_pattern with its number.
    struct Pattern {
        std::variant<std::string, RegularExpression> key;  ///< a text in which a dot stands for any character
        double value = 0;

        [[nodiscard]] bool fits(const std::string& module) const;
    };
    friend class PeftReader;

    static double valueFor(const std::string& module, const std::vector<Pattern>& patterns, double otherwise);

    std::string m_where;
    std::string m_summary;
    std::string m_identity;
    std::optional<double> m_rank;
    double m_alpha = 8;  ///< PEFT's own default
    bool m_rsLora = false;
    bool m_dora = false;
    std::vector<Pattern> m_rankPatterns;
    std::vector<Pattern> m_alphaPatterns;
    std::vector<std::string> m_savedModules;
    bool m_savesBiases = false;
    std::vector<std::string> m_unknownKeys;
};

}  // namespace meshreel
