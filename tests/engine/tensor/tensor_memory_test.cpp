// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/tensor_memory.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

TEST(MemoryMeter, CountsTensorsOfItsScopeAndRemembersThePeak) {
    const auto meter = std::make_shared<MemoryMeter>();
    std::optional<Tensor> kept;
    {
        const MeterScope scope(meter);
        kept = Tensor::empty({1024});
        const Tensor passing = Tensor::empty({1024});
        EXPECT_EQ(meter->current(), 2U * 4096U);
    }
    const Tensor outside = Tensor::empty({4096});
    EXPECT_EQ(meter->current(), 4096U);
    kept.reset();
    EXPECT_EQ(meter->current(), 0U);
    EXPECT_EQ(meter->peak(), 2U * 4096U);
}

TEST(MemoryMeter, InnermostScopeCounts) {
    const auto outer = std::make_shared<MemoryMeter>();
    const auto inner = std::make_shared<MemoryMeter>();
    const MeterScope outerScope(outer);
    {
        const MeterScope innerScope(inner);
        const Tensor counted = Tensor::empty({16});
        EXPECT_EQ(inner->current(), 64U);
    }
    const Tensor afterwards = Tensor::empty({32});
    EXPECT_EQ(outer->current(), 128U);
    EXPECT_EQ(inner->current(), 0U);
}

TEST(MemoryMeter, FreeingOnAnotherThreadCountsOff) {
    const auto meter = std::make_shared<MemoryMeter>();
    std::optional<Tensor> tensor;
    {
        const MeterScope scope(meter);
        tensor = Tensor::empty({16});
    }
    std::thread([&] { tensor.reset(); }).join();
    EXPECT_EQ(meter->current(), 0U);
}

}  // namespace
}  // namespace meshreel
