// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/finish_benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/files.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/models/finish/network_layers.h"
#include "engine/models/finish/network_tensors.h"
#include "engine/models/finish/rife.h"
#include "engine/models/finish/rife_layout.h"
#include "engine/models/finish/upscaler.h"
#include "engine/models/finish/upscaler_layout.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

/// Tensors of a network in a file, which is how networks are opened.
class RandomNetwork {
  public:
    RandomNetwork(const Execution& execution, const ScratchFolder& folder)
        : m_execution(execution), m_file(folder.path() / "network.safetensors") {}

    void add(const std::string& name, const Shape& shape) {
        // Small, as trained weights are: no value becomes infinite in a deep network.
        constexpr float deviation = 0.02F;
        m_tensors.emplace_back(name, randomRows(m_execution, shape, DType::F32, deviation));
    }

    void addConvolution(const std::string& name, std::int64_t ins, std::int64_t outs) {
        add(name + ".weight", {outs, ins, 3, 3});
        add(name + ".bias", {outs});
    }

    void addTransposed(const std::string& name, std::int64_t ins, std::int64_t outs) {
        add(name + ".weight", {ins, outs, 4, 4});
        add(name + ".bias", {outs});
    }

    [[nodiscard]] const std::filesystem::path& write() const {
        writeSafetensors(m_file, m_tensors);
        return m_file;
    }

  private:
    const Execution& m_execution;
    std::filesystem::path m_file;
    std::vector<NamedTensor> m_tensors;
};

/// The shapes of RIFE 4.26.
NetworkTensors randomRife(const Execution& execution, const ScratchFolder& folder) {
    constexpr std::array<std::int64_t, 5> widths{192, 128, 96, 64, 32};
    RandomNetwork network(execution, folder);
    network.addConvolution("encode.cnn0", 3, 16);
    network.addConvolution("encode.cnn1", 16, 16);
    network.addConvolution("encode.cnn2", 16, 16);
    network.addTransposed("encode.cnn3", 16, 4);
    for (std::size_t block = 0; block < widths.size(); ++block) {
        const std::int64_t width = widths.at(block);
        const std::string name = fmt::format("block{}.", block);
        network.addConvolution(name + "conv0.0.0", block == 0 ? 15 : 28, width / 2);
        network.addConvolution(name + "conv0.1.0", width / 2, width);
        for (int residual = 0; residual < 8; ++residual) {
            network.addConvolution(fmt::format("{}convblock.{}.conv", name, residual), width, width);
            network.add(fmt::format("{}convblock.{}.beta", name, residual), {1, width, 1, 1});
        }
        network.addTransposed(name + "lastconv.0", width, 52);
    }
    return openRife(network.write());
}

/// The shapes of RRDBNet ×4, with fewer of its 23 blocks, which are alike.
NetworkTensors randomUpscaler(const Execution& execution, const ScratchFolder& folder) {
    constexpr std::int64_t width = 64;
    constexpr std::int64_t growth = 32;
    constexpr int blocks = 4;
    RandomNetwork network(execution, folder);
    network.addConvolution("conv_first", 3, width);
    for (int block = 0; block < blocks; ++block)
        for (int dense = 1; dense <= 3; ++dense)
            for (int layer = 1; layer <= 5; ++layer)
                network.addConvolution(fmt::format("body.{}.rdb{}.conv{}", block, dense, layer),
                                       width + (layer - 1) * growth, layer == 5 ? width : growth);
    for (const char* name : {"conv_body", "conv_up1", "conv_up2", "conv_hr"})
        network.addConvolution(name, width, width);
    network.addConvolution("conv_last", width, 3);
    return openUpscaler(network.write());
}

void measureRife(BenchmarkRun& run, const NetworkTensors& tensors, Arithmetic arithmetic) {
    const Execution& execution = run.execution();
    const Rife rife(tensors, {.memory = execution.memory(), .arithmetic = arithmetic});
    const std::int64_t height = run.options().height;
    const std::int64_t width = run.options().width;
    const Tensor colours = Tensor::filled({height, width, 3}, 0.5F);
    const Rife::Frame one = rife.prepare(execution, colours);
    const Rife::Frame other = rife.prepare(execution, colours);
    // Features are made once a frame, and here as often as frames between are.
    const MeasuredTime time = run.measure(
        [&] {
            static_cast<void>(rife.prepare(execution, colours));
            static_cast<void>(rife.prepare(execution, colours));
            static_cast<void>(rife.between(execution, one, other, 0.5F, height, width));
        },
        arithmetic);
    run.addFlops(fmt::format("finish.rife.{}.{}x{}", nameOf(arithmetic), width, height),
                 rife.layout().operations(one.height, one.width), time, arithmetic);
}

void measureUpscaler(BenchmarkRun& run, const NetworkTensors& tensors, Arithmetic arithmetic) {
    constexpr std::int64_t mostSide = 128;  // a tile
    const Execution& execution = run.execution();
    const Upscaler upscaler(tensors, {.memory = execution.memory(), .arithmetic = arithmetic});
    const std::int64_t height = std::min(run.options().height, mostSide);
    const std::int64_t width = std::min(run.options().width, mostSide);
    const Tensor colours = Tensor::filled({height, width, 3}, 0.5F);
    const MeasuredTime time =
        run.measure([&] { static_cast<void>(upscaler.enlarge(execution, colours)); }, arithmetic);
    run.addFlops(fmt::format("finish.upscale.{}.{}x{}", nameOf(arithmetic), width, height),
                 upscaler.layout().operations(height, width), time, arithmetic);
}

}  // namespace

void benchmarkFinish(BenchmarkRun& run) {
    const ScratchFolder ofRife;
    const ScratchFolder ofUpscaler;
    const NetworkTensors rife = randomRife(run.execution(), ofRife);
    const NetworkTensors upscaler = randomUpscaler(run.execution(), ofUpscaler);
    for (const Arithmetic arithmetic : {Arithmetic::F32, Arithmetic::BF16}) {
        measureRife(run, rife, arithmetic);
        measureUpscaler(run, upscaler, arithmetic);
    }
}

}  // namespace meshreel
