// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/models/probe.h"
#include "engine/tensor/tensor.h"
#include "engine/verification/golden_report.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {

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
    /// Whether the case holds this output.
    [[nodiscard]] bool wants(const std::string& output) const { return m_outputs.contains(output); }
    [[nodiscard]] const std::set<std::string>& outputs() const { return m_outputs; }

    /// Compares when the case holds the output; does nothing otherwise. Any two numeric types compare; shapes
    /// must be equal. Where upstream made no
    /// finite number, anything will do.
    void compare(const std::string& output, const Tensor& ours, GoldenTolerance tolerance);
    /// The same by broadcasting behind the first `commonAxes` axes, which must be equal: there an axis that
    /// one of the two lacks, or has with extent 1, stands for every entry of the other's.
    void compareBroadcast(const std::string& output, const Tensor& ours, std::size_t commonAxes,
                          GoldenTolerance tolerance);
    /// The same, unless a probe has compared the output already.
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

    /// A probe that compares what it is given as "VARIANT.NAME".
    [[nodiscard]] Probe probe(const std::string& variant, GoldenTolerance tolerance);

    /// All rows, those of outputs that were never compared ("not produced") last.
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

}  // namespace meshreel
