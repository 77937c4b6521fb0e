// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_memory.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <vector>

#include "engine/gpu/gpu_work.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

class StreamedMemory : public testing::GpuWorkTest {
  protected:
    static constexpr std::size_t layerBytes = std::size_t{1} << 20;

    [[nodiscard]] GpuStreamedMemory& streamed() {
        return dynamic_cast<GpuStreamedMemory&>(work->memory().forStreaming());
    }
    [[nodiscard]] std::shared_ptr<std::byte> layer() { return streamed().allocate(layerBytes); }
    /// Reads a layer, in a submission of its own.
    void read(const std::shared_ptr<std::byte>& place, const GpuBuffer& into) {
        const GpuPool::Place from = streamed().pool().find(reinterpret_cast<GpuAddress>(place.get()));
        work->stream().copy(from.buffer, into, into.bytes(), from.offset);
        work->stream().submit();
    }
};

TEST_F(StreamedMemory, TwoLayersAreThereAtATime) {
    const std::size_t before = work->memory().peak();
    const GpuBuffer read(work->gpu(), layerBytes, GpuPlace::Host);
    std::vector<const std::byte*> places;
    for (int each = 0; each < 6; ++each) {
        const std::shared_ptr<std::byte> now = layer();
        places.push_back(now.get());
        this->read(now, read);
    }
    work->stream().finish();
    EXPECT_EQ(work->memory().peak() - before, 2 * layerBytes);
    for (std::size_t each = 2; each < places.size(); ++each)
        EXPECT_EQ(places[each], places[each - 2]) << each;
    EXPECT_NE(places[0], places[1]) << "the GPU may still read the layer that was freed last";
}

TEST_F(StreamedMemory, AStageBeginsWithoutTheLayersOfTheOneBefore) {
    const std::size_t before = work->memory().used();
    static_cast<void>(layer());
    EXPECT_EQ(work->memory().used(), before) << "freed, although it is kept for a while";
    EXPECT_GE(work->memory().peak(), before + layerBytes);
    work->memory().beginStage();
    EXPECT_EQ(work->memory().peak(), before);
}

TEST_F(StreamedMemory, WhatIsCopiedInIsThereForWorkThatIsSubmittedLater) {
    // More than the buffer that copies go through.
    const Tensor sent = testing::countingTensor({3, 2500, 1000});
    for (std::int64_t each = 0; each < sent.extent(0); ++each) {
        const Tensor part = sent.slice(each, each + 1);
        const GpuBuffer read(work->gpu(), part.bytes(), GpuPlace::Host);
        const std::shared_ptr<std::byte> place = streamed().allocate(part.bytes());
        streamed().copyIn(place.get(), {part.raw(), part.bytes()});
        this->read(place, read);
        work->stream().finish();
        EXPECT_EQ(std::memcmp(read.mapped().data(), part.raw(), part.bytes()), 0) << each;
    }
}

TEST_F(StreamedMemory, NobodyReadsItBack) {
    const std::shared_ptr<std::byte> place = layer();
    std::array<std::byte, 4> bytes{};
    EXPECT_THROW(streamed().copyOut(bytes, place.get()), Error);
}

class RoomOfOperations : public testing::GpuWorkTest {};

TEST_F(RoomOfOperations, IsTheSameMemoryUntilMoreIsAskedFor) {
    GpuMemory& memory = work->memory();
    const std::size_t before = memory.used();
    const GpuAddress first = memory.roomForNextWork(1000);
    EXPECT_EQ(memory.roomForNextWork(500), first);
    EXPECT_EQ(memory.roomForNextWork(1000), first);
    EXPECT_EQ(memory.used(), before + 1024);
    static_cast<void>(memory.roomForNextWork(1 << 20));
    EXPECT_EQ(memory.used(), before + (1 << 20)) << "instead of the smaller one";
    memory.beginStage();
    EXPECT_EQ(memory.used(), before);
}

}  // namespace
}  // namespace meshreel
