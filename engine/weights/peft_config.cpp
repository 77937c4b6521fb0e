// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/peft_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/strings.h"
#include "engine/weights/cache/fingerprint.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* diffusersMetadataKey = "lora_adapter_metadata";
constexpr std::size_t longestPattern = 1000;
constexpr std::size_t mostPatterns = 10000;

/// Keys that decide nothing about the sum, or whose tensors show by themselves.
constexpr std::array<std::string_view, 32> recordedKeys{"auto_mapping",
                                                        "base_model_name_or_path",
                                                        "corda_config",
                                                        "ensure_weight_tying",
                                                        "eva_config",
                                                        "exclude_modules",
                                                        "inference_mode",
                                                        "layers_pattern",
                                                        "layers_to_transform",
                                                        "loftq_config",
                                                        "lora_bias",
                                                        "lora_dropout",
                                                        "lora_ga_config",
                                                        "megatron_config",
                                                        "megatron_core",
                                                        "peft_version",
                                                        "qalora_group_size",
                                                        "revision",
                                                        "runtime_config",
                                                        "target_modules",
                                                        "target_parameters",
                                                        "task_type",
                                                        "trainable_token_indices",
                                                        "arrow_config",
                                                        "init_lora_weights",
                                                        "init_weights",
                                                        "rank_dropout",
                                                        "rank_dropout_scale",
                                                        "module_dropout",
                                                        "use_effective_conv2d",
                                                        "decompose_both",
                                                        "decompose_factor"};

/// Keys that PeftReader reads.
constexpr std::array<std::string_view, 10> readKeys{
    "r",    "lora_alpha", "alpha",   "use_rslora", "rank_pattern", "alpha_pattern", "modules_to_save",
    "bias", "peft_type",  "use_dora"};

/// Types of adapters, and how each spells its alpha.
struct PeftType {
    std::string_view name;
    const char* alphaKey;
};
constexpr std::array peftTypes{PeftType{"LORA", "lora_alpha"}, PeftType{"LOHA", "alpha"},
                               PeftType{"LOKR", "alpha"}};

/// Keys that, when they have a value, make something else than what Meshreel applies.
struct OtherMethod {
    std::string_view key;
    std::string_view name;
};
constexpr std::array otherMethods{
    OtherMethod{"use_qalora", "QALoRA"},
    OtherMethod{"use_bdlora", "BD-LoRA"},
    OtherMethod{"alora_invocation_tokens", "aLoRA"},
    OtherMethod{"layer_replication", "an adapter with replicated layers"},
};

/// Ways to begin a training that change the model's own weights, so that the sum needs those.
constexpr std::array<std::string_view, 5> changingStarts{"pissa", "olora", "corda", "loftq", "lora_ga"};

bool isListed(std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

/// Whether a key has no value, as PEFT writes it.
bool isUnset(const Json& value) {
    return value.is_null() || value == false || value == 0 || value == "" ||
           ((value.is_object() || value.is_array()) && value.empty());
}

bool isLiteral(std::string_view pattern) {
    return pattern.find_first_of("\\^$*+?{}[]|()") == std::string_view::npos;
}

/// Whether `module` ends with a pattern without any other special character than the dot, from a dot on.
bool endsWithLiteral(std::string_view module, std::string_view pattern) {
    if (pattern.size() > module.size())
        return false;
    const std::string_view end = module.substr(module.size() - pattern.size());
    const bool atDot = end.size() == module.size() || module[module.size() - end.size() - 1] == '.';
    return atDot && std::ranges::equal(end, pattern,
                                       [](char own, char wanted) { return own == wanted || wanted == '.'; });
}

/// Keys of `part` without its name in front, and those without any name.
Json withoutPart(const Json& all, const std::string& part) {
    Json own = Json::object();
    const std::string prefix = part + ".";
    for (const auto& [key, value] : all.items())
        if (key.starts_with(prefix))
            own[key.substr(prefix.size())] = value;
        else if (key.find('.') == std::string::npos && !own.contains(key))
            own[key] = value;
    return own;
}

}  // namespace

/// Reads a description into a config.
class PeftReader {
  public:
    PeftReader(PeftConfig& config, const Json& json) : m_config(config), m_json(json) {}

    void read() {
        const PeftType& type = readType();
        refuseOtherMethods();
        if (const Json* rank = find("r"))
            m_config.m_rank = positive("r", *rank);
        if (const Json* alpha = find(type.alphaKey))
            m_config.m_alpha = number(type.alphaKey, *alpha);
        m_config.m_rsLora = flag("use_rslora");
        m_config.m_dora = flag("use_dora");
        m_config.m_rankPatterns = patterns("rank_pattern");
        m_config.m_alphaPatterns = patterns("alpha_pattern");
        readReplacements();
        for (const auto& [key, value] : m_json.items())
            if (!isUnset(value) && !isListed(key, recordedKeys) && !isListed(key, readKeys))
                m_config.m_unknownKeys.push_back(key);
        std::ranges::sort(m_config.m_unknownKeys);
        m_config.m_summary = summary(type);
    }

  private:
    [[noreturn]] void refuse(const Sentence& message, const Sentence& hint) const {
        throw Error(ErrorKind::Input, message, m_config.m_where, hint);
    }

    [[noreturn]] void refuseValue(std::string_view key) const {
        refuse(sentence("{} has a value that PEFT does not write", key), sentence("Get the adapter again"));
    }

    /// Null for a key without a value.
    [[nodiscard]] const Json* find(std::string_view key) const {
        const auto found = m_json.find(std::string(key));
        return found == m_json.end() || found->is_null() ? nullptr : &*found;
    }

    [[nodiscard]] double number(std::string_view key, const Json& value) const {
        if (!value.is_number() || !std::isfinite(value.get<double>()))
            refuseValue(key);
        return value.get<double>();
    }

    [[nodiscard]] double positive(std::string_view key, const Json& value) const {
        const double found = number(key, value);
        if (found <= 0)
            refuseValue(key);
        return found;
    }

    [[nodiscard]] bool flag(std::string_view key) const {
        const Json* value = find(key);
        if (value != nullptr && !value->is_boolean())
            refuseValue(key);
        return value != nullptr && value->get<bool>();
    }

    [[nodiscard]] static Sentence plainLora() {
        return sentence("Use a plain LoRA, or one that its trainer merged into a model");
    }

    [[nodiscard]] const PeftType& readType() const {
        const Json* type = find("peft_type");
        if (type == nullptr)
            return peftTypes.front();
        const auto* const known =
            std::ranges::find_if(peftTypes, [&](const PeftType& row) { return *type == row.name; });
        if (known == peftTypes.end())
            refuse(sentence("this is a {} adapter, which Meshreel does not apply",
                            type->is_string() ? excerpt(type->get<std::string>()) : type->dump()),
                   plainLora());
        return *known;
    }

    void refuseOtherMethods() const {
        for (const OtherMethod& method : otherMethods)
            if (const Json* value = find(method.key); value != nullptr && !isUnset(*value))
                refuse(sentence("this is {} ({}), which Meshreel does not apply", method.name, method.key),
                       plainLora());
        const Json* start = find("init_lora_weights");
        if (start == nullptr || !start->is_string())
            return;
        const auto name = start->get<std::string>();
        if (std::ranges::any_of(changingStarts, [&](std::string_view row) { return name.starts_with(row); }))
            refuse(
                sentence("it was trained from {} (init_lora_weights), which changes the model's own weights",
                         excerpt(name)),
                sentence("Have it saved as a plain LoRA: PEFT converts it with "
                         "path_initial_model_for_weight_conversion"));
    }

    [[nodiscard]] std::vector<PeftConfig::Pattern> patterns(std::string_view key) const {
        std::vector<PeftConfig::Pattern> found;
        const Json* all = find(key);
        if (all == nullptr)
            return found;
        if (!all->is_object() || all->size() > mostPatterns)
            refuseValue(key);
        for (const auto& [pattern, value] : all->items()) {
            const double wanted = key == "rank_pattern" ? positive(key, value) : number(key, value);
            found.push_back({.key = keyOf(key, pattern), .value = wanted});
        }
        return found;
    }

    [[nodiscard]] std::variant<std::string, RegularExpression> keyOf(std::string_view key,
                                                                     const std::string& pattern) const {
        if (isLiteral(pattern))
            return pattern;
        try {
            if (pattern.size() <= longestPattern)
                return RegularExpression("(?:.*\\.)?(?:" + pattern + ")",
                                         RegularExpression::Author::Stranger);
        } catch (const std::invalid_argument&) {
        }
        refuse(
            sentence("{} holds \"{}\", which cannot be read as a regular expression", key, excerpt(pattern)),
            sentence("Name the modules one by one in {}", key));
    }

    void readReplacements() {
        if (const Json* modules = find("modules_to_save")) {
            if (!modules->is_array())
                refuseValue("modules_to_save");
            for (const Json& module : *modules) {
                if (!module.is_string())
                    refuseValue("modules_to_save");
                m_config.m_savedModules.push_back(module.get<std::string>());
            }
        }
        const Json* bias = find("bias");
        m_config.m_savesBiases = bias != nullptr && *bias != "none";
    }

    [[nodiscard]] std::string summary(const PeftType& type) const {
        std::string text = fmt::format("{} {:g}", type.alphaKey, m_config.m_alpha);
        if (m_config.m_rank)
            text += fmt::format(", r {:g}", *m_config.m_rank);
        if (m_config.m_rsLora)
            text += ", use_rslora";
        if (!m_config.m_rankPatterns.empty())
            text += ", rank_pattern";
        if (!m_config.m_alphaPatterns.empty())
            text += ", alpha_pattern";
        return text;
    }

    PeftConfig& m_config;
    const Json& m_json;
};

PeftConfig PeftConfig::parse(const std::string& text, const std::string& where) {
    static_cast<void>(parseJsonObject(text, where));  // with its rules for depth and double keys
    PeftConfig config;
    config.m_where = where;
    config.m_identity = nameHash(text);
    PeftReader(config, Json::parse(text)).read();  // the order of patterns counts
    return config;
}

std::optional<PeftConfig> PeftConfig::inMetadata(const TensorFile& file, const std::string& part) {
    const auto found = file.metadata().find(diffusersMetadataKey);
    if (found == file.metadata().end())
        return std::nullopt;
    const std::string where = fmt::format("{}, {}", file.path().string(), diffusersMetadataKey);
    static_cast<void>(parseJsonObject(found->second, where));
    const Json own = withoutPart(Json::parse(found->second), part);
    constexpr std::array<std::string_view, 5> scaling{"r", "lora_alpha", "use_rslora", "rank_pattern",
                                                      "alpha_pattern"};
    if (std::ranges::none_of(scaling, [&](std::string_view key) { return own.contains(key); }))
        return std::nullopt;
    return parse(own.dump(), where);
}

bool PeftConfig::Pattern::fits(const std::string& module) const {
    if (const auto* literal = std::get_if<std::string>(&key))
        return endsWithLiteral(module, *literal);
    return std::get<RegularExpression>(key).match(module).has_value();
}

double PeftConfig::valueFor(const std::string& module, const std::vector<Pattern>& patterns,
                            double otherwise) {
    const auto found =
        std::ranges::find_if(patterns, [&](const Pattern& pattern) { return pattern.fits(module); });
    return found == patterns.end() ? otherwise : found->value;
}

double PeftConfig::scale(const std::string& module, std::optional<std::int64_t> rank) const {
    const double said =
        valueFor(module, m_rankPatterns, m_rank.value_or(static_cast<double>(rank.value_or(0))));
    const double own = rank ? static_cast<double>(*rank) : said;
    if (own == 0)
        return 1.0;
    if (said != own)
        throw Error(ErrorKind::Input,
                    sentence("it says rank {:g} for {}, whose tensors have rank {}", said, module, *rank),
                    m_where, sentence("Use the description that belongs to the adapter's file"));
    const double alpha = valueFor(module, m_alphaPatterns, m_alpha);
    return alpha / (m_rsLora ? std::sqrt(own) : own);
}

void PeftConfig::refuseReplacements(const std::vector<std::string>& tensors) const {
    const auto refuse = [&](const std::string& tensor, std::string_view key) {
        throw Error(
            ErrorKind::Input,
            sentence("the adapter replaces {} of the model ({}), which Meshreel does not do", tensor, key),
            m_where, sentence("Use an adapter without it, or one that its trainer merged into a model"));
    };
    for (const std::string& tensor : tensors) {
        for (const std::string& module : m_savedModules)
            if (tensor.starts_with(module + ".") || tensor.find("." + module + ".") != std::string::npos)
                refuse(tensor, "modules_to_save");
        if (m_savesBiases && tensor.ends_with(".bias"))
            refuse(tensor, "bias");
    }
}

}  // namespace meshreel
