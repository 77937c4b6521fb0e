// SPDX-License-Identifier: GPL-3.0-or-later
// Files that were made to harm: the real program refuses each in one sentence, in little memory.
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/files.h"
#include "runner.h"
#include "tests/support/gguf_bytes.h"
#include "tests/support/instrumented.h"
#include "tests/support/locations.h"
#include "tests/support/torch_bytes.h"
#include "tests/support/zero_model.h"

namespace meshreel {
namespace {

namespace pickle = testing::pickle;
using testing::GgufBytes;
using ::testing::HasSubstr;
using testing::ZipBytes;

constexpr std::uint64_t enoughMemory = std::uint64_t{3} << 30;  // with the program, its libraries and the map
constexpr int badInput = 3;

constexpr std::uint32_t ggufArray = 9;
constexpr std::uint32_t ggufString = 8;

std::string safetensors(std::uint64_t headerBytes, const std::string& rest) {
    return std::string(reinterpret_cast<const char*>(&headerBytes), sizeof(headerBytes)) + rest;
}

std::string safetensors(const std::string& header, const std::string& data) {
    return safetensors(header.size(), header + data);
}

std::string endlessLists() {
    GgufBytes file(3, 0, 1);
    file.text("k").number(ggufArray);
    for (int depth = 0; depth < 1'000'000; ++depth)
        file.number(ggufArray).number<std::uint64_t>(1);
    return file.bytes();
}

std::string manyEmptyTexts() {
    GgufBytes file(3, 0, 1);
    file.text("k").number(ggufArray).number(ggufString).number(std::uint64_t{1} << 61);
    return file.bytes() + std::string(1 << 20, '\0');
}

std::string callsTheSystem() {
    return ZipBytes()
        .file("a/data.pkl", pickle::whole(pickle::global("os", "system") + "(" +
                                          pickle::text("touch /tmp/meshreel-was-here") + "tR"))
        .bytes();
}

std::string sharedBytes() {
    ZipBytes zip;
    zip.file("a/data/0", std::string(1 << 16, '\0'));
    for (int copy = 0; copy < 1000; ++copy)
        zip.entry("a/data/0", 1 << 16, 0);
    return zip.bytes();
}

struct HostileFile {
    const char* name;
    std::string bytes;
    const char* sentence;  ///< a part of what is said
};

std::vector<HostileFile> hostileFiles() {
    const std::string f32 = R"("dtype":"F32","shape":)";
    return {
        {"header_of_2_to_63.safetensors", safetensors(std::uint64_t{1} << 63, "{}"), "9223372036854775808"},
        {"shape_of_2_to_63.safetensors",
         safetensors(R"({"t":{)" + f32 + R"([9223372036854775807,2],"data_offsets":[0,8]}})", "12345678"),
         "larger than any memory"},
        {"overlapping.safetensors",
         safetensors(
             R"({"a":{)" + f32 + R"([1],"data_offsets":[0,4]},"b":{)" + f32 + R"([1],"data_offsets":[2,6]}})",
             "123456"),
         "inside"},
        {"deep.safetensors", safetensors(R"({"t":)" + std::string(50'000'000, '['), ""), "nested deeper"},
        {"deep.safetensors.index.json", R"({"weight_map":)" + std::string(50'000'000, '['), "deeper"},
        {"elsewhere.safetensors.index.json", R"({"weight_map":{"t":"../../etc/passwd.safetensors"}})",
         "not the name of a file of weights beside the index"},
        {"lists.gguf", endlessLists(), "nested deeper"},
        {"texts.gguf", manyEmptyTexts(), "more than fit"},
        {"values.gguf", GgufBytes(3, 0, std::uint64_t{1} << 62).bytes(), "truncated"},
        {"tensors.gguf", GgufBytes(3, std::uint64_t{1} << 62, 0).bytes(), "more than fit"},
        {"elements.gguf", GgufBytes(3, 1, 0).tensor("t", {std::uint64_t{1} << 63}, 0, 0).bytes(),
         "larger than any memory"},
        {"calls.pth", callsTheSystem(), "os.system"},
        {"bomb.pth", sharedBytes(), "overlap"},
        {"compressed.pth", ZipBytes().file("a/data.pkl", std::string(1000, 'x'), 8).bytes(), "compressed"},
        {"deep.pth", ZipBytes().file("a/data.pkl", "\x80\x02" + std::string(4'000'000, ']') + ".").bytes(),
         "no dictionary"},
    };
}

class HostileFiles : public testing::RunnerTest {};

TEST_F(HostileFiles, AreRefusedInOneSentenceAndLittleMemory) {
    testing::ProcessOptions limited = options();
    if (!testing::isInstrumented)
        limited.addressSpace = enoughMemory;
    for (const HostileFile& hostile : hostileFiles()) {
        SCOPED_TRACE(hostile.name);
        writeFileAtomically(file(hostile.name), hostile.bytes);
        const testing::ProcessResult result = meshreel({"inspect", file(hostile.name).string()}, limited);
        EXPECT_EQ(result.exitCode, badInput) << result.err.substr(0, 500);
        EXPECT_FALSE(result.timedOut);
        EXPECT_THAT(result.err, HasSubstr(hostile.sentence));
        EXPECT_LT(result.err.size(), 2000U) << "one sentence";
        EXPECT_TRUE(result.out.empty());
    }
    EXPECT_FALSE(std::filesystem::exists("/tmp/meshreel-was-here"));
}

/// Its weights are used where the file is mapped; without a guard the kernel would end the process.
TEST_F(HostileFiles, ACheckpointThatIsCutShortFailsTheRunThatUsesIt) {
    testing::ZeroModel model(testing::sourceFolder() / "resources/models/tiny-wan-t2v", file("model"));
    model.setTransformer(nlohmann::json::object(), DType::F32);
    testing::ProjectKeys keys = testing::smallRun();
    keys["pretrained_model_name_or_path"] = model.folder().string();
    keys["num_inference_steps"] = "1000";
    const std::filesystem::path run = file("run");
    testing::Process process(commandLine({"run", project(keys), "--no-cache", "--out", run.string()}),
                             options());
    ASSERT_TRUE(testing::waitUntil(process, [&] { return testing::stepRows(run) > 0; }));
    const auto weights = model.folder() / "transformer" / "diffusion_pytorch_model.safetensors";
    std::filesystem::resize_file(weights, std::filesystem::file_size(weights) / 4);
    const testing::ProcessResult result = process.wait();
    EXPECT_EQ(result.exitCode, badInput) << result.signal;
    EXPECT_THAT(result.err, HasSubstr("cut short while it was in use"));
    EXPECT_EQ(testing::statusOf(run), "failed");
}

}  // namespace
}  // namespace meshreel
