// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/placement.h"

#include <gmock/gmock.h>

#include <array>

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Sentence tooLarge() {
    return sentence("it does not fit");
}

/// All parts of an image-to-video run on two GPUs, the named ones on the CPU.
Placement placedWith(std::span<const PlacedPart> onCpu) {
    Placement placement{.gpus = std::vector<ChosenGpu>(2)};
    for (const PlacedPart part : {PlacedPart::Transformer, PlacedPart::TextEncoder, PlacedPart::ImageEncoder,
                                  PlacedPart::VaeEncoder, PlacedPart::VaeDecoder, PlacedPart::PreviewDecoder})
        placement.parts.push_back({.part = part, .place = PartPlace::EveryGpu});
    constexpr std::array first{PlacedPart::TextEncoder, PlacedPart::ImageEncoder, PlacedPart::PreviewDecoder};
    placement = placement.with(first, [](PartPlan& part) { part.place = PartPlace::FirstGpu; });
    return placement.with(onCpu, [](PartPlan& part) {
        part.place = PartPlace::Cpu;
        part.passedOver = {{.reason = PlaceReason::MemoryShort, .why = tooLarge()}};
    });
}

TEST(Placement, NamesWhatEachGpuComputes) {
    const Placement whole = placedWith({});
    EXPECT_EQ(partsOnGpu(whole, true), "transformer, VAE and encoders");
    EXPECT_EQ(partsOnGpu(whole, false), "transformer and VAE");
    EXPECT_EQ(partsOnGpu(placedWith(encoderParts), true), "transformer and VAE");
    EXPECT_EQ(partsOnGpu(placedWith(vaeParts), true), "transformer and encoders");
    EXPECT_EQ(partsOnGpu(placedWith(vaeParts), false), "transformer");
    const std::array some{PlacedPart::ImageEncoder, PlacedPart::VaeEncoder};
    EXPECT_EQ(partsOnGpu(placedWith(some), true),
              "transformer, VAE decoder, preview decoder and text encoder");
    EXPECT_EQ(partsOnGpu(placedWith(some), false), "transformer and VAE decoder");
}

TEST(Placement, TellsWhatIsLeftToTheCpuByItsReason) {
    EXPECT_THAT(partsLeftToCpu(placedWith({})), IsEmpty());
    const std::array some{PlacedPart::ImageEncoder, PlacedPart::VaeEncoder, PlacedPart::PreviewDecoder};
    Placement apart = placedWith(some);
    constexpr std::array preview{PlacedPart::PreviewDecoder};
    apart = apart.with(preview, [](PartPlan& part) { part.passedOver.back().why = sentence("another"); });
    const std::vector<PartsLeft> left = partsLeftToCpu(apart);
    ASSERT_EQ(left.size(), 3U);
    EXPECT_THAT(left[0].parts, ElementsAre(PlacedPart::VaeEncoder));
    EXPECT_EQ(left[0].why, tooLarge());
    EXPECT_THAT(left[1].parts, ElementsAre(PlacedPart::PreviewDecoder));
    EXPECT_THAT(left[2].parts, ElementsAre(PlacedPart::ImageEncoder));
    EXPECT_EQ(partsText(apart, left[2].parts), "image encoder");

    const Placement whole = placedWith(vaeParts);
    ASSERT_EQ(partsLeftToCpu(whole).size(), 1U);
    EXPECT_EQ(partsText(whole, partsLeftToCpu(whole)[0].parts), "VAE");
    EXPECT_THAT(partsLeftToCpu({}), IsEmpty()) << "without GPUs nothing was left";
}

}  // namespace
}  // namespace meshreel
