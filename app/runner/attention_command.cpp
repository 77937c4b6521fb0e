// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "app/runner/rank_launch.h"
#include "app/runner/run_display.h"
#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_settings.h"
#include "engine/attention/context_split.h"
#include "engine/attention/fixed_m_log.h"
#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/base/worker_pool.h"
#include "engine/launch/rank_process.h"
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/mesh/shard_range.h"
#include "engine/project/attention_check.h"
#include "engine/project/block_size_rows.h"
#include "engine/project/numbers.h"
#include "engine/tensor/dtype.h"
#include "engine/timing/timing_summary.h"
#include "engine/verification/attention_case.h"
#include "engine/verification/attention_trial.h"

namespace meshreel {
namespace {

using nlohmann::ordered_json;

constexpr int maxRepeat = 1'000'000;

struct AttentionArguments {
    AttentionCase attention;
    Seed seed = 0;
    std::string mode;
    std::string mask = "none";
    std::string type = "f32";
    std::string transport = underMpirun() ? "mpi" : "threads";
    std::optional<int> devices = {};
    TrialOptions trial;
    int workers = 0;  // 0: the CPUs divided
    bool oversubscribe = false;

    [[nodiscard]] RankLoad load() const { return oversubscribe ? RankLoad::Unlimited : RankLoad::Limited; }
};

AttentionCase makeCase(const AttentionArguments& arguments, int defaultDevices) {
    AttentionCase attention = arguments.attention;
    attention.seed = arguments.seed ? *arguments.seed : drawSeed();
    attention.devices = arguments.devices.value_or(defaultDevices);
    attention.settings.mode = &requireAttentionMode(arguments.mode);
    attention.settings.flashMinSeqLength = 0;
    attention.mask = parseKeyMask(arguments.mask);
    attention.type = arguments.type == "bf16" ? DType::BF16 : DType::F32;
    if (attention.keyLength == 0)
        attention.keyLength = attention.queryLength;
    requireLegal(attention);
    return attention;
}

ordered_json rangeJson(ShardRange range) {
    return ordered_json::array({range.begin, range.end});
}

/// A device's share of the heads, and which heads it computes: the same unless chunks make it several ranges.
ordered_json headsJson(const AttentionCase& attention, int device) {
    const int ulysses = attention.plan().split.ulysses;
    ordered_json ranges = ordered_json::array();
    for (const ShardRange& range : headRanges(attention, device))
        ranges.push_back(rangeJson(range));
    return {{"heads", rangeJson(headShard({0, attention.heads}, ulysses, device % ulysses))},
            {"head_ranges", ranges}};
}

ordered_json trialJson(const AttentionMeasurement& trial, const AttentionCase& attention) {
    ordered_json json{{"max_abs_error", trial.maxAbsError},
                      {"mean_abs_error", trial.meanAbsError},
                      {"seconds", trial.seconds},
                      {"bytes_moved", trial.bytesMoved},
                      {"bytes_expected", trial.bytesExpected},
                      {"rotations", trial.rotations},
                      {"effective_mode", trial.effectiveMode},
                      {"devices", ordered_json::array()}};
    if (!trial.fixedM.heads.empty())
        json["fixed_m"] = fixedMJson(toCounts(trial.fixedM));
    for (const DeviceMeasurement& device : trial.devices) {
        ordered_json entry{{"device", device.device}};
        entry.update(headsJson(attention, device.device));
        entry.update({{"tokens", rangeJson(device.queryTokens)},
                      {"compute_seconds", device.computeSeconds},
                      {"wait_seconds", device.waitSeconds}});
        json["devices"].push_back(std::move(entry));
    }
    return json;
}

void addEcho(const AttentionArguments& arguments, const AttentionCase& attention, int workers,
             ordered_json& json) {
    json.update({{"mode", attention.settings.mode->name},
                 {"transport", arguments.transport},
                 {"workers", workers},
                 {"batch", attention.batch},
                 {"heads", attention.heads},
                 {"seq", attention.queryLength},
                 {"kv_seq", attention.keyLength},
                 {"head_dim", attention.headDim},
                 {"dtype", arguments.type},
                 {"mask", attention.mask.text()},
                 {"ring", attention.plan().split.ring},
                 {"ulysses", attention.plan().split.ulysses},
                 {"chunks", attention.settings.chunks},
                 {"seed", attention.seed},
                 {"gain", attention.gain},
                 {"repeat", arguments.trial.repeat}});
}

/// Measures on a mesh of this process and maybe others; the first one prints.
int measureOn(const DeviceMeshOptions& meshOptions, const AttentionArguments& arguments,
              const AttentionCase& attention, const StopToken& stop) {
    DeviceMesh mesh(meshOptions);
    const AttentionMeasurement trial = runTrial(mesh, attention, arguments.trial, stop);
    if (mesh.firstDevice() > 0)
        return 0;
    ordered_json json = trialJson(trial, attention);
    addEcho(arguments, attention, mesh.workersPerDevice(), json);
    say("{}\n", json.dump());
    std::fflush(stdout);
    requireSound(trial, attention);
    return 0;
}

int measureOnThreads(const AttentionArguments& arguments) {
    const AttentionCase attention = makeCase(arguments, 1);
    if (const auto overload = deviceOverload(attention.devices, availableCpus());
        overload && !arguments.oversubscribe)
        throw Error(ErrorKind::Project, atPlace("--devices", *overload));
    const Interrupt interrupt;
    DeviceMeshOptions options = trialMesh(attention);
    options.workersPerDevice = arguments.workers;
    return measureOn(options, arguments, attention, interrupt.token());
}

/// What is illegal is so on every rank: all end with the same code, and the first one says why.
int measureAsRank(const AttentionArguments& arguments) {
    return runAsStoppableRank(arguments.load(), [&](MpiSession& session, const StopToken& stop) {
        AttentionCase attention;
        try {
            attention = makeCase(arguments, session.ranks());
        } catch (const Error& illegal) {
            if (session.rank() == 0)
                say(stderr, "meshreel: {}\n", illegal.what());
            return exitCode(illegal.kind());
        }
        if (!arguments.seed)  // the one that rank 0 drew
            attention.seed = std::stoull(session.broadcastText(std::to_string(attention.seed)));
        return measureOn(rankMesh(session, attention.devices, arguments.workers), arguments, attention, stop);
    });
}

/// One rank for each device.
int launchRanksFor(const AttentionArguments& arguments, const CLI::App& command) {
    const AttentionCase attention = makeCase(arguments, 1);
    const Interrupt interrupt;
    say("{}", launchLocally(attention.devices, arguments.load(), givenArguments(command), interrupt.token()));
    std::fflush(stdout);
    return 0;
}

int measure(const AttentionArguments& arguments, const CLI::App& command) {
    if (arguments.transport == "threads")
        return measureOnThreads(arguments);
    return underMpirun() ? measureAsRank(arguments) : launchRanksFor(arguments, command);
}

void addProblem(CLI::App& app, AttentionArguments& arguments) {
    AttentionCase& attention = arguments.attention;
    app.add_option("--mode", arguments.mode, "Attention mode; see meshreel modes")
        ->required()
        ->type_name("NAME");
    app.add_option("--heads", attention.heads, "Heads")->required()->type_name("H");
    app.add_option("--seq", attention.queryLength, "Queries of the whole sequence")
        ->required()
        ->type_name("S");
    app.add_option("--head-dim", attention.headDim, "Features of a head")->required()->type_name("D");
    app.add_option("--batch", attention.batch, "Batch")->type_name("B");
    app.add_option("--kv-seq", attention.keyLength,
                   "Keys of the whole sequence; as many as queries otherwise")
        ->type_name("T")
        ->check(CLI::PositiveNumber);
    app.add_option("--mask", arguments.mask,
                   "Masked keys: none, tail:K or head:K (the last or first K), row:B (all of batch row B), "
                   "random:P (each with probability P)")
        ->type_name("MASK");
    app.add_option("--dtype", arguments.type, "Type of query, key, value and output")
        ->check(CLI::IsMember({"f32", "bf16"}));
    addSeedOption(app, arguments.seed, "Seed of the standard normal inputs; -1 draws a random one");
    app.add_option("--gain", attention.gain, "Factor of query and key")->type_name("G");
}

void addSharding(CLI::App& app, AttentionArguments& arguments) {
    AttentionSettings& settings = arguments.attention.settings;
    app.add_option("--devices", arguments.devices,
                   "Devices of the context axis; otherwise as many as MPI ranks, or 1")
        ->type_name("N");
    app.add_option("--ulysses-shards", settings.ulyssesShards,
                   "Devices that exchange heads (ulysses_ring modes)")
        ->type_name("U")
        ->check(CLI::PositiveNumber);
    app.add_option("--chunks", settings.chunks, "ulysses_attention_chunks")->type_name("C");
    app.add_option("--sharding-uniform", settings.uniformSharding, "attention_sharding_uniform")
        ->type_name("BOOL");
    app.add_option("--workers", arguments.workers, "Threads of each device")
        ->type_name("W")
        ->check(CLI::Range(1, maxWorkers));
    app.add_option("--transport", arguments.transport,
                   "How the devices exchange data: in memory, or as MPI ranks that are started here unless "
                   "mpirun did")
        ->check(CLI::IsMember({"threads", "mpi"}));
    app.add_flag(oversubscribeOption, arguments.oversubscribe, oversubscribeHelp);
}

void addKernel(CLI::App& app, AttentionArguments& arguments) {
    AttentionSettings& settings = arguments.attention.settings;
    for (const BlockSizeRow& row : blockSizeRows()) {
        std::string option = fmt::format("--{}", row.name());
        std::ranges::replace(option, '_', '-');
        app.add_option(option, settings.blocks.*row.member, std::string(row.help))->type_name("N");
    }
    auto* base2 =
        app.add_option("--base2-exp", settings.base2, "Whether exponents are of base 2")->type_name("BOOL");
    app.add_flag_callback(
           "--no-base2", [&settings] { settings.base2 = false; }, "The same as --base2-exp false")
        ->excludes(base2);
    app.add_option("--repeat", arguments.trial.repeat, "Runs to take the median of")
        ->type_name("R")
        ->check(CLI::Range(1, maxRepeat));
}

}  // namespace

Action declareAttention(CLI::App& app) {
    const auto arguments = std::make_shared<AttentionArguments>();
    arguments->attention.keyLength = 0;
    addProblem(app, *arguments);
    addSharding(app, *arguments);
    addKernel(app, *arguments);
    return [arguments, &app] { return measure(*arguments, app); };
}

}  // namespace meshreel
