// SPDX-License-Identifier: GPL-3.0-or-later
// The commands that only tell.
#include <algorithm>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_settings.h"
#include "engine/base/files.h"
#include "engine/base/version.h"
#include "engine/estimates/machine_rates.h"
#include "engine/gpu/gpu_list.h"
#include "engine/project/block_presets.h"
#include "engine/project/project_keys.h"
#include "runner.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;

class Commands : public testing::RunnerTest {};

TEST_F(Commands, HelpNamesEveryCommand) {
    const ProcessResult help = meshreel({"--help"});
    EXPECT_EQ(help.exitCode, 0);
    EXPECT_EQ(help.err, "");
    for (const char* command : {"run", "validate", "plan", "verify", "inspect", "modes", "attention", "check",
                                "isa", "devices", "import", "rates"}) {
        EXPECT_THAT(help.out, HasSubstr(command));
        EXPECT_EQ(meshreel({command, "--help"}).exitCode, 0) << command;
    }
}

TEST_F(Commands, HelpIsGroupedAndShort) {
    const std::string help = meshreel({"--help"}).out;
    std::size_t before = 0;
    for (const char* group : {"Make:", "Look:", "Compare:", "Measure:", "Models:", "Machine:"}) {
        const std::size_t at = help.find(group);
        ASSERT_NE(at, std::string::npos) << group;
        EXPECT_GT(at, before) << group;
        before = at;
    }
    const std::string run = meshreel({"run", "--help"}).out;
    EXPECT_THAT(run, HasSubstr("--help-keys"));
    EXPECT_THAT(run, ::testing::Not(HasSubstr("flash_block_sizes")));
    EXPECT_LT(std::ranges::count(run, '\n'), 60);
}

TEST_F(Commands, RunsAreNamed) {
    for (const char* name : {"20260101-000000-first", "20260102-000000-second"}) {
        const std::filesystem::path runs = options().environment.at("MESHREEL_RUNS");
        ASSERT_EQ(meshreel({"run", project(testing::smallRun()), "--out", (runs / name).string()}).exitCode,
                  0);
    }
    for (const char* name : {"last", "second", "20260102-000000-second"}) {
        const ProcessResult inspected = meshreel({"inspect", name});
        EXPECT_EQ(inspected.exitCode, 0) << inspected.err;
        EXPECT_THAT(inspected.out, HasSubstr("second")) << name;
    }
    EXPECT_EQ(meshreel({"compare", "last~1", "last"}).exitCode, 0);
    const ProcessResult far = meshreel({"inspect", "last~2"});
    EXPECT_NE(far.exitCode, 0);
    EXPECT_THAT(far.err, HasSubstr("(there: 2)"));
    EXPECT_NE(meshreel({"compare", "third", "last"}).exitCode, 0);
}

TEST_F(Commands, WhatWasTypedIsRefusedWithoutAPlace) {
    const ProcessResult refused = meshreel({"plan", project(testing::smallRun()), "--set", "width=40"});
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_THAT(refused.err, HasSubstr("width"));
    EXPECT_THAT(refused.err, ::testing::Not(HasSubstr("command line")));
}

TEST_F(Commands, Version) {
    const ProcessResult version = meshreel({"--version"});
    EXPECT_EQ(version.exitCode, 0);
    EXPECT_THAT(version.out, ::testing::MatchesRegex("meshreel [0-9]+\\.[0-9]+\\.[0-9]+ \\([^ ,]+, " +
                                                     std::string(versionPreset()) + "\\)\n"));
}

TEST_F(Commands, ModesListsTheTable) {
    const ProcessResult modes = meshreel({"modes"});
    EXPECT_EQ(modes.exitCode, 0);
    for (const AttentionMode& mode : attentionModes())
        EXPECT_THAT(modes.out, HasSubstr(mode.name));
    for (const BlockPreset& preset : blockPresets()) {
        EXPECT_THAT(modes.out, HasSubstr(preset.name));
        EXPECT_THAT(modes.out, HasSubstr(preset.source));
    }
}

TEST_F(Commands, ImportMakesAProjectAndTellsWhatBecameOfEachKey) {
    writeFileAtomically(file("base.yml"),
                        "height: 480\nwidth: 832\nprompt: a cat\nlearning_rate: 1.e-5\nscan_layers: True\n");
    const std::string target = file("wan.yaml").string();
    const std::vector<std::string> line{"import",
                                        file("base.yml").string(),
                                        "ici_ring_parallelism=2",
                                        "ici_ulysses_parallelism=2",
                                        "attention=ulysses_ring",
                                        "-o",
                                        target};
    const ProcessResult imported = meshreel(line);
    ASSERT_EQ(imported.exitCode, 0) << imported.err;
    for (const char* part : {"width: 832", "ici_context_parallelism: 4", "ulysses_shards: 2", "base.yml:4",
                             "nothing is trained here"})
        EXPECT_THAT(imported.err, HasSubstr(part));
    EXPECT_THAT(readFile(target), HasSubstr("ulysses_shards: 2"));
    const ProcessResult again = meshreel(line);
    EXPECT_EQ(again.exitCode, 3);
    EXPECT_THAT(again.err, HasSubstr("--force"));
    const ProcessResult words = meshreel({"import", "height=480", "prompt=a cat", "--json"});
    EXPECT_EQ(words.exitCode, 0) << words.err;
    const auto report = nlohmann::json::parse(words.out);
    EXPECT_EQ(report.at("keys").size(), 2U);
    EXPECT_THAT(report.at("project").get<std::string>(), HasSubstr("height: 480"));
}

TEST_F(Commands, ImportTakesTheModelOfTheConfigThatACommandNames) {
    const ProcessResult named = meshreel({"import", "generate_wan.py", "base_wan_27b.yml", "prompt=a cat",
                                          "height=720", "width=1280", "--json"});
    ASSERT_EQ(named.exitCode, 0) << named.err;
    const auto report = nlohmann::json::parse(named.out);
    EXPECT_THAT(report.at("project").get<std::string>(), HasSubstr("Wan-AI/Wan2.2-T2V-A14B-Diffusers"));
    EXPECT_THAT(report.at("problems").dump(), HasSubstr("meshreel get"));
    const ProcessResult bare = meshreel({"import", "base_wan_i2v_14b.yml", "prompt=a cat"});
    EXPECT_EQ(bare.exitCode, 0) << bare.err;
    EXPECT_THAT(bare.out, HasSubstr("Wan-AI/Wan2.1-I2V-14B-720P-Diffusers"));
    EXPECT_NE(meshreel({"import", "no_such_config.yml", "prompt=a cat"}).exitCode, 0);
}

TEST_F(Commands, ImportWritesNothingOfAFileThatItDoesNotKnow) {
    const std::string nodes = R"({"3": {"class_type": "KSampler", "inputs": {"seed": 815, "steps": 6}}})";
    writeFileAtomically(file("api.json"), nodes);
    writeFileAtomically(file("compose.yaml"), "services:\n  web:\n    image: nginx\n");
    writeFileAtomically(file("broken.yaml"), "height: 480\n\t- {");
    writeFileAtomically(file("empty.yml"), "");
    const std::string target = file("target.yaml").string();
    for (const char* name : {"api.json", "compose.yaml", "broken.yaml", "empty.yml"}) {
        const ProcessResult imported = meshreel({"import", file(name).string(), "height=480", "-o", target});
        EXPECT_EQ(imported.exitCode, 2) << name << imported.err;
        EXPECT_FALSE(std::filesystem::exists(target)) << name;
    }
    const ProcessResult command =
        meshreel({"import", "generate_wan.py", "base_wan_99b.yml", "prompt=a cat", "-o", target});
    EXPECT_EQ(command.exitCode, 2);
    EXPECT_FALSE(std::filesystem::exists(target));
    for (const char* verb : {"import", "validate", "plan", "run"})
        EXPECT_THAT(meshreel({verb, file("api.json").string()}).err, HasSubstr("ComfyUI")) << verb;
}

TEST_F(Commands, ImportWritesNothingWhileKeysAreRefused) {
    writeFileAtomically(file("base_wan_14b.yml"), "height: 480\nheigth: 480\nattention: no_such_mode\n");
    const std::string target = file("target.yaml").string();
    const std::vector<std::string> line{"import", file("base_wan_14b.yml").string(), "-o", target};
    const ProcessResult refused = meshreel(line);
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("heigth"), HasSubstr("--skip-refused")));
    EXPECT_FALSE(std::filesystem::exists(target));
    std::vector<std::string> knowingly = line;
    knowingly.emplace_back("--skip-refused");
    const ProcessResult skipped = meshreel(knowingly);
    EXPECT_EQ(skipped.exitCode, 0) << skipped.err;
    EXPECT_THAT(readFile(target), AllOf(HasSubstr("height: 480"), Not(HasSubstr("no_such_mode"))));
}

TEST_F(Commands, AModelThatIsNotThereIsAProblemOfTheProject) {
    writeFileAtomically(file("base_wan_99b.yml"), "prompt: a cat\njax_cache_dir: \"\"\n");
    const std::string unknown = file("unknown.yaml").string();
    ASSERT_EQ(meshreel({"import", file("base_wan_99b.yml").string(), "-o", unknown}).exitCode, 0);
    EXPECT_THAT(readFile(unknown), HasSubstr("base_wan_99b"));
    const ProcessResult validated = meshreel({"validate", unknown});
    EXPECT_EQ(validated.exitCode, 2);
    EXPECT_THAT(validated.err, HasSubstr("base_wan_99b"));
    EXPECT_THAT(faultsIn({"validate", unknown}), ::testing::Contains("model-unusable"));
    EXPECT_NE(meshreel({"plan", unknown}).exitCode, 0);
    const std::string released = file("released.yaml").string();
    ASSERT_EQ(
        meshreel({"import", "generate_wan.py", "base_wan_27b.yml", "prompt=a cat", "-o", released}).exitCode,
        0);
    const ProcessResult known = meshreel({"validate", released});
    // As far as the model goes; the memory of the machine that tests may not do.
    EXPECT_THAT(known.exitCode, ::testing::AnyOf(Done, NoResources)) << known.err;
    EXPECT_THAT(known.err, HasSubstr("warning: "));
    EXPECT_THAT(faultsIn({"validate", released}), ::testing::Contains("model-unusable"));
}

TEST_F(Commands, ComparePastedSummaries) {
    const std::string block =
        "  TIMING SUMMARY (2D Ring, U=2, R=2)\n"
        "  Load (checkpoint):     585.3s\n  Compile:               144.3s\n"
        "  Inference:             116.0s\n";
    writeFileAtomically(file("review.txt"),
                        block + "  TIMING SUMMARY\n" + block.substr(block.find('\n') + 1));
    const ProcessResult compared = meshreel({"compare", file("review.txt").string(), "--json"});
    ASSERT_EQ(compared.exitCode, 0) << compared.err;
    const auto rows = nlohmann::json::parse(compared.out);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].at("run"), "2D Ring, U=2, R=2");
    EXPECT_EQ(rows[1].at("run"), "review");
    EXPECT_EQ(rows[1].at("speed"), 1.0);
    writeFileAtomically(file("empty.txt"), "nothing");
    EXPECT_EQ(meshreel({"compare", file("empty.txt").string()}).exitCode, 3);
}

TEST_F(Commands, IsaTellsWhatIsTakenAndWhyNot) {
    const ProcessResult told = meshreel({"isa", "--json"});
    ASSERT_EQ(told.exitCode, 0) << told.err;
    const auto all = nlohmann::json::parse(told.out);
    EXPECT_EQ(all.at("isa"), all.at("offered").front());
    for (const auto& operation : all.at("operations")) {
        int taken = 0;
        for (const auto& candidate : operation.at("candidates")) {
            taken += candidate.at("taken").get<bool>() ? 1 : 0;
            EXPECT_EQ(candidate.at("taken").get<bool>(), candidate.at("why").get<std::string>().empty())
                << candidate;
        }
        EXPECT_EQ(taken, 1) << operation;
    }
    EXPECT_THAT(meshreel({"isa"}).out, HasSubstr("bf16 matmul"));
}

TEST_F(Commands, IsaIsLimitedBeforeAndAfterTheCommand) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"--isa", "avx2", "isa", "--json"}, {"isa", "--json", "--isa=avx2"}}) {
        const ProcessResult told = meshreel(arguments);
        ASSERT_EQ(told.exitCode, 0) << told.err;
        const auto limited = nlohmann::json::parse(told.out);
        EXPECT_EQ(limited.at("isa"), "avx2");
        EXPECT_THAT(limited.at("blas").get<std::string>(), ::testing::EndsWith("Haswell"));
    }
    const ProcessResult unknown = meshreel({"isa", "--isa", "mmx"});
    EXPECT_EQ(unknown.exitCode, 2);
    EXPECT_THAT(unknown.err, HasSubstr("avx512"));
    testing::ProcessOptions inherited = options();
    inherited.environment["MESHREEL_ISA"] = "avx2";
    EXPECT_EQ(nlohmann::json::parse(meshreel({"isa", "--json"}, inherited).out).at("isa"), "avx2");
}

TEST_F(Commands, DevicesListsWhatIsHereOrWhyNot) {
    const ProcessResult told = meshreel({"devices", "--json"});
    ASSERT_EQ(told.exitCode, 0) << told.err;
    const auto all = nlohmann::json::parse(told.out);
    EXPECT_FALSE(all.at("cpu").at("name").get<std::string>().empty());
    EXPECT_EQ(all.at("gpus").empty() || !all.at("gpus")[0].at("missing").get<std::string>().empty(),
              !all.at("why_no_gpu").get<std::string>().empty());
    std::size_t number = 0;
    for (const auto& gpu : all.at("gpus")) {
        EXPECT_EQ(gpu.at("number"), number++);
        for (const auto& form : gpu.at("forms"))
            EXPECT_EQ(form.at("taken").get<bool>(), form.at("why").get<std::string>().empty()) << form;
    }
    EXPECT_THAT(meshreel({"devices"}).out, HasSubstr("CPU: "));
}

TEST_F(Commands, DevicesSaysWhyThereIsNoGpu) {
    testing::ProcessOptions without = options();
    without.environment["VK_DRIVER_FILES"] = file("nothing.json").string();
    const ProcessResult none = meshreel({"devices"}, without);
    EXPECT_EQ(none.exitCode, 0) << none.err;
    EXPECT_THAT(none.out, HasSubstr(whyNoGpu(std::vector<GpuDriver>()).text()));
    const auto why = [&without] {
        const auto found = nlohmann::json::parse(meshreel({"devices", "--json"}, without).out);
        EXPECT_TRUE(found.at("gpus").empty());
        return found.at("why_no_gpu").get<std::string>();
    };
    EXPECT_EQ(why(), whyNoGpu(std::vector<GpuDriver>()).text());
    writeFileAtomically(
        file("broken.json"),
        R"({"file_format_version": "1.0.0", "ICD": {"library_path": "/nowhere.so", "api_version": "1.2.0"}})");
    without.environment["VK_DRIVER_FILES"] = file("broken.json").string();
    const ProcessResult broken = meshreel({"devices"}, without);
    EXPECT_EQ(broken.exitCode, 0) << broken.err;
    EXPECT_EQ(why(), whyNoGpu({GpuDriver{.manifest = file("broken.json")}}).text());
    EXPECT_THAT(broken.out, AllOf(HasSubstr(why()), HasSubstr(file("broken.json").string())));
}

TEST_F(Commands, KeysAndHelpListTheTable) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"keys"}, {"run", "--help-keys"}}) {
        const ProcessResult keys = meshreel(arguments);
        EXPECT_EQ(keys.exitCode, 0);
        for (const ProjectKey& key : projectKeys())
            EXPECT_THAT(keys.out, HasSubstr(key.name));
    }
}

TEST_F(Commands, PlanTellsShapesWithoutRunning) {
    const ProcessResult plan = meshreel({"plan", project(testing::trainedRun("a red ball"))});
    EXPECT_EQ(plan.exitCode, 0) << plan.err;
    EXPECT_THAT(plan.out, HasSubstr("[1, 16, 5, 8, 8]"));
    EXPECT_FALSE(std::filesystem::exists(options().environment.at("MESHREEL_RUNS")));
}

TEST_F(Commands, PlanForPrograms) {
    const ProcessResult plan = meshreel({"plan", project(testing::smallRun()), "--devices", "4", "--json"});
    EXPECT_EQ(plan.exitCode, 0) << plan.err;
    EXPECT_EQ(nlohmann::json::parse(plan.out).at("mesh").at("axes").at("context"), 4);
}

TEST_F(Commands, PlanListsLegalMeshesThatTheProjectThenHas) {
    const std::string file = project({{"prompt", "a red ball"},
                                      {"devices", "4"},
                                      {"attention", "ulysses"},
                                      {"ici_context_parallelism", "-1"}});
    const ProcessResult lines = meshreel({"plan", "--meshes", file});
    EXPECT_EQ(lines.exitCode, 0) << lines.err;
    EXPECT_THAT(lines.out, AllOf(HasSubstr("*"), HasSubstr("context 4; ulysses; exchange "),
                                 HasSubstr("data 2 × context 2"), HasSubstr("; memory ")));
    const auto meshes = nlohmann::json::parse(meshreel({"plan", "--meshes", "--json", file}).out);
    ASSERT_GT(meshes.size(), 2U);
    EXPECT_EQ(std::ranges::count_if(meshes,
                                    [](const auto& mesh) { return mesh.at("current").template get<bool>(); }),
              1);
    for (const std::size_t index : {std::size_t{0}, meshes.size() - 1}) {
        std::vector<std::string> line{"plan", "--json", file};
        for (const auto& [key, value] : meshes[index].at("set").items())
            line.insert(line.end(), {"--set", key + "=" + value.get<std::string>()});
        const ProcessResult plan = meshreel(line);
        ASSERT_EQ(plan.exitCode, 0) << plan.err;
        EXPECT_EQ(nlohmann::json::parse(plan.out).at("mesh").at("axes"), meshes[index].at("axes"));
    }
}

TEST_F(Commands, PlanNeedsNoWeightsOfAReleasedModel) {
    testing::ProjectKeys keys = testing::smallRun();
    keys["pretrained_model_name_or_path"] = "Wan-AI/Wan2.1-T2V-1.3B-Diffusers";
    const ProcessResult plan = meshreel({"plan", project(keys)});
    EXPECT_EQ(plan.exitCode, 0) << plan.err;
    EXPECT_THAT(plan.out, HasSubstr("30 layers, 12 heads x 128"));
    EXPECT_THAT(plan.err, AllOf(HasSubstr("meshreel get wan2.1-t2v-1.3b"),
                                HasSubstr("hf download Wan-AI/Wan2.1-T2V-1.3B-Diffusers --local-dir")));
    const auto json = nlohmann::json::parse(meshreel({"plan", project(keys), "--json"}).out);
    EXPECT_EQ(json.at("model_on_disk"), false);
    EXPECT_EQ(json.at("problems").at(0).at("id"), "model-unusable");
    EXPECT_EQ(json.at("problems").at(0).at("severity"), "warning");
    EXPECT_EQ(nlohmann::json::parse(meshreel({"plan", project(testing::smallRun()), "--json"}).out)
                  .at("model_on_disk"),
              true);
    EXPECT_EQ(meshreel({"run", project(keys)}).exitCode, 3) << "which needs them";
    keys["lora"] = "[some.safetensors]";
    EXPECT_THAT(meshreel({"plan", project(keys)}).out, HasSubstr("published, without its adapters\n"));
    keys["pretrained_model_name_or_path"] = "Somebody/Else";
    EXPECT_EQ(meshreel({"plan", project(keys)}).exitCode, 3) << "of which nothing is known";
}

TEST_F(Commands, PlanRefusesAModelThatIsHereAndDamaged) {
    const std::filesystem::path folder = file("models") / "Wan-AI" / "Wan2.1-T2V-1.3B-Diffusers";
    std::filesystem::create_directories(folder);
    writeFileAtomically(folder / "model_index.json", "{}");
    testing::ProcessOptions here = options();
    here.environment["MESHREEL_MODELS"] = file("models").string();
    testing::ProjectKeys keys = testing::smallRun();
    keys["pretrained_model_name_or_path"] = "Wan-AI/Wan2.1-T2V-1.3B-Diffusers";
    EXPECT_EQ(meshreel({"plan", project(keys)}, here).exitCode, 3);
}

TEST_F(Commands, RatesAreNotMeasuredAgainWhereThereAreRoundsEnough) {
    MachineRates rates{.machine = MachineIdentity::ofThis(),
                       .measured = "2026-01-02 03:04",
                       .commit = std::string(versionCommit())};
    rates.secondsPerUnit.fill(1e-9);
    rates.firstSteps = {1, 1, 1, 1, 1};
    const std::filesystem::path cache = options().environment.at("XDG_CACHE_HOME");
    const std::filesystem::path kept = cache / "meshreel" / "rates" / ratesFile(rates.machine).filename();
    writeRates(kept, rates);
    const std::string before = readFile(kept);
    for (const std::vector<std::string>& asked :
         {std::vector<std::string>{"rates"}, {"rates", "--rounds", "5"}}) {
        const ProcessResult told = meshreel(asked);
        ASSERT_EQ(told.exitCode, 0) << told.err;
        EXPECT_EQ(told.err, "");
        EXPECT_THAT(told.out, HasSubstr("measured 2026-01-02 03:04 in 5 rounds"));
    }
    EXPECT_EQ(readFile(kept), before);
    EXPECT_EQ(meshreel({"rates", "--rounds", "2"}).exitCode, 2) << "too few for rates";
    rates.commit = "0123456";
    writeRates(kept, rates);
    const ProcessResult other = meshreel({"rates"});
    EXPECT_EQ(other.exitCode, 0);
    EXPECT_THAT(other.err, HasSubstr("(0123456)"));
    const std::string file = project(testing::smallRun());
    EXPECT_THAT(meshreel({"plan", file}).out, HasSubstr("(0123456)"));
    rates.machine.cpus += 1;  // of another machine, though under this one's name
    writeRates(kept, rates);
    EXPECT_THAT(meshreel({"plan", file}).out, Not(HasSubstr("0123456")));
}

TEST_F(Commands, FurtherRoundsGoOnBehindThoseThatAreKept) {
    MachineRates rates{.machine = MachineIdentity::ofThis(),
                       .measured = "2026-01-02 03:04",
                       .commit = std::string(versionCommit())};
    rates.secondsPerUnit.fill(1e-9);
    rates.firstSteps = {1, 1, 1};
    const std::filesystem::path cache = options().environment.at("XDG_CACHE_HOME");
    const std::filesystem::path kept = cache / "meshreel" / "rates" / ratesFile(rates.machine).filename();
    writeRates(kept, rates);
    const std::string before = readFile(kept);
    testing::Process measuring(commandLine({"rates", "--rounds", "7"}), options());
    EXPECT_TRUE(testing::waitUntil(measuring,
                                   [&] { return measuring.errSoFar().find(" s\n") != std::string::npos; }));
    measuring.send(SIGINT);
    const ProcessResult stopped = measuring.wait();
    EXPECT_EQ(stopped.exitCode, 130) << stopped.err;
    EXPECT_THAT(stopped.err, HasSubstr("Round 4 of 7"));
    EXPECT_EQ(readFile(kept), before) << "nothing of a round that did not end is kept";
}

TEST_F(Commands, ValidateTellsGood) {
    const ProcessResult result = meshreel({"validate", project(testing::smallRun())});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(result.err, "");
}

TEST_F(Commands, ValidateListsFixesThatEndTheProblem) {
    const std::string file =
        project({{"prompt", "a red ball"}, {"attention", "ulyses"}, {"devices", "2"}, {"width", "70"}});
    const ProcessResult refused = meshreel({"validate", file});
    EXPECT_EQ(refused.exitCode, BadProject);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("    fix: --set attention=ulysses\n"),
                                   HasSubstr("    fix: --set width=64\n")));
}

TEST_F(Commands, ValidateFixWritesTheFirstFixOfEachErrorAndNamesWhatIsLeft) {
    const std::string file =
        project({{"prompt", "a red ball"}, {"width", "70"}, {"no_such_key_at_all", "1"}});
    const ProcessResult fixed = meshreel({"validate", "--fix", file});
    EXPECT_EQ(fixed.exitCode, BadProject);
    EXPECT_THAT(fixed.out, AllOf(HasSubstr("-width: 70\n"), HasSubstr("+width: 64\n")));
    EXPECT_THAT(fixed.err, AllOf(HasSubstr("no_such_key_at_all"), ::testing::Not(HasSubstr("width"))));
    EXPECT_THAT(readFile(file), AllOf(HasSubstr("width: 64"), HasSubstr("no_such_key_at_all")));

    const std::string other =
        project({{"prompt", "a red ball"}, {"attention", "ulyses"}, {"devices", "2"}}, "other.yaml");
    EXPECT_EQ(meshreel({"validate", "--fix", other}).exitCode, Done);
    EXPECT_EQ(meshreel({"validate", other}).exitCode, Done);
    const std::string once = readFile(other);
    EXPECT_EQ(meshreel({"validate", "--fix", other}).exitCode, Done);
    EXPECT_EQ(readFile(other), once);
}

TEST_F(Commands, ValidateKnowsTheModelThatIsInstalled) {
    testing::ProjectKeys keys = testing::smallRun();
    keys["ici_tensor_parallelism"] = "5";
    const std::string file = project(keys);
    const ProcessResult result = meshreel({"validate", file});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.err, ::testing::ContainsRegex("project.yaml:[0-9]+: .*heads"));
    EXPECT_THAT(meshreel({"plan", file}).err, ::testing::ContainsRegex("project.yaml:[0-9]+: "));
}

TEST_F(Commands, RunTellsWhereTheProjectDoesNotFitTheProcesses) {
    testing::ProjectKeys keys = testing::smallRun();
    keys["attention"] = "ring";
    EXPECT_THAT(meshreel({"run", project(keys)}).err,
                ::testing::ContainsRegex("project.yaml:[0-9]+: .*attention"));
    keys["ici_context_parallelism"] = "2";
    keys["devices"] = "2";
    writeFileAtomically(file("hosts"), "localhost slots=3\n");
    const ProcessResult launched = meshreel({"run", project(keys), "--hosts", file("hosts").string()});
    EXPECT_EQ(launched.exitCode, 2);
    EXPECT_THAT(launched.err, ::testing::ContainsRegex("project.yaml:[0-9]+: "));
}

TEST_F(Commands, DevicesOverrideTheProject) {
    testing::ProjectKeys keys = testing::smallRun();
    keys["ici_context_parallelism"] = "2";
    keys["dcn_context_parallelism"] = "1";
    const std::string file = project(keys);
    const ProcessResult refused = meshreel({"validate", file, "--devices", "3"});
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_THAT(faultsIn({"validate", file, "--devices", "3"}), ::testing::Contains("mesh-product-differs"));
    EXPECT_EQ(meshreel({"validate", file, "--devices", "2"}).exitCode, 0);
    EXPECT_EQ(meshreel({"plan", file, "--devices", "0"}).exitCode, 2);
    EXPECT_THAT(meshreel({"plan", project(testing::smallRun()), "--devices", "4"}).out,
                HasSubstr("context 4"));
}

TEST_F(Commands, TheEmbeddedModelIsInspectedByItsFolder) {
    const ProcessResult result =
        meshreel({"inspect", (testing::sourceFolder() / "resources/models/tiny-wan-t2v").string()});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("demonstration model"));
}

TEST_F(Commands, TheCompletionScriptIsGoodBashAndKnowsTheCommands) {
    const ProcessResult script = meshreel({"completion", "bash"});
    ASSERT_EQ(script.exitCode, 0) << script.err;
    const std::string check =
        script.out +
        "\nCOMP_WORDS=(meshreel ver); COMP_CWORD=1; COMP_LINE='meshreel ver'; COMP_POINT=12\n"
        "f=$(complete -p meshreel | sed 's/.*-F \\([^ ]*\\).*/\\1/'); $f meshreel ver meshreel\n"
        "printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    const testing::ProcessResult completed =
        testing::Process({"/bin/bash", "--norc", "-c", check}, options()).wait();
    EXPECT_EQ(completed.err, "");
    EXPECT_THAT(completed.out, HasSubstr("verify"));
}

TEST_F(Commands, CompletionOfEveryShellNamesCommandsAndTheirOptions) {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const ProcessResult script = meshreel({"completion", shell});
        ASSERT_EQ(script.exitCode, 0) << script.err;
        for (const char* word : {"verify", "foresee", "resume", "markdown"})
            EXPECT_THAT(script.out, HasSubstr(word)) << shell;
    }
}

TEST_F(Commands, TheManualPageNamesEveryCommandKeyAndExitCode) {
    const ProcessResult page = meshreel({"manual"});
    ASSERT_EQ(page.exitCode, 0) << page.err;
    EXPECT_TRUE(page.out.starts_with(".\\\""));
    EXPECT_THAT(page.out, HasSubstr("\n.SS meshreel run\n"));
    EXPECT_THAT(page.out, HasSubstr("\\fBvideo_format\\fR"));
    EXPECT_THAT(page.out, HasSubstr("\n130\nThe work was stopped.\n"));
    for (std::size_t at = page.out.find("\n.SH"); at != std::string::npos; at = page.out.find("\n.", at + 1))
        EXPECT_TRUE(std::isupper(static_cast<unsigned char>(page.out[at + 2])) != 0 ||
                    page.out[at + 2] == 'b')
            << "no sentence is taken for a request: " << page.out.substr(at, 40);
    constexpr std::size_t narrowLine = 60;  // of a terminal of 80 columns, less what is indented
    std::size_t unbroken = 0;
    for (std::size_t at = 0; at < page.out.size(); ++at) {
        const bool breaks =
            page.out[at] == ' ' || page.out[at] == '\n' || page.out.compare(at, 2, "\\:") == 0;
        unbroken = breaks ? 0 : unbroken + 1;
        ASSERT_LE(unbroken, narrowLine)
            << "no line can hold " << page.out.substr(at + 1 - unbroken, unbroken);
    }
}

}  // namespace
}  // namespace meshreel
