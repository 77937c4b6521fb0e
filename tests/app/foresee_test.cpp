// SPDX-License-Identifier: GPL-3.0-or-later
// `meshreel foresee` as people and programs call it.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "runner.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;

class Foresee : public testing::RunnerTest {
  protected:
    static std::string preset() {
        return testing::sourceFolder() / "configs/presets/wan2.2-t2v-a14b-720p-ring2d-cp4.yaml";
    }
    static std::string published() { return testing::sourceFolder() / "resources/published/times.csv"; }
};

TEST_F(Foresee, RanksMeshesOfAModelThatIsNotHere) {
    const ProcessResult result =
        meshreel({"foresee", preset(), "--hardware", "tpu-v7x", "--devices", "8,16", "--price", "12.5"});
    EXPECT_EQ(result.exitCode, Done) << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr("8 x TPU v7x"), HasSubstr("dp2-cp4-U2R2"), HasSubstr("money"),
                                  HasSubstr("16 x TPU v7x")));
    const ProcessResult listed =
        meshreel({"foresee", preset(), "--hardware", "tpu-v7x", "--devices", "16", "--json"});
    const json foreseen = json::parse(listed.out);
    const json& refused = foreseen.at("meshes_by_devices").at(0).at("refused");
    EXPECT_TRUE(std::ranges::any_of(refused, [&result](const json& mesh) {
        return mesh.at("mesh") == "dp1-cp16 ulysses_custom" &&
               result.out.find(mesh.at("why").get<std::string>()) != std::string::npos;
    })) << refused;
}

TEST_F(Foresee, JsonHasEveryMeshWithCausesAndRange) {
    const ProcessResult result = meshreel(
        {"foresee", preset(), "--hardware", "h100", "--devices", "8", "--program", "sglang", "--json"});
    ASSERT_EQ(result.exitCode, Done) << result.err;
    const json object = json::parse(result.out);
    EXPECT_EQ(object["hardware"], "h100");
    EXPECT_EQ(object["program"], "sglang");
    const json& meshes = object["meshes_by_devices"][0]["meshes"];
    ASSERT_GT(meshes.size(), 5U);
    const json& best = meshes[0];
    EXPECT_LT(best["step"]["low"], best["step"]["seconds"]);
    EXPECT_LT(best["step"]["seconds"], meshes.back()["step"]["seconds"]);
    double sum = 0;
    for (const json& seconds : best["causes"])
        sum += seconds.get<double>();
    EXPECT_NEAR(sum, best["step"]["seconds"].get<double>(), 1e-6);
}

TEST_F(Foresee, PlanAndValidateSpeakOfTheTargetHardware) {
    const std::vector<std::string> ring{"--hardware", "tpu-v7x",
                                        "--set",      "ulysses_shards=1",
                                        "--set",      "ici_data_parallelism=1",
                                        "--set",      "ici_context_parallelism=8"};
    std::vector<std::string> plan{"plan", preset()};
    plan.insert(plan.end(), ring.begin(), ring.end());
    const ProcessResult planned = meshreel(plan);
    EXPECT_EQ(planned.exitCode, Done) << planned.err;
    EXPECT_THAT(planned.out, HasSubstr("TPU v7x"));
    plan.front() = "validate";
    const ProcessResult validated = meshreel(plan);
    EXPECT_THAT(validated.err, AllOf(HasSubstr("warning: "), HasSubstr("--set attention=ulysses_custom")));
    EXPECT_THAT(faultsIn(plan), ::testing::Contains("mesh-slow"));
    const ProcessResult alone = meshreel({"plan", preset(), "--program", "wan"});
    EXPECT_NE(alone.exitCode, Done) << "a program without hardware";
}

TEST_F(Foresee, MemoryThatDoesNotFitIsSaidWithTheNumber) {
    const ProcessResult result =
        meshreel({"foresee", preset(), "--hardware", "h100", "--devices", "1", "--json"});
    ASSERT_EQ(result.exitCode, Done) << result.err;
    std::vector<std::string> small{"foresee",   preset(), "--hardware", "rtx-4090",
                                   "--devices", "2",      "--program",  "lightx2v"};
    EXPECT_THAT(meshreel(small).out, HasSubstr("24 GiB"));
    small.emplace_back("--json");
    const json foreseen = json::parse(meshreel(small).out);
    const json& meshes = foreseen.at("meshes_by_devices").at(0).at("meshes");
    ASSERT_FALSE(meshes.empty());
    for (const json& mesh : meshes)
        EXPECT_EQ(mesh.at("fits"), mesh.at("memory_bytes").get<double>() <= 24.0 * (1 << 30)) << mesh;
    EXPECT_EQ(meshes.at(0).at("fits"), false);
}

TEST_F(Foresee, ExplainsOneMesh) {
    const ProcessResult result = meshreel(
        {"foresee", preset(), "--hardware", "tpu-v7x", "--devices", "8", "--explain", "dp2-cp4-u1r4"});
    EXPECT_EQ(result.exitCode, Done) << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr("dp2-cp4-U1R4"), HasSubstr("hops"), HasSubstr("block sizes")));
    const ProcessResult unknown =
        meshreel({"foresee", preset(), "--hardware", "tpu-v7x", "--devices", "8", "--explain", "dp3"});
    EXPECT_EQ(unknown.exitCode, BadProject);
    EXPECT_THAT(unknown.err, HasSubstr("dp2-cp4-U2R2"));
}

TEST_F(Foresee, ScalesToFourThousandDevicesAndSaysWhatBreaks) {
    const ProcessResult result =
        meshreel({"foresee", preset(), "--hardware", "tpu-v7x", "--scaling", "--json"});
    ASSERT_EQ(result.exitCode, Done) << result.err;
    const json points = json::parse(result.out)["scaling"];
    ASSERT_EQ(points.size(), 13U);
    EXPECT_EQ(points.back()["devices"], 4096);
    EXPECT_LT(points.back()["efficiency"].get<double>(), 0.5);
    EXPECT_TRUE(points.back()["limit"].is_string());
}

TEST_F(Foresee, EveryFormOfOutput) {
    const std::vector<std::string> line{"foresee", preset(), "--hardware", "tpu-v6e", "--devices", "8"};
    const auto with = [&](const char* flag) {
        std::vector<std::string> words = line;
        words.emplace_back(flag);
        return meshreel(words).out;
    };
    EXPECT_THAT(with("--markdown"), HasSubstr("| mesh | attention |"));
    EXPECT_THAT(with("--csv"), HasSubstr("devices,mesh,attention,block_q"));
}

TEST_F(Foresee, ChecksATableOfPublishedTimes) {
    const ProcessResult result = meshreel({"foresee", "--check", published(), "--json"});
    ASSERT_EQ(result.exitCode, Done) << result.err;
    const json object = json::parse(result.out);
    EXPECT_EQ(object["rows"].size(), 340U);
    for (const char* key : {"id", "predicted", "measured", "low", "high", "covered", "why_not"})
        EXPECT_TRUE(object["rows"][0].contains(key)) << key;
    EXPECT_LE(object["summary"]["median_error"].get<double>(), 0.10);
    const ProcessResult missing = meshreel({"foresee", "--check", file("none.csv").string()});
    EXPECT_EQ(missing.exitCode, BadInput);
    writeFileAtomically(file("bad.csv"), "id,hardware,metric,seconds\n1,H100,e2e,soon\n");
    const ProcessResult bad = meshreel({"foresee", "--check", file("bad.csv").string()});
    EXPECT_EQ(bad.exitCode, BadInput);
    EXPECT_THAT(bad.err, HasSubstr("bad.csv:2"));
}

TEST_F(Foresee, ChecksTimesByAFitWithoutTheirSource) {
    writeFileAtomically(
        file("one.csv"),
        "id,framework,model,task,hardware,chips_or_gpus,devices,width,height,frames,steps,batch,"
        "attention,forwards_per_step,metric,seconds,source\n"
        "1,Wan (own repo),Wan2.1-T2V-14B,t2v,H100,1,1,1280,720,81,50,1,FA3,2,total,1000,mine\n");
    const ProcessResult result =
        meshreel({"foresee", "--check", file("one.csv").string(), "--leave-source-out", "--json"});
    ASSERT_EQ(result.exitCode, Done) << result.err;
    EXPECT_TRUE(json::parse(result.out).at("summary").at("by_source").contains("mine")) << result.out;
    EXPECT_EQ(meshreel({"foresee", preset(), "--hardware", "h100", "--leave-source-out"}).exitCode,
              BadProject);
}

TEST_F(Foresee, APastedSummaryFitsAProfileThatMovesEveryMesh) {
    writeFileAtomically(
        file("pasted.txt"),
        "TIMING SUMMARY (slow pod)\n"
        "Load (checkpoint): 100.0s\nCompile: 20.0s\nInference: 170.0s\n"
        "  Conditioning: 4.0s\n    - VAE Encode: 0.0s\n  Denoise Total: 160.0s\n  VAE Decode: 6.0s\n"
        "    - TPU Compute: 5.0s\n    - Host Formatting: 1.0s\n");
    const std::string own = file("pod.yaml").string();
    const ProcessResult fit =
        meshreel({"foresee", preset(), "--hardware", "tpu-v7x", "--devices", "8", "--set",
                  "ici_data_parallelism=2", "--fit", file("pasted.txt").string(), "-o", own});
    ASSERT_EQ(fit.exitCode, Done) << fit.err;
    EXPECT_THAT(fit.out, HasSubstr("4 measured times"));
    const auto best = [&](const std::string& hardware) {
        const ProcessResult result =
            meshreel({"foresee", preset(), "--hardware", hardware, "--devices", "16", "--json"});
        EXPECT_EQ(result.exitCode, Done) << result.err;
        return json::parse(result.out)["meshes_by_devices"][0]["meshes"][0]["step"]["seconds"].get<double>();
    };
    EXPECT_GT(best(own), 1.15 * best("tpu-v7x"));
    const ProcessResult again = meshreel({"foresee", preset(), "--hardware", own, "--fit",
                                          file("pasted.txt").string(), "-o", file("x.yaml").string()});
    EXPECT_EQ(again.exitCode, BadProject);
    EXPECT_THAT(again.err, AllOf(HasSubstr("--hardware: "), HasSubstr("tpu-v7x")));
    EXPECT_FALSE(std::filesystem::exists(file("x.yaml")));
}

TEST_F(Foresee, TakesTheProjectBehindItsOptions) {
    const ProcessResult result = meshreel({"foresee", "--hardware", "h100", "--devices", "4,8", preset()});
    EXPECT_EQ(result.exitCode, Done) << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr("4 x NVIDIA H100"), HasSubstr("8 x NVIDIA H100")));
}

TEST_F(Foresee, RefusesWithWhatToDo) {
    EXPECT_THAT(meshreel({"foresee", preset(), "--hardware", "abacus", "--devices", "8"}).err,
                HasSubstr("tpu-v7x"));
    EXPECT_THAT(meshreel({"foresee", preset(), "--devices", "8"}).err, HasSubstr("tpu-v7x"));
    EXPECT_THAT(meshreel({"foresee", preset(), "--hardware", "h100"}).err, HasSubstr("--devices 8"));
    EXPECT_THAT(meshreel({"foresee", preset(), "--hardware", "h100", "--devices", "8", "--program", "x"}).err,
                HasSubstr("sglang"));
    EXPECT_THAT(meshreel({"foresee", "--hardware", "h100", "--devices", "8"}).err,
                HasSubstr("--check FILE.csv"));
    EXPECT_NE(meshreel({"foresee", preset(), "--hardware", "h100", "--devices", "0"}).exitCode, Done);
}

TEST_F(Foresee, RefusesHostileProfiles) {
    for (const std::string& text :
         {std::string("a: &a [*a]\n"), std::string(1 << 21, 'x'),
          std::string("links: [{devices: 99999999999999999999}]\n"), std::string("\0\0\0", 3)}) {
        writeFileAtomically(file("hostile.yaml"), text);
        const ProcessResult result =
            meshreel({"foresee", preset(), "--hardware", file("hostile.yaml").string(), "--devices", "8"});
        EXPECT_EQ(result.exitCode, BadProject);
        EXPECT_THAT(result.err, AllOf(HasSubstr("hostile.yaml"), Not(HasSubstr("defect"))));
    }
}

}  // namespace
}  // namespace meshreel
