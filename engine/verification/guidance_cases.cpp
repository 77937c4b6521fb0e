// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/guidance_cases.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/kernels/rows/attention_guidance.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

/// Returns rows [rows, width], each times a factor of its own.
Tensor rowsTimes(const Tensor& rows, const Tensor& factors) {
    Tensor scaled = rows.clone();
    for (std::int64_t row = 0; row < scaled.extent(0); ++row)
        for (float& value : scaled.slice(row, row + 1).data<float>())
            value *= factors.data<float>()[static_cast<std::size_t>(row)];
    return scaled;
}

}  // namespace

void verifyAttentionGuidance(const Execution& execution, const GoldenFiles& files,
                             GoldenComparison& comparison) {
    files.requireClass("normalized_attention_guidance");
    // `ratio`, `limited` and `row_factor` say what the rows are for.
    comparison = GoldenComparison(files.tensors(), [](const std::string& name) {
        return name.ends_with(".out") || name.ends_with(".out_times_factor");
    });
    const SafetensorsFile& golden = comparison.golden();
    for (const std::string& variant : goldenVariants(golden)) {
        const Tensor rows = golden.get(variant + ".in.z_pos").clone();
        const Tensor values = golden.get(variant + ".in.scale_tau_alpha");
        const auto number = values.data<float>();
        Tensor guided = rows;
        guideAttention(execution, MatrixSpan(guided), MatrixView(golden.get(variant + ".in.z_neg")),
                       {.scale = number[0], .tau = number[1], .alpha = number[2]});
        comparison.compare(variant + ".out", guided, files.outputTolerance());
        if (const std::string factors = variant + ".row_factor"; golden.has(factors))
            comparison.compare(variant + ".out_times_factor", rowsTimes(guided, golden.get(factors)),
                               files.outputTolerance());
    }
}

}  // namespace meshreel
