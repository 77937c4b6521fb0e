// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/kernels/attention/tile_attention.h"
#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "tests/support/test_gpu.h"

namespace meshreel::testing {

/// Kernels that are named, not chosen: those of tiles, which no ISA class of this CPU may have.
struct TileKernels {
    const LinearCandidate* bf16 = nullptr;
    const LinearCandidate* int8 = nullptr;
    const ConvolutionKernel* convolution = nullptr;
    TileAttentionFunction attention = nullptr;
    bool inOwnInstructions = false;  ///< carried out by the CPU, or one by one by an emulation
};

extern const TileKernels emulatedTiles;
extern const TileKernels amxTiles;

/// A device that the suite runs on. One of these three says how.
struct TestedDevice {
    std::string_view name;
    std::optional<IsaLevel> level = {};  ///< the host, limited to an ISA class: what its dispatch takes then
    const TileKernels* tiles = nullptr;
    bool gpu = false;  ///< the one of GpuTest

    [[nodiscard]] bool has(Arithmetic arithmetic) const {
        return tiles == nullptr || arithmetic != Arithmetic::F32;
    }
};

// Here is what every device does: linear layers, convolutions, attention, norms, rotary embedding,
// activations, sums of rows, bytes of frames. What only one device can do, or promises only there, has tests
// beside that device: of the host units, strips and workers (linear/, convolution/), tiles (tiles/),
// libraries (dispatch/, linear/dnnl_linear_test.cpp); of a GPU forms, portions, memory and submissions
// (gpu/).

/// A further device is a further row, with what it needs in DeviceTest.
inline constexpr std::array testedDevices{
    TestedDevice{.name = "avx2", .level = IsaLevel::Avx2},
    TestedDevice{.name = "avx512", .level = IsaLevel::Avx512},
    TestedDevice{.name = "avx512_bf16", .level = IsaLevel::Avx512Bf16},
    TestedDevice{.name = "amx", .level = IsaLevel::Amx},
    TestedDevice{.name = "emulated_tiles", .tiles = &emulatedTiles},
    TestedDevice{.name = "amx_instructions", .tiles = &amxTiles},
    TestedDevice{.name = "gpu", .gpu = true},
};

/// What every case of the suite is instantiated over.
using DeviceAndArithmetic = std::tuple<TestedDevice, Arithmetic>;

/// All devices in those of these arithmetics that they have.
std::vector<DeviceAndArithmetic> onEveryDevice(std::initializer_list<Arithmetic> arithmetics);
/// Those among them whose kernels are chosen, not named: for operations that have none in tiles.
std::vector<DeviceAndArithmetic> onEveryChosenDevice(std::initializer_list<Arithmetic> arithmetics);

/// "f32_on_avx2".
std::string nameOf(const DeviceAndArithmetic& of);

/// A case on one device in one arithmetic: places tensors there and packs operations as layers do. Skips what
/// the device or this machine lacks, and says so. An ISA class is of a whole process, so each case wants one
/// of its own, as ctest gives it; run by hand, those of a second class are skipped.
class DeviceTest : public GpuWorkTest, public ::testing::WithParamInterface<DeviceAndArithmetic> {
  protected:
    void SetUp() override;

    [[nodiscard]] const TestedDevice& device() const { return std::get<TestedDevice>(GetParam()); }
    [[nodiscard]] Arithmetic arithmetic() const { return std::get<Arithmetic>(GetParam()); }
    /// Of rows that are multiplied in the arithmetic without being rounded.
    [[nodiscard]] DType rowType() const {
        return arithmetic() == Arithmetic::BF16 ? DType::BF16 : DType::F32;
    }

    /// In the device's memory; with the host's, of its own.
    [[nodiscard]] Tensor there(const Tensor& tensor) const {
        return work ? tensor.in(&work->memory()) : tensor.clone();
    }
    [[nodiscard]] Execution execution() { return {m_pool, {}, nullptr, work.get()}; }
    [[nodiscard]] PackedMatrix pack(const Tensor& weight, const Tensor* bias) const;
    [[nodiscard]] PackedConvolution pack(const Tensor& weight, const Tensor& bias,
                                         const ConvolutionGeometry& geometry) const;

  private:
    /// Why this process cannot compute there; empty when it can.
    [[nodiscard]] std::string whyNotHere() const;

    WorkerPool m_pool{{.workers = 2}};
};

}  // namespace meshreel::testing
