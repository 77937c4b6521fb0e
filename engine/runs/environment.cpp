// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/environment.h"

#include <fmt/core.h>
#include <gnu/libc-version.h>
#include <spdlog/version.h>
#include <unicode/uversion.h>
#include <nlohmann/json.hpp>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

#include <array>
#include <string_view>

#include "engine/attention/attention.h"
#include "engine/base/version.h"
#include "engine/base/worker_pool.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/dispatch/dnnl_library.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/planning/cost/run_work.h"

namespace meshreel {
namespace {

// JSON pointers to what decides the bits of a result.
constexpr std::array<std::string_view, 11> decisiveFacts{
    "/meshreel/version",   "/meshreel/commit",
    "/meshreel/compiler",  "/isa",
    "/workers_per_device", "/mesh",
    "/attention",          "/libraries/openblas",
    "/libraries/onednn",   "/libraries/glibc",
    "/adapters",
};
constexpr std::string_view buildIdFact = "/meshreel/build_id";

/// A commit tells what was built only when nothing was changed on top of it. The Studio and the runner of one
/// clean commit compute the same bits.
bool tellsTheSource(std::string_view commit) {
    return commit != "unknown" && !commit.ends_with("-dirty");
}

std::string versionText(unsigned packed) {
    return fmt::format("{}.{}.{}", AV_VERSION_MAJOR(packed), AV_VERSION_MINOR(packed),
                       AV_VERSION_MICRO(packed));
}

nlohmann::json libraries() {
    return {
        {"openblas", matmulLibrary()},
        {"onednn", dnnlVersion()},
        {"glibc", gnu_get_libc_version()},
        {"libavformat", versionText(avformat_version())},
        {"libavcodec", versionText(avcodec_version())},
        {"libswscale", versionText(swscale_version())},
        {"icu", U_ICU_VERSION},
        {"yaml-cpp", MESHREEL_YAML_CPP_VERSION},
        {"sentencepiece", MESHREEL_SENTENCEPIECE_VERSION},
        {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
        {"spdlog", fmt::format("{}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH)},
        {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                      NLOHMANN_JSON_VERSION_PATCH)},
    };
}

/// Nothing of a model without any: runs that know of none can be continued.
nlohmann::json adapterIdentities(const RunPlan& plan) {
    nlohmann::json identities = plan.adapters.empty() ? nlohmann::json() : nlohmann::json::array();
    for (const PlannedAdapter& planned : plan.adapters)
        identities.push_back(fmt::format("transformer {}: {}", planned.expert, planned.adapter->identity()));
    return identities;
}

}  // namespace

nlohmann::json describeEnvironment(const RunPlan& plan) {
    const MeshShape mesh = plan.layout.shape();
    const std::int64_t textTokens = plan.project.maxSequenceLength;
    const FlashBlockSizes blocks = resolveFlashBlocks(plan.attention.blocks);
    return {
        {"meshreel",
         {{"version", versionNumber()},
          {"commit", versionCommit()},
          {"compiler", versionCompiler()},
          {"build_id", programBuildId()}}},
        {"adapters", adapterIdentities(plan)},
        {"cpu", cpuModelName()},
        {"isa", isaName()},
        {"cpus", availableCpus()},
        {"devices", mesh.devices()},
        {"ranks", plan.ranks},
        {"workers_per_device", plan.workersPerDevice},
        {"mesh",
         {{"data", mesh.data}, {"fsdp", mesh.fsdp}, {"context", mesh.context}, {"tensor", mesh.tensor}}},
        {"attention",
         {{"requested", plan.attention.mode->name},
          {"self", effectiveKernelName(plan.attention, plan.tokens, plan.tokens)},
          {"cross", effectiveKernelName(plan.attention, plan.tokens, textTokens)},
          {"block_q", blocks.blockQ},
          {"block_kv", blocks.blockKv}}},
        {"precision", precisionJson(plan.precision)},
        {"work", runWorkJson(runWorkOf(plan))},
        {"libraries", libraries()},
    };
}

std::vector<std::string> environmentDifferences(const nlohmann::json& was, const nlohmann::json& is) {
    std::vector<std::string_view> facts(decisiveFacts.begin(), decisiveFacts.end());
    if (!tellsTheSource(is.value("/meshreel/commit"_json_pointer, "unknown")))
        facts.push_back(buildIdFact);
    std::vector<std::string> differences;
    for (const std::string_view fact : facts) {
        const nlohmann::json::json_pointer pointer{std::string(fact)};
        const nlohmann::json before = was.value(pointer, nlohmann::json());
        const nlohmann::json now = is.value(pointer, nlohmann::json());
        if (before != now)
            differences.push_back(fmt::format("{} was {}, is {}", fact.substr(1), before.dump(), now.dump()));
    }
    return differences;
}

}  // namespace meshreel
