// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/golden_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/weights/formats/json_file.h"

namespace meshreel {
namespace {

constexpr std::string_view inputMark = ".in.";

/// Where "X.in." or, of a case of one variant without a name, "in." ends; npos: this is no input.
std::size_t endOfInputMark(const std::string& name) {
    constexpr std::size_t separator = 1;
    if (name.starts_with(inputMark.substr(separator)))
        return inputMark.size() - separator;
    const std::size_t mark = name.find(inputMark);
    return mark == std::string::npos ? mark : mark + inputMark.size();
}

/// X, or nothing of a variant without a name.
std::string variantOf(const std::string& name, std::size_t end) {
    return end < inputMark.size() ? std::string() : name.substr(0, end - inputMark.size());
}

std::string textOr(const nlohmann::json& object, const char* key, const std::string& where) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null())
        return {};
    if (!found->is_string())
        throw Error(ErrorKind::Input, sentence("`{}` is {}, not a text", key, found->dump()), where,
                    sentence("Restore the golden case"));
    return found->get<std::string>();
}

}  // namespace

GoldenFiles::GoldenFiles(std::filesystem::path folder) : m_folder(std::move(folder)) {
    const std::filesystem::path file = m_folder / "case.json";
    if (!std::filesystem::is_regular_file(file))
        throw Error(ErrorKind::Input, sentence("This is no golden case: it has no case.json"),
                    m_folder.string(), sentence("Give the folder of a case"));
    m_description = readJsonObject(file);
    m_kind = textOr(m_description, "kind", file.string());
    m_className = textOr(m_description, "class", file.string());
    if (m_kind.empty())
        throw Error(ErrorKind::Input, sentence("The case has no `kind`"), file.string(),
                    sentence("Restore the golden case"));
}

double GoldenFiles::tolerance(const char* key) const {
    const auto all = m_description.find("tolerance");
    if (all != m_description.end() && all->is_object()) {
        const auto found = all->find(key);
        if (found != all->end() && found->is_number())
            return found->get<double>();
    }
    throw Error(ErrorKind::Input, sentence("The case has no number `tolerance.{}`", key),
                (m_folder / "case.json").string(), sentence("Restore the golden case"));
}

void GoldenFiles::requireClass(std::string_view expected) const {
    requireClass({expected});
}

void GoldenFiles::requireClass(std::initializer_list<std::string_view> expected) const {
    if (std::ranges::find(expected, m_className) != expected.end())
        return;
    const Sentence shown = m_className.empty() ? sentence("(none)") : Sentence(m_className);
    throw Error(ErrorKind::Project,
                sentence("Cases of the class {} are not known yet; kind {} is checked for {}", shown, m_kind,
                         fmt::to_string(fmt::join(expected, ", "))),
                m_folder.string(), sentence("Verify it with a newer Meshreel"));
}

nlohmann::json GoldenFiles::json(std::string_view name) const {
    return readJsonObject(m_folder / name);
}

bool GoldenFiles::has(std::string_view name) const {
    return std::filesystem::exists(m_folder / name);
}

std::string GoldenFiles::readme() const {
    return has("README.md") ? readFile(m_folder / "README.md") : std::string();
}

SafetensorsFile GoldenFiles::tensors() const {
    return SafetensorsFile::open(m_folder / "io.safetensors");
}

Checkpoint GoldenFiles::weights() const {
    for (const std::string_view name : {"weights.safetensors", "weights.safetensors.index.json"})
        if (has(name))
            return Checkpoint::open(m_folder / name);
    return Checkpoint::open(m_folder);
}

void refuseCase(const GoldenFiles& files, Sentence problem) {
    throw Error(ErrorKind::Project, std::move(problem), files.folder().string(),
                sentence("Verify it with a newer Meshreel"));
}

bool isModelOutput(const std::string& name) {
    return endOfInputMark(name) == std::string::npos;
}

std::string variantName(const std::string& variant, const std::string& name) {
    return variant.empty() ? name : variant + "." + name;
}

std::vector<std::string> goldenVariants(const SafetensorsFile& tensors) {
    std::vector<std::string> variants;
    for (const std::string& name : tensors.names()) {
        const std::size_t end = endOfInputMark(name);
        if (end == std::string::npos)
            continue;
        const std::string variant = variantOf(name, end);
        if (std::ranges::find(variants, variant) == variants.end())
            variants.push_back(variant);
    }
    return variants;
}

void requireKnownInputs(const GoldenFiles& files, const SafetensorsFile& tensors, const std::string& variant,
                        std::initializer_list<std::string_view> known) {
    const std::string prefix = variantName(variant, "in.");
    for (const std::string& name : tensors.names())
        if (name.starts_with(prefix) && std::ranges::find(known, name.substr(prefix.size())) == known.end())
            refuseCase(files,
                       sentence("The case gives the model the input `{}`, which Meshreel cannot run yet",
                                name.substr(prefix.size())));
}

}  // namespace meshreel
