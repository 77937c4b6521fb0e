// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model_fit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/catalogue/offered_model.h"
#include "engine/planning/memory_fit.h"
#include "engine/project/project_keys.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t gib = std::uint64_t{1} << 30;
constexpr std::array<std::uint64_t, 5> limits{4, 8, 12, 23, 48};  // GiB
constexpr std::uint64_t moreThanAll = std::uint64_t{1} << 42;

PlanOptions optionsFor(const ModelFacts& facts, std::uint64_t memory) {
    return {.memoryBytes = memory,
            .drivers = std::vector<GpuDriver>(),
            .model = std::make_shared<const ModelFacts>(facts)};
}

Project changed(Project project, const KeyChanges& changes) {
    for (const KeyChange& change : changes)
        setFromText(project, *findProjectKey(change.key), change.value);
    return project;
}

/// Id of the problem with which a plan is refused; empty where there is one.
ProblemId refusalOf(const Project& project, const PlanOptions& options) {
    try {
        static_cast<void>(makePlan(project, options));
    } catch (const Error& refused) {
        return refused.problem().id;
    }
    return {};
}

ModelFit fitIn(const char* offer, std::uint64_t memory) {
    return fitOffer(requireOffer(offer), 0, memory, std::vector<GpuDriver>()).memory.value();
}

Sentence fitSentenceIn(const char* offer, std::uint64_t memory, const DiskRate& rate = {}) {
    return fitSentence(fitIn(offer, memory), rate);
}

void expectPlanned(const ModelFit& fit, const Project& asked, const PlanOptions& options) {
    const PlanPtr plan = makePlan(changed(asked, fit.changes), options);
    EXPECT_EQ(plan->memory.peak(), fit.memory);
    EXPECT_EQ(diskBytesPerStep(*plan), fit.diskBytesPerStep);
    EXPECT_EQ(fit.kind, fit.diskBytesPerStep > 0 ? FitKind::Streamed : FitKind::Fits);
}

TEST(ModelFit, SaysOfEveryOfferWhatAPlanSaysOfItsProject) {
    for (const ModelOffer& offer : modelOffers()) {
        const std::optional<ModelFacts> facts = offeredModelFacts(offer);
        EXPECT_EQ(facts.has_value(), offer.kind == OfferKind::Model) << offer.id;
        if (!facts)
            continue;
        const Project asked = usualProject(*facts);
        for (const std::uint64_t limit : limits) {
            SCOPED_TRACE(offer.id + " in " + std::to_string(limit) + " GiB");
            const PlanOptions options = optionsFor(*facts, limit * gib);
            const ModelFit fit = fitIn(offer.id.c_str(), limit * gib);
            EXPECT_EQ(fit.available, limit * gib);
            if (fit.kind != FitKind::TooLarge) {
                expectPlanned(fit, asked, options);
                continue;
            }
            EXPECT_EQ(refusalOf(asked, options), ProblemId("memory-short"));
            PlanOptions beyond = options;  // a refusal would look for what fits, each time
            beyond.beyondMemory = true;
            for (const Project& leaner : leanerProjects(asked, limit * gib))
                EXPECT_GT(makePlan(leaner, beyond)->memory.peak(), limit * gib);
            EXPECT_GT(fit.memory, limit * gib);
            if (fit.smaller != nullptr) {
                Project smaller = asked;
                smaller.width = fit.smaller->project.width;
                smaller.height = fit.smaller->project.height;
                EXPECT_LT(smaller.width, asked.width);
                expectPlanned(*fit.smaller, smaller, options);
            }
        }
    }
}

TEST(ModelFit, IsNoWorseInMoreMemory) {
    for (const ModelOffer& offer : modelOffers())
        if (offer.kind == OfferKind::Model) {
            FitKind kind = FitKind::TooLarge;
            for (const std::uint64_t limit : limits) {
                const FitKind more = fitIn(offer.id.c_str(), limit * gib).kind;
                EXPECT_LE(more, kind) << offer.id << " in " << limit << " GiB";
                kind = more;
            }
            EXPECT_EQ(fitIn(offer.id.c_str(), moreThanAll).kind, FitKind::Fits);
        }
}

TEST(ModelFit, A14BModelRunsInLessThanItsWeights) {
    const auto fits = [](const char* offer, std::uint64_t memory, const KeyChanges& changes) {
        const ModelFit fit = fitIn(offer, memory);
        EXPECT_EQ(fit.kind, FitKind::Fits) << offer;
        EXPECT_EQ(fit.changes, changes) << offer;
    };
    const KeyChanges int8{{"weights_dtype", "int8"}};
    fits("wan2.1-t2v-14b", 64 * gib, {});
    fits("wan2.1-t2v-14b", 23 * gib, int8);
    fits("wan2.1-t2v-14b-fp8", 23 * gib, int8);
    fits("wan2.2-t2v-a14b", 48 * gib, {});  // one expert at a time
    const ModelFit streamed = fitIn("wan2.1-t2v-14b", 12 * gib);
    EXPECT_EQ(streamed.kind, FitKind::Streamed);
    EXPECT_EQ(streamed.changes.size(), 1U);
    EXPECT_EQ(streamed.changes.front().key, "memory_budget");
    // Not more than all weights in both halves of guidance, and not less than what does not fit.
    EXPECT_LT(streamed.diskBytesPerStep, 2 * 28.6e9);
    EXPECT_GT(streamed.diskBytesPerStep, 2 * (28.5e9 - 12.0 * gib));
}

TEST(ModelFit, TellsTheTimeOfStreamingByTheDisksRate) {
    const DiskRate measured{.bytesPerSecond = 0.1e9, .isMeasured = true};
    const ModelFit fit = fitIn("wan2.1-t2v-14b", 12 * gib);
    EXPECT_THAT(testing::valuesOf(fitSentenceIn("wan2.1-t2v-14b", 12 * gib, measured)),
                ::testing::ElementsAre(fmt::format("{:.1f}", secondsLonger(fit, measured) / 60)));
    // Nobody measured it: the bytes, and at which rate.
    EXPECT_THAT(fitSentenceIn("wan2.1-t2v-14b", 12 * gib),
                testing::Names(formatBytes(fit.diskBytesPerStep), "1"));
    EXPECT_NEAR(secondsLonger(fit, measured), 10 * secondsLonger(fit, {}), 1e-6);
    EXPECT_THAT(rateSentence({}), testing::Names("1"));
    EXPECT_THAT(rateSentence(measured), testing::Names("0.1"));
    EXPECT_NE(testing::patternOf(rateSentence({})), testing::patternOf(rateSentence(measured)));
}

TEST(ModelFit, WhatIsTooLargeSaysWhyAndWhatFits) {
    const ModelFit fit = fitIn("wan2.2-i2v-a14b", 4 * gib);
    ASSERT_EQ(fit.kind, FitKind::TooLarge);
    ASSERT_NE(fit.smaller, nullptr);
    EXPECT_THAT(fitSentence(fit, {}).text(), HasSubstr(videoText(fit.project)));
    EXPECT_THAT(fitSentence(fit, {}).text(), HasSubstr(videoText(fit.smaller->project)));
    EXPECT_THAT(fitSentence(fit, {}), testing::Names("4.0 GiB"));
    EXPECT_EQ(fitJson(fit, {}).at("smaller").at("fit"), enumName(fit.smaller->kind));
}

TEST(ModelFit, AWordSaysInAListWhatTheSentenceSays) {
    EXPECT_EQ(fitWord(fitIn("wan2.1-t2v-14b", 64 * gib)).text(), "fits");
    EXPECT_EQ(fitWord(fitIn("wan2.1-t2v-14b", 12 * gib)).text(), "fits, streamed");
    const ModelFit large = fitIn("wan2.2-i2v-a14b", 4 * gib);
    EXPECT_THAT(testing::valuesOf(fitWord(large)), ::testing::ElementsAre(formatBytes(large.memory)));
    EXPECT_EQ(fitWord(OfferFit{.bytesMissing = 2, .diskFree = 1}).text(), "disk too small");
    EXPECT_EQ(fitWord(OfferFit{.bytesMissing = 1, .diskFree = 1}).text(), "fits");
}

TEST(ModelFit, AFullDiskIsToldFirst) {
    const OfferFit fit{
        .memory = fitIn("wan2.1-t2v-1.3b", moreThanAll), .bytesMissing = 2 * gib, .diskFree = gib};
    EXPECT_THAT(testing::valuesOf(fitSentence(fit, {})), ::testing::ElementsAre("2.0 GiB", "1.0 GiB"));
    EXPECT_THAT(testing::valuesOf(fitSentence(OfferFit{.bytesMissing = 1, .diskFree = 1}, {})), IsEmpty());
}

TEST(ModelFit, WhereNoSettingAloneDoesARefusedPlanNamesSeveral) {
    int together = 0;
    for (const ModelOffer& offer : modelOffers())
        if (const std::optional<ModelFacts> facts = offeredModelFacts(offer))
            for (const std::uint64_t limit : {6, 12}) {
                const ModelFit fit = fitIn(offer.id.c_str(), limit * gib);
                const Project asked = usualProject(*facts);
                const PlanOptions options = optionsFor(*facts, limit * gib);
                if (fit.kind == FitKind::TooLarge || fit.changes.empty())
                    continue;
                SCOPED_TRACE(offer.id + " in " + std::to_string(limit) + " GiB");
                try {
                    static_cast<void>(makePlan(asked, options));
                } catch (const Error& refused) {
                    ASSERT_EQ(refused.problem().id, ProblemId("memory-short"));
                    const KeyChanges first = refused.problem().fixes.front().changes;
                    ASSERT_THAT(first, Not(IsEmpty()));
                    const Project fixed = changed(asked, first);
                    EXPECT_EQ(fixed.width, asked.width) << "the same video";
                    EXPECT_EQ(fixed.numFrames, asked.numFrames);
                    EXPECT_NO_THROW(static_cast<void>(makePlan(fixed, options)));
                    together += first.size() > 1 ? 1 : 0;
                }
            }
    EXPECT_GT(together, 0);
}

TEST(ModelFit, LinesForAProjectSayWhatFits) {
    const ModelFit fit = fitIn("wan2.1-t2v-14b", 23 * gib);
    EXPECT_EQ(fitLines(fit),
              "width: 832\nheight: 480\nnum_frames: 81\nweights_dtype: int8\nactivations_dtype: bfloat16\n");
}

}  // namespace
}  // namespace meshreel
