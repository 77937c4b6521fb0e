// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/tensor/tensor.h"
#include "engine/verification/golden_comparison.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {

/// The files of one golden case.
class GoldenFiles {
  public:
    /// Reads case.json. Throws Error{Input} when it is missing or broken.
    explicit GoldenFiles(std::filesystem::path folder);

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    [[nodiscard]] const std::string& kind() const { return m_kind; }
    /// Empty where case.json has null.
    [[nodiscard]] const std::string& className() const { return m_className; }
    [[nodiscard]] const nlohmann::json& description() const { return m_description; }

    /// A number of case.json's `tolerance`. Throws Error{Input} when it is missing.
    [[nodiscard]] double tolerance(const char* key) const;

    /// Throws Error{Project} unless the class is `expected`.
    void requireClass(std::string_view expected) const;
    /// The same unless it is one of these.
    void requireClass(std::initializer_list<std::string_view> expected) const;

    /// `tolerance.abs` and `tolerance.rel`.
    [[nodiscard]] GoldenTolerance outputTolerance() const { return {tolerance("abs"), tolerance("rel")}; }

    /// The path of a file of the case, for messages.
    [[nodiscard]] std::string place(std::string_view name) const { return (m_folder / name).string(); }
    /// A JSON file beside case.json.
    [[nodiscard]] nlohmann::json json(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const;
    /// README.md; empty when there is none.
    [[nodiscard]] std::string readme() const;

    /// Inputs and outputs: io.safetensors.
    [[nodiscard]] SafetensorsFile tensors() const;
    /// The weights of a case of one model: weights.safetensors, whole or sharded, or a file of the names that
    /// diffusers gives.
    [[nodiscard]] Checkpoint weights() const;

  private:
    std::filesystem::path m_folder;
    nlohmann::json m_description;
    std::string m_kind;
    std::string m_className;
};

/// Throws Error{Project} of a case that Meshreel cannot run yet; `problem` says so.
[[noreturn]] void refuseCase(const GoldenFiles& files, Sentence problem);

/// "X.NAME", or NAME of a variant without a name.
std::string variantName(const std::string& variant, const std::string& name);

/// Model cases name inputs "X.in.*", or "in.*" where there is one variant; everything else is an output.
bool isModelOutput(const std::string& name);

/// The distinct X of tensors named "X.in.*", in order: a case's variants. Empty: that of "in.*".
std::vector<std::string> goldenVariants(const SafetensorsFile& tensors);

/// Throws Error{Project} when a variant has an input that is not in `known`: such a case tests what Meshreel
/// cannot do yet.
void requireKnownInputs(const GoldenFiles& files, const SafetensorsFile& tensors, const std::string& variant,
                        std::initializer_list<std::string_view> known);

}  // namespace meshreel
