// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/noise.h"

#include <gtest/gtest.h>

#include "engine/weights/formats/safetensors.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

std::vector<float> drawnValues(const Tensor& tensor) {
    const Tensor single = tensor.toF32();
    const auto values = std::as_const(single).data<float>();
    return {values.begin(), values.end()};
}

SafetensorsFile golden() {
    return SafetensorsFile::open(testing::testData() / "golden/torch_random/io.safetensors");
}

/// The golden's tolerance is 1e-6; the f32 path is meant to meet torch's own build to the bit.
TEST(TorchGenerator, MeetsTorchToTheBit) {
    const SafetensorsFile file = golden();
    for (const std::string seed : {"0", "42", "1234567"}) {
        for (const std::string size : {"n5", "n15", "n16", "n37", "video"}) {
            const std::string name = "randn.s" + seed + "." + size;
            TorchGenerator generator(std::stoull(seed));
            EXPECT_EQ(drawnValues(generator.normal(file.find(name)->shape)), drawnValues(file.get(name)))
                << name;
        }
    }
}

TEST(TorchGenerator, UsesTheLowHalfOfTheSeed) {
    TorchGenerator small(42);
    TorchGenerator large(42 + (std::uint64_t{7} << 32));
    EXPECT_EQ(drawnValues(small.normal({20})), drawnValues(large.normal({20})));
}

TEST(TorchGenerator, KeepsTheSecondOfAScalarPairForTheNextCall) {
    TorchGenerator together(3);
    TorchGenerator apart(3);
    std::vector<float> joined = drawnValues(apart.normal({5}));
    const std::vector<float> rest = drawnValues(apart.normal({3}));
    joined.insert(joined.end(), rest.begin(), rest.end());
    EXPECT_EQ(joined, drawnValues(together.normal({8})));
}

TEST(TorchGenerator, RandintStaysInItsRange) {
    TorchGenerator generator(11);
    const Tensor narrow = generator.randint(-3, 4, {1000});
    for (const std::int64_t value : narrow.data<std::int64_t>()) {
        EXPECT_GE(value, -3);
        EXPECT_LT(value, 4);
    }
    const Tensor wide = generator.randint(0, std::int64_t{1} << 40, {64});
    std::int64_t largest = 0;
    for (const std::int64_t value : wide.data<std::int64_t>())
        largest = std::max(largest, value);
    EXPECT_GT(largest, std::int64_t{1} << 36);
    EXPECT_THROW(generator.randint(2, 2, {1}), std::exception);
}

}  // namespace
}  // namespace meshreel
