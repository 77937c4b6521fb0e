// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/kernel_sizes.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/tensor/compute_device.h"

namespace meshreel {

// What a device with its own kernels offers beside its operations: how they can multiply, which of the ways
// they use, and searches for the fastest.

/// Returns the forms in which the device multiplies.
const MatrixOffers& findMatrixOffers(ComputeDevice& device);

/// Returns the measurements of the device's kernels, from which they take the fastest; a restriction applies
/// to kernels that compute from then on.
GpuTuning& findTuning(ComputeDevice& device);

/// Returns the form in which the device multiplies rows of bf16 by such weights; nothing before it has been
/// asked to, or when there is no choice.
std::optional<MatrixForm> linearFormOn(ComputeDevice& device, Arithmetic arithmetic);

/// Returns the forms in which the device can multiply by int8 weights, as far as its tuning's filter admits
/// them.
std::vector<MatrixForm> int8FormsOn(ComputeDevice& device);

/// Returns the name, among the measurements of a device, of the kernel that multiplies by such weights.
std::string_view linearKernelName(Arithmetic arithmetic);

/// Returns every way in which a device's kernels may cut their work: values of VariantFilter::block.
std::vector<std::string> kernelBlocks();

/// Returns the width of a row of int8 numbers in a device's memory.
std::int64_t int8RowWidthOnDevice(std::int64_t ins);
/// Returns how many rows of x are rounded to int8 at once, at most.
std::int64_t int8RowsAtOnceOnDevice();

/// Every candidate for a kernel on the execution's device, timed one by one on one problem. The device
/// outlives it, and its work obeys the execution's stop token.
class KernelSearch {
  public:
    /// Searches for an attention of this size, on rows of any numbers. Throws Error{Internal} for heads that
    /// no kernel supports, Error{Device} or Error{Resources} when the rows do not fit the device's memory.
    KernelSearch(const Execution& execution, const AttentionSize& size);
    /// Searches for these layers together, on rows of bf16, or on rounded ones for int8. Throws Error{Device}
    /// or Error{Resources} when the largest rows and weights do not fit the device's memory.
    KernelSearch(const Execution& execution, const std::vector<LayerSize>& layers, Arithmetic arithmetic);
    KernelSearch(const KernelSearch&) = delete;
    KernelSearch& operator=(const KernelSearch&) = delete;
    /// Waits for the device.
    ~KernelSearch();

    /// Returns the kernel's name among the measurements of a device.
    [[nodiscard]] std::string_view kernel() const;
    [[nodiscard]] std::string_view revision() const;
    /// Form and block of each candidate, without a rate.
    [[nodiscard]] const std::vector<MeasuredVariant>& variants() const;
    [[nodiscard]] double flops() const;
    /// Returns the seconds of one problem, by the device's clock. Throws Error{Device} for a candidate that
    /// the device refuses, Error{Cancelled} while it asks about one.
    double secondsOf(std::size_t index, const StopToken& stop);
    /// Returns whether secondsOf() found it refused, wrong or crashing: it would be the next time.
    [[nodiscard]] bool isRefused(std::size_t index) const;
    /// Returns the one that runs take now; nothing when none has measured.
    [[nodiscard]] std::optional<std::size_t> taken() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Work that needs nothing from memory: what each form of multiplication makes at most on the execution's
/// device.
class DevicePeaks {
  public:
    struct Peak {
        std::string name;  ///< "khr_f16.16x16x16", "scalar"; "int8.16x16x32", "int8_dot.1x1x4"
        MatrixForm form = MatrixForm::Scalar;
        bool ofInt8 = false;  ///< sums are int32, else f32
    };

    /// Throws Error{Device} when the device's memory is short.
    explicit DevicePeaks(const Execution& execution);
    DevicePeaks(const DevicePeaks&) = delete;
    DevicePeaks& operator=(const DevicePeaks&) = delete;
    ~DevicePeaks();

    /// Scalar of f32 and of int8, and every form and size that the device offers.
    [[nodiscard]] const std::vector<Peak>& peaks() const;
    /// Gives the device the work of a peak; returns its operations, counting a multiply-add as two. More
    /// `rounds` take longer. Throws Error{Device} for a form that the driver refuses.
    double compute(std::size_t index, std::uint32_t rounds);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace meshreel
