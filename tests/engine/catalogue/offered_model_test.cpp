// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/offered_model.h"

#include <gtest/gtest.h>

#include <iterator>

#include "engine/weights/formats/stored_type.h"

namespace meshreel {
namespace {

TEST(OfferedModel, IsKnownByItsReleaseAndStoredAsItsFilesAre) {
    for (const ModelOffer& offer : modelOffers()) {
        SCOPED_TRACE(offer.id);
        const std::optional<ModelFacts> facts = offeredModelFacts(offer);
        ASSERT_EQ(facts.has_value(), offer.kind == OfferKind::Model);
        if (!facts)
            continue;
        ASSERT_NE(facts->family, nullptr);
        EXPECT_EQ(facts->experts(), std::ssize(offer.files));
        EXPECT_EQ(facts->family->traits.experts, facts->experts());
        const StoredTypeInfo* const stored = findStoredType(offer.stored);
        ASSERT_NE(stored, nullptr);
        // A file has its type's bytes for each parameter, and a little beside them.
        const double bytes = static_cast<double>(stored->blockBytes) *
                             static_cast<double>(facts->transformerWeights.parameters);
        for (const OfferedFile& file : offer.files)
            EXPECT_NEAR(static_cast<double>(file.bytes), bytes, 0.05 * bytes);
    }
}

TEST(OfferedModel, TwoFilesOfAPlainReleaseAreTwoExperts) {
    const ModelFacts facts = offeredModelFacts(requireOffer("wan2.2-vace-fun-a14b")).value();
    EXPECT_EQ(facts.family->name, "wan2.2-vace-a14b");
    EXPECT_EQ(facts.boundaryRatio, facts.family->defaults.boundaryRatio);
    EXPECT_EQ(facts.secondLayers, facts.transformerLayers);
}

TEST(OfferedModel, ThatWasTrainedForMoreIsKnownByTheNameOfItsFile) {
    EXPECT_EQ(offeredModelFacts(requireOffer("wan2.1-bernini-1.3b"))->family->name, "wan2.1-bernini");
    EXPECT_EQ(offeredModelFacts(requireOffer("wan2.2-animate-2-14b"))->family->name, "wan2.2-animate2");
    EXPECT_EQ(offeredModelFacts(requireOffer("wan2.2-animate-2-14b-distilled"))->family->name,
              "wan2.2-animate2-distilled");
    EXPECT_EQ(offeredModelFacts(requireOffer("wan2.2-bernini-a14b"))->family->name, "wan2.2-bernini");
    EXPECT_EQ(offeredModelFacts(requireOffer("wan2.2-t2v-a14b"))->family->name, "wan2.2-t2v-a14b");
}

}  // namespace
}  // namespace meshreel
