// SPDX-License-Identifier: GPL-3.0-or-later
#include "tested_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/base/error.h"
#include "engine/kernels/convolution/convolution_bf16.h"
#include "engine/kernels/linear/tile_linear.h"
#include "engine/kernels/prepare_kernels.h"
#include "engine/kernels/tiles/tile_unit_emulated.h"
#include "tests/support/instruction_emulation.h"

namespace meshreel::testing {
namespace {

template <const TileProductKernel& kernel>
std::unique_ptr<HostLinear> packTiles(const Tensor& weight, Tensor bias) {
    return makeTileLinear(kernel, weight.to(DType::BF16), std::move(bias));
}

template <const TileProductKernel& kernel>
std::unique_ptr<HostLinear> packInt8Tiles(const Tensor& weight, Tensor bias) {
    return makeTileInt8Linear(kernel, roundToInt8(weight), std::move(bias));
}

constinit const ConvolutionKernel emulatedConvolution = tileConvolution<TileUnitEmulated>("emulated tiles");

constexpr std::string_view ownKernels = "Meshreel";
const LinearCandidate emulatedBf16{
    .kernel = {.name = "emulated tiles"}, .library = ownKernels, .pack = packTiles<emulatedBf16Product>};
const LinearCandidate emulatedInt8{
    .kernel = {.name = "emulated tiles"}, .library = ownKernels, .pack = packInt8Tiles<emulatedInt8Product>};
const LinearCandidate amxBf16{
    .kernel = {.name = "AMX tiles"}, .library = ownKernels, .pack = packTiles<amxBf16Product>};
const LinearCandidate amxInt8{
    .kernel = {.name = "AMX tiles"}, .library = ownKernels, .pack = packInt8Tiles<amxInt8Product>};

}  // namespace

const TileKernels emulatedTiles{.bf16 = &emulatedBf16,
                                .int8 = &emulatedInt8,
                                .convolution = &emulatedConvolution,
                                .attention = tileAttentionEmulatedAvx2};
const TileKernels amxTiles{.bf16 = &amxBf16,
                           .int8 = &amxInt8,
                           .convolution = &amxConvolution,
                           .attention = tileAttentionAmx,
                           .inOwnInstructions = true};

std::vector<DeviceAndArithmetic> onEveryDevice(std::initializer_list<Arithmetic> arithmetics) {
    std::vector<DeviceAndArithmetic> all;
    for (const TestedDevice& device : testedDevices)
        for (const Arithmetic arithmetic : arithmetics)
            if (device.has(arithmetic))
                all.emplace_back(device, arithmetic);
    return all;
}

std::vector<DeviceAndArithmetic> onEveryChosenDevice(std::initializer_list<Arithmetic> arithmetics) {
    std::vector<DeviceAndArithmetic> all = onEveryDevice(arithmetics);
    std::erase_if(all, [](const auto& of) { return std::get<TestedDevice>(of).tiles != nullptr; });
    return all;
}

std::string nameOf(const DeviceAndArithmetic& of) {
    return fmt::format("{}_on_{}", meshreel::nameOf(std::get<Arithmetic>(of)),
                       std::get<TestedDevice>(of).name);
}

std::string DeviceTest::whyNotHere() const {
    if (device().tiles != nullptr)
        return device().tiles->inOwnInstructions && !bf16InstructionsAtHand()
                   ? "this CPU has not AVX-512, beside which the instructions are emulated"
                   : "";
    if (!device().level)
        return {};
    const auto offered = offeredIsaLevels();
    if (std::ranges::find(offered, *device().level) == offered.end())
        return fmt::format("this CPU has no {}", device().name);
    try {
        limitIsa(device().name);
    } catch (const Error&) {  // a case before this one did so
        if (isaName() != device().name)
            return fmt::format("this process computes with {}: ctest starts one for each case", isaName());
    }
    return {};
}

void DeviceTest::SetUp() {
    if (device().gpu) {
        GpuWorkTest::SetUp();
        return;
    }
    if (const std::string reason = whyNotHere(); !reason.empty())
        GTEST_SKIP() << reason;
    if (device().level) {
        ASSERT_EQ(isaName(), device().name);
    }
}

PackedMatrix DeviceTest::pack(const Tensor& weight, const Tensor* bias) const {
    prepareKernels(work ? &work->memory() : nullptr, {.linears = {Arithmetic::BF16}});  // rows of any type
    if (work)
        return PackedMatrix::keepIn(work->memory(), weight, bias, arithmetic());
    if (device().tiles != nullptr)
        return PackedMatrix::packBy(
            arithmetic() == Arithmetic::Int8 ? *device().tiles->int8 : *device().tiles->bf16, arithmetic(),
            weight, bias);
    return PackedMatrix::pack(weight, bias, arithmetic());
}

PackedConvolution DeviceTest::pack(const Tensor& weight, const Tensor& bias,
                                   const ConvolutionGeometry& geometry) const {
    if (device().tiles != nullptr)
        return PackedConvolution::pack(weight, bias, geometry, arithmetic(), *device().tiles->convolution);
    return PackedConvolution::pack(weight, bias, geometry, arithmetic(), work ? &work->memory() : nullptr);
}

}  // namespace meshreel::testing
