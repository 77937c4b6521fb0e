// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/execution.h"
#include "engine/models/probe.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {

/// One output of a golden case, compared with what Meshreel computes.
struct GoldenRow {
    std::string output;
    double maxAbsError = 0.0;  ///< NaN when there was nothing to compare
    double allowed = 0.0;
    bool passed = false;
    bool informational = false;  ///< shown, but does not decide
    std::string note{};          ///< what the numbers do not say; may be empty
};

struct GoldenReport {
    std::filesystem::path folder;
    std::string kind;
    std::string className;  ///< upstream's class name; may be empty
    std::vector<GoldenRow> rows;

    /// Returns whether every row that decides passed, and there is at least one.
    [[nodiscard]] bool passed() const;
};

/// Returns the report as a table, one line an output, then the verdict.
std::string formatReport(const GoldenReport& report);

/// Runs the case in `folder` (case.json, and io.safetensors, weights or a diffusers repository as its kind
/// needs) and compares every output of every variant that it holds. An output that Meshreel did not compute
/// fails. Throws Error{Project} for a kind or class that Meshreel does not know yet and Error{Input} for a
/// missing or broken case.
GoldenReport verifyCase(const Execution& execution, const std::filesystem::path& folder);

/// An output passes when max|ours - golden| <= abs + rel * max|golden|.
struct GoldenTolerance {
    double abs = 0.0;
    double rel = 0.0;
};

inline constexpr GoldenTolerance exactly{0.0, 0.0};

/// Collects one row per output of a case, and knows which outputs nobody has compared yet.
class GoldenComparison {
  public:
    /// Outputs of cases without tensors are added row by row.
    GoldenComparison() = default;
    /// Every tensor of the file that `isOutput` accepts must be compared. Those ending in "_f64" are for
    /// information: they are shown beside the output they belong to.
    GoldenComparison(SafetensorsFile golden, const std::function<bool(const std::string& name)>& isOutput);

    [[nodiscard]] const SafetensorsFile& golden() const { return *m_golden; }
    /// Returns whether the case holds this output.
    [[nodiscard]] bool wants(const std::string& output) const { return m_outputs.contains(output); }
    [[nodiscard]] const std::set<std::string>& outputs() const { return m_outputs; }

    /// Compares when the case holds the output; does nothing otherwise. Any two numeric types compare; shapes
    /// must be equal. Where upstream made no finite number, anything will do.
    void compare(const std::string& output, const Tensor& ours, GoldenTolerance tolerance);
    /// Compares by broadcasting after the first `commonAxes` axes, which must be equal: there an axis that
    /// one of the two lacks, or has with extent 1, matches every entry of the other's.
    void compareBroadcast(const std::string& output, const Tensor& ours, std::size_t commonAxes,
                          GoldenTolerance tolerance);
    /// Compares unless a probe has compared the output already.
    void compareOnce(const std::string& output, const Tensor& ours, GoldenTolerance tolerance);
    /// Shows the distance to a tensor of the case that is there for information.
    void inform(const std::string& name, const Tensor& ours, GoldenTolerance tolerance);
    /// Compares under another label, for an output computed a second way.
    void compareAgain(const std::string& output, const std::string& label, const Tensor& ours,
                      GoldenTolerance tolerance);
    /// u8 frames: no byte off by more than `maxLevel`, at most `differingFraction` of them off at all.
    void compareFrames(const std::string& output, const Tensor& ours, double maxLevel,
                       double differingFraction);
    /// Fails an output that could not be computed.
    void fail(const std::string& output, const std::string& why);
    void add(GoldenRow row) { m_rows.push_back(std::move(row)); }

    /// Returns a probe that compares what it is given as "VARIANT.NAME".
    [[nodiscard]] Probe probe(const std::string& variant, GoldenTolerance tolerance);

    /// Returns all rows, those of outputs that were never compared ("not produced") last.
    [[nodiscard]] std::vector<GoldenRow> finish();

  private:
    [[nodiscard]] GoldenRow rowOf(const std::string& output, const Tensor& ours,
                                  GoldenTolerance tolerance) const;
    [[nodiscard]] static GoldenRow compared(const std::string& output, const Tensor& ours,
                                            const Tensor& golden, GoldenTolerance tolerance);

    std::optional<SafetensorsFile> m_golden;
    std::set<std::string> m_outputs;
    std::set<std::string> m_pending;
    std::vector<GoldenRow> m_rows;
};

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

    /// Returns a number of case.json's `tolerance`. Throws Error{Input} when it is missing.
    [[nodiscard]] double tolerance(const char* key) const;

    /// Throws Error{Project} unless the class is `expected`.
    void requireClass(std::string_view expected) const;
    /// Throws Error{Project} unless the class is one of these.
    void requireClass(std::initializer_list<std::string_view> expected) const;

    /// `tolerance.abs` and `tolerance.rel`.
    [[nodiscard]] GoldenTolerance outputTolerance() const { return {tolerance("abs"), tolerance("rel")}; }

    /// Returns the path of a file of the case, for messages.
    [[nodiscard]] std::string place(std::string_view name) const { return (m_folder / name).string(); }
    /// Returns a JSON file beside case.json.
    [[nodiscard]] nlohmann::json json(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const;
    /// README.md; empty when there is none.
    [[nodiscard]] std::string readme() const;

    /// Inputs and outputs: io.safetensors.
    [[nodiscard]] SafetensorsFile tensors() const;
    /// Returns the weights of a case of one model: weights.safetensors, whole or sharded, or a file with
    /// diffusers' names.
    [[nodiscard]] Checkpoint weights() const;

  private:
    std::filesystem::path m_folder;
    nlohmann::json m_description;
    std::string m_kind;
    std::string m_className;
};

/// Throws Error{Project} for a case that Meshreel cannot run yet; `problem` says why.
[[noreturn]] void refuseCase(const GoldenFiles& files, Sentence problem);

/// "X.NAME", or NAME of a variant without a name.
std::string variantName(const std::string& variant, const std::string& name);

/// Model cases name inputs "X.in.*", or "in.*" with one variant; everything else is an output.
bool isModelOutput(const std::string& name);

/// Returns the distinct X of tensors named "X.in.*", in order: a case's variants. Empty: that of "in.*".
std::vector<std::string> goldenVariants(const SafetensorsFile& tensors);

/// Throws Error{Project} when a variant has an input that is not in `known`: such a case tests what Meshreel
/// cannot do yet.
void requireKnownInputs(const GoldenFiles& files, const SafetensorsFile& tensors, const std::string& variant,
                        std::initializer_list<std::string_view> known);

/// Returns a vector of these values.
template <typename T>
Tensor vectorTensor(std::span<const T> values) {
    return Tensor::from({static_cast<std::int64_t>(values.size())},
                        std::vector<T>(values.begin(), values.end()));
}

}  // namespace meshreel
