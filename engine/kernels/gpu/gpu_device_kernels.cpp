// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iterator>

#include "engine/base/error.h"
#include "engine/base/record.h"
#include "engine/base/stop_token.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/gpu_work.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/device_kernels.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/gpu/gpu_attention.h"
#include "engine/kernels/gpu/gpu_convolution.h"
#include "engine/kernels/gpu/gpu_int8_linear.h"
#include "engine/kernels/gpu/gpu_kernel_search.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/gpu/gpu_peaks.h"
#include "engine/kernels/gpu/linear_trials.h"
#include "engine/kernels/kernel_sizes.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/tensor/compute_device.h"
#include "engine/tensor/memory.h"

namespace meshreel {

const MatrixOffers& findMatrixOffers(ComputeDevice& device) {
    return vulkanGpu(device).gpu().matrices();
}

GpuTuning& findTuning(ComputeDevice& device) {
    return vulkanGpu(device).pipelines().tuning();
}

std::optional<MatrixForm> linearFormOn(ComputeDevice& device, Arithmetic arithmetic) {
    return linearFormOn(vulkanGpu(device).pipelines(), arithmetic);
}

std::vector<MatrixForm> int8FormsOn(ComputeDevice& device) {
    return int8FormsOn(vulkanGpu(device).pipelines());
}

std::string_view linearKernelName(Arithmetic arithmetic) {
    return enumName(arithmetic == Arithmetic::Int8 ? GpuKernel::Int8Linear : GpuKernel::Linear);
}

std::vector<std::string> kernelBlocks() {
    std::vector<std::string> blocks = linearBlocks();
    for (const auto& others : {attentionBlocks(), convolutionBlocks()})
        std::ranges::copy(others, std::back_inserter(blocks));
    return blocks;
}

std::int64_t int8RowWidthOnDevice(std::int64_t ins) {
    return int8RowWidth(ins);
}

std::int64_t int8RowsAtOnceOnDevice() {
    return int8RowsAtOnce;
}

struct KernelSearch::Impl {
    GpuKernelSearch search;
};

KernelSearch::KernelSearch(const Execution& execution, const AttentionSize& size)
    : m_impl(new Impl{searchAttention(onVulkan(execution).gpu, size)}) {}

KernelSearch::KernelSearch(const Execution& execution, const std::vector<LayerSize>& layers,
                           Arithmetic arithmetic)
    : m_impl(new Impl{searchLinear(onVulkan(execution).gpu, layers, arithmetic)}) {}

KernelSearch::~KernelSearch() = default;

std::string_view KernelSearch::kernel() const {
    return m_impl->search.kernel();
}

std::string_view KernelSearch::revision() const {
    return m_impl->search.revision();
}

const std::vector<MeasuredVariant>& KernelSearch::variants() const {
    return m_impl->search.variants();
}

double KernelSearch::flops() const {
    return m_impl->search.flops();
}

double KernelSearch::secondsOf(std::size_t index, const StopToken& stop) {
    return m_impl->search.secondsOf(index, stop);
}

bool KernelSearch::isRefused(std::size_t index) const {
    return m_impl->search.isRefused(index);
}

std::optional<std::size_t> KernelSearch::taken() const {
    return m_impl->search.taken();
}

struct DevicePeaks::Impl {
    explicit Impl(const OnVulkan& device)
        : on(device), memory(peakMemory(device.gpu.gpu())), work(peaksOn(device.gpu.gpu())) {
        for (const GpuPeak& peak : work)
            peaks.push_back({.name = peak.name(), .form = peak.form, .ofInt8 = peak.ofInt8});
    }

    OnVulkan on;
    GpuBuffer memory;
    std::vector<GpuPeak> work;
    std::vector<Peak> peaks = {};
};

DevicePeaks::DevicePeaks(const Execution& execution) : m_impl(std::make_unique<Impl>(onVulkan(execution))) {}

DevicePeaks::~DevicePeaks() = default;

const std::vector<DevicePeaks::Peak>& DevicePeaks::peaks() const {
    return m_impl->peaks;
}

double DevicePeaks::compute(std::size_t index, std::uint32_t rounds) {
    const OnVulkan& on = m_impl->on;
    return recordPeak(on.pipelines(), on.stream(), m_impl->work.at(index), m_impl->memory, rounds);
}

}  // namespace meshreel
