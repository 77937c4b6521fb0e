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
constexpr std::uint64_t terabyte = std::uint64_t{1} << 40U;

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

/// A key of a million letters, and 40,000 instructions that name the same tensor by it.
std::string oneKeyForMany() {
    std::string entries;
    for (int i = 0; i < 40'000; ++i)
        entries += std::string("h\0h\x01", 4);
    const std::string tensor = pickle::tensor("FloatStorage", "0", 1, 0, {1}, {1});
    return ZipBytes()
        .file("a/data/0", "1234")
        .file("a/data.pkl", pickle::whole(pickle::text(std::string(1'000'000, 'k')) + std::string("q\0", 2) +
                                          tensor + std::string("q\x01", 2) + "}(" + entries + "u"))
        .bytes();
}

/// Names a class of a million letters, half a million times.
std::string longNames() {
    std::string names;
    for (int i = 0; i < 500'000; ++i)
        names += std::string("h\0h\x01\x93", 5);
    return ZipBytes()
        .file("a/data.pkl", "\x80\x04" + pickle::text("torch._utils") + std::string("q\0", 2) +
                                pickle::text("_rebuild_" + std::string(1'000'000, 'A')) + "q\x01" + names +
                                ".")
        .bytes();
}

std::string manyKeys() {
    std::string keys;
    for (int i = 0; i < 100'001; ++i)
        keys += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"\"";
    return safetensors(R"({"__metadata__":{)" + keys + "}}", "");
}

std::string listOf(std::uint64_t items) {
    return GgufBytes(3, 0, 1).text("k").number(ggufArray).number(std::uint32_t{0}).number(items).bytes();
}

std::string vocabularyOf(std::uint64_t pieces) {
    return GgufBytes(3, 0, 2)
        .text("tokenizer.ggml.model")
        .number(ggufString)
        .text("t5")
        .text("tokenizer.ggml.tokens")
        .number(ggufArray)
        .number(ggufString)
        .number(pieces)
        .bytes();
}

struct HostileFile {
    const char* name;
    std::string bytes;
    const char* sentence;    ///< a part of what is said
    std::uintmax_t size{0};  ///< with the hole behind the bytes
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
        {"deep.safetensors", safetensors(R"({"t":)" + std::string(2'000'000, '['), ""), "nested deeper"},
        {"deep.safetensors.index.json", R"({"weight_map":)" + std::string(2'000'000, '['), "nested deeper"},
        {"wide.safetensors", safetensors(R"({"t":[)" + std::string(50'000'000, ','), ""), "3000000 are read"},
        {"metadata.safetensors", manyKeys(), "100000 are read of the metadata"},
        {"claims.safetensors", safetensors(99'999'999, "{"), "not valid JSON", terabyte},
        {"claims.safetensors.index.json", "{", "67108864", terabyte},
        {"elsewhere.safetensors.index.json", R"({"weight_map":{"t":"../../etc/passwd.safetensors"}})",
         "not the name of a file of weights beside the index"},
        {"lists.gguf", endlessLists(), "nested deeper"},
        {"texts.gguf", manyEmptyTexts(), "more than fit"},
        {"values.gguf", GgufBytes(3, 0, std::uint64_t{1} << 62).bytes(), "100000 are read"},
        {"sparse_list.gguf", listOf(terabyte / 2), "67108864 are read", terabyte},
        {"sparse_texts.gguf", vocabularyOf(terabyte / 16), "67108864 are read", terabyte},
        {"sparse_pieces.gguf", vocabularyOf(50'000'000), "67108864 are read", terabyte},
        {"sparse_text.gguf", GgufBytes(3, 0, 1).text("k").number(ggufString).number(terabyte / 2).bytes(),
         "67108864", terabyte},
        {"sparse_tensors.gguf", GgufBytes(3, terabyte / 24, 0).bytes(), "100000 are read", terabyte + 64},
        {"tensors.gguf", GgufBytes(3, std::uint64_t{1} << 62, 0).bytes(), "more than fit"},
        {"elements.gguf", GgufBytes(3, 1, 0).tensor("t", {std::uint64_t{1} << 63}, 0, 0).bytes(),
         "larger than any memory"},
        {"calls.pth", callsTheSystem(), "os.system"},
        {"bomb.pth", sharedBytes(), "overlap"},
        {"key.pth", oneKeyForMany(), "1024 are read"},
        {"names.pth", longNames(), "1024 are read"},
        {"compressed.pth", ZipBytes().file("a/data.pkl", std::string(1000, 'x'), 8).bytes(), "compressed"},
        {"deep.pth", ZipBytes().file("a/data.pkl", "\x80\x02" + std::string(4'000'000, ']') + ".").bytes(),
         "not a dictionary"},
    };
}

class HostileFiles : public testing::RunnerTest {};

TEST_F(HostileFiles, AreRefusedInOneSentenceAndLittleMemory) {
    testing::ProcessOptions limited = options();
    for (const HostileFile& hostile : hostileFiles()) {
        SCOPED_TRACE(hostile.name);
        if (!testing::isInstrumented)  // a file is mapped, which takes addresses and no memory
            limited.addressSpace = enoughMemory + hostile.size;
        writeFileAtomically(file(hostile.name), hostile.bytes);
        if (hostile.size > 0)
            std::filesystem::resize_file(file(hostile.name), hostile.size);
        const testing::ProcessResult result = meshreel({"inspect", file(hostile.name).string()}, limited);
        EXPECT_EQ(result.exitCode, badInput) << result.err.substr(0, 500);
        EXPECT_FALSE(result.timedOut);
        EXPECT_THAT(result.err, HasSubstr(hostile.sentence));
        EXPECT_LT(result.err.size(), 2000U) << "one sentence";
        EXPECT_TRUE(result.out.empty());
    }
    EXPECT_FALSE(std::filesystem::exists("/tmp/meshreel-was-here"));
}

/// In folders of models and of runs, and as projects: of any size, they are refused and not read whole.
TEST_F(HostileFiles, TextsThatAreFarLargerThanAnyAreNotReadWhole) {
    const std::filesystem::path run = file("run");
    ASSERT_EQ(meshreel({"run", project(testing::smallRun()), "--out", run.string()}).exitCode, Done);
    const std::filesystem::path model = file("model");
    std::filesystem::create_directories(model / "transformer");
    writeFileAtomically(model / "model_index.json", R"({"_class_name": "WanPipeline"})");
    testing::ProcessOptions limited = options();
    if (!testing::isInstrumented)
        limited.addressSpace = enoughMemory;
    const struct {
        std::filesystem::path file;
        std::vector<std::string> command;
    } rows[] = {
        {model / "model_index.json", {"inspect", model.string()}},
        {model / "transformer" / "config.json", {"inspect", model.string()}},
        {run / "status.json", {"compare", run.string()}},
        {run / "steps.csv", {"compare", run.string()}},
        {run / "devices.csv", {"chart", "devices", run.string(), "-o", file("a.svg").string()}},
        {run / "project.yaml", {"inspect", run.string()}},
        {file("large.yaml"), {"validate", file("large.yaml").string()}},
        {file("hosts"), {"run", project(testing::smallRun()), "--hosts", file("hosts").string()}},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.file);
        const bool isThere = std::filesystem::exists(row.file);
        const std::string kept = isThere ? readFile(row.file) : std::string();
        writeFileAtomically(row.file, std::string_view("{"));
        std::filesystem::resize_file(row.file, terabyte);
        const testing::ProcessResult result = meshreel(row.command, limited);
        EXPECT_FALSE(result.timedOut);
        EXPECT_NE(result.exitCode, Defect) << result.err.substr(0, 500);
        EXPECT_EQ(result.signal, 0);
        EXPECT_LT(result.err.size(), 4000U);
        std::filesystem::remove(row.file);
        if (isThere)
            writeFileAtomically(row.file, kept);
    }
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
    EXPECT_THAT(result.err, HasSubstr(weights.string()));
    EXPECT_EQ(testing::statusOf(run), "failed");
}

}  // namespace
}  // namespace meshreel
