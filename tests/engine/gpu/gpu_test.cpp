// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu.h"

#include <gmock/gmock.h>

#include "engine/gpu/gpu_pipelines.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

using GpuBufferTest = testing::GpuTest;

TEST_F(GpuBufferTest, BytesComeBack) {
    const Tensor sent = testing::randomTensor({1000, 77}, 1);
    const auto buffer = upload(sent);
    EXPECT_NE(buffer->address(), 0U);
    EXPECT_TRUE(buffer->mapped().empty());
    const Tensor back = download(*buffer, sent);
    EXPECT_EQ(std::memcmp(back.raw(), sent.raw(), sent.bytes()), 0);
}

TEST_F(GpuBufferTest, PartsAreCopiedAndTheirLimitsKept) {
    const Tensor sent = testing::randomTensor({16}, 2);
    const auto buffer = upload(sent);
    stream->copy(*buffer, *buffer, 4 * sizeof(float), 0, 8 * sizeof(float));
    const Tensor back = download(*buffer, sent);
    EXPECT_EQ(std::memcmp(back.raw() + 8 * sizeof(float), sent.raw(), 4 * sizeof(float)), 0);
    EXPECT_EQ(
        std::memcmp(back.raw() + 12 * sizeof(float), sent.raw() + 12 * sizeof(float), 4 * sizeof(float)), 0);
    EXPECT_THROW(stream->copy(*buffer, *buffer, 65, 0, 0), Error);
}

TEST_F(GpuBufferTest, ALargerBufferThanTheDriverHasIsRefusedWithNumbers) {
    EXPECT_GE(gpu->largestBuffer(), std::size_t{1} << 30U);
    try {
        const GpuBuffer buffer(*gpu, gpu->largestBuffer() + 1, GpuPlace::Device);
        FAIL();
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::Device);
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("GiB"));
    }
}

TEST_F(GpuBufferTest, ADeviceThatIsGoneIsNamed) {
    try {
        const Gpu missing(library, "0123");
        FAIL();
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::Device);
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("0123"));
    }
}

TEST_F(GpuBufferTest, AStreamThatIsCancelledSaysSoAfterItsWork) {
    const Tensor sent = testing::randomTensor({4}, 3);
    const auto buffer = upload(sent);
    StopSource source;
    source.request_stop();
    stream->copy(*buffer, *buffer, 4, 0, 4);
    try {
        stream->finish(source.get_token());
        FAIL();
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::Cancelled);
    }
    const Tensor back = download(*buffer, sent);
    EXPECT_EQ(back.data<float>()[1], sent.data<float>()[0]);
}

TEST_F(GpuBufferTest, TheHostWaitsForOneSubmissionWhileTheGpuGoesOn) {
    const Tensor sent = testing::randomTensor({1024}, 4);
    const auto buffer = upload(sent);
    const std::int64_t before = stream->standstills();
    const std::int64_t none = stream->submit();
    EXPECT_EQ(none, stream->submissions()) << "nothing was recorded";
    stream->copy(*buffer, *buffer, 64, 0, 1024);
    const std::int64_t first = stream->submit();
    EXPECT_EQ(first, none + 1);
    stream->copy(*buffer, *buffer, 64, 1024, 2048);
    const std::int64_t second = stream->submit();
    stream->await(first);
    EXPECT_EQ(stream->standstills(), before);
    stream->await(second);
    EXPECT_EQ(stream->standstills(), before + 1);
    stream->await(second);
    stream->finish();
    EXPECT_EQ(stream->standstills(), before + 1) << "nothing was left to wait for";
    const Tensor back = download(*buffer, sent);
    EXPECT_EQ(std::memcmp(back.raw() + 2048, sent.raw(), 64), 0);
}

}  // namespace
}  // namespace meshreel
