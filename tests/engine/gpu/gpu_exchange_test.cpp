// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_exchange.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_facts.h"

namespace meshreel {
namespace {

ChosenGpu chosen(const std::string& id, bool importsHost, std::vector<std::string> peers) {
    return {.facts = {.id = id + "-driver", .importsHost = importsHost, .peers = std::move(peers)}};
}

TEST(GpuExchange, IsAWayThatEachOfTheGpusHasWithEachOther) {
    const ChosenGpu a = chosen("a", true, {"a", "b"});
    const ChosenGpu b = chosen("b", true, {"b", "a"});
    const ChosenGpu alone = chosen("c", true, {"c"});
    const ChosenGpu plain = chosen("d", false, {});
    EXPECT_EQ(exchangeBetween(std::vector{a, b}), GpuExchange::Peers);
    EXPECT_EQ(exchangeBetween(std::vector{a, a}), GpuExchange::Peers);
    EXPECT_EQ(exchangeBetween(std::vector{a, b, alone}), GpuExchange::SharedHost);
    EXPECT_EQ(exchangeBetween(std::vector{a, plain}), GpuExchange::Staged);
    EXPECT_EQ(exchangeBetween(std::vector{a}), GpuExchange::Staged);
}

TEST(GpuExchange, CostsLessWhereLessCopies) {
    EXPECT_LT(costsOf(GpuExchange::Peers).copies, costsOf(GpuExchange::SharedHost).copies);
    EXPECT_LT(costsOf(GpuExchange::SharedHost).hostCopies, costsOf(GpuExchange::Staged).hostCopies);
}

}  // namespace
}  // namespace meshreel
