// SPDX-License-Identifier: GPL-3.0-or-later
// Which storage of weights is read beside plain numbers, and what is said of the rest. The numbers of what is
// read are those of the golden case "storage".
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/tensor_names.h"
#include "tests/support/gguf_bytes.h"
#include "tests/support/refusal.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_bytes.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::expectFaults;
using ::testing::HasSubstr;
using testing::Names;
using testing::Refusal;

struct FileEntry {
    std::string name;
    std::string type;
    std::vector<std::int64_t> shape;
    std::string bytes;
};

std::string safetensorsOf(const std::vector<FileEntry>& entries, const nlohmann::json& metadata = nullptr) {
    nlohmann::json header = nlohmann::json::object();
    if (!metadata.is_null())
        header["__metadata__"] = metadata;
    std::string data;
    for (const FileEntry& entry : entries) {
        const std::size_t begin = data.size();
        data += entry.bytes;
        header[entry.name] = {
            {"dtype", entry.type}, {"shape", entry.shape}, {"data_offsets", {begin, data.size()}}};
    }
    return testing::safetensorsBytes(header.dump(), data);
}

std::string zeros(std::size_t bytes) {
    return std::string(bytes, '\0');
}

FileEntry comfyQuant(const std::string& stem, const std::string& text) {
    return {stem + ".comfy_quant", "U8", {static_cast<std::int64_t>(text.size())}, text};
}

/// How a type of storage is called that this suffix of a tensor beside it gives away.
std::string layoutOf(std::string_view suffix) {
    return std::string(std::ranges::find(quantisedLayouts(), suffix, &QuantisedLayout::suffix)->name);
}

/// Puts a matrix [4, 16] of an original transformer into a file, stored in some way, and asks for it.
class StoredMatrix : public ::testing::Test {
  protected:
    static constexpr const char* stem = "blocks.0.self_attn.q";
    static constexpr const char* name = "blocks.0.attn1.to_q.weight";
    static inline const Shape shape{4, 16};

    Refusal refusalOf(std::vector<FileEntry> entries, const nlohmann::json& metadata = nullptr) {
        entries.push_back({"time_projection.1.weight", "F32", {0}, ""});
        std::ranges::sort(entries, {}, &FileEntry::name);
        return refusalOfFile("x.safetensors", safetensorsOf(entries, metadata));
    }

    Refusal refusalOfFile(const std::string& file, const std::string& bytes) {
        writeFileAtomically(m_folder / file, bytes);
        const Checkpoint checkpoint = Checkpoint::open(m_folder / file);
        Refusal refusal = testing::refusalOf(ErrorKind::Input, [&] { checkpoint.require(name, shape); });
        if (refusal) {
            EXPECT_THAT(refusal.where(), HasSubstr(file));
        }
        return refusal;
    }

    /// The storage is refused by this name, with the same words as every other.
    void expectUnread(const Refusal& refusal, const std::string& storage) {
        EXPECT_THAT(refusal, AllOf(Names(storage), testing::At(HasSubstr("blocks.0.self_attn.q"))));
        EXPECT_EQ(refusal.problem.hint(), useReadableType());
        m_unread.emplace_back("storage", refusal);
        expectFaults(m_unread);
    }

    testing::TemporaryFolder m_folder;

  private:
    std::vector<std::pair<std::string, Refusal>> m_unread;
};

TEST_F(StoredMatrix, OfComfyUIsFormatsIsReadOrRefusedByTheirNames) {
    const std::string weight = std::string(stem) + ".weight";
    const std::string scale = std::string(stem) + ".weight_scale";
    const FileEntry int8{weight, "I8", {4, 16}, zeros(64)};
    const FileEntry rows{scale, "F32", {4, 1}, zeros(16)};
    EXPECT_FALSE(refusalOf({int8, rows, comfyQuant(stem, R"({"format":"int8_tensorwise"})")}));
    EXPECT_FALSE(refusalOf({int8, rows})) << "as LightX2V writes it";
    EXPECT_FALSE(refusalOf({int8, rows,
                            comfyQuant(stem, R"({"format":"int8_tensorwise","convrot":true,)"
                                             R"("convrot_groupsize":16})")}));
    // Groups of 256 do not divide 16 columns.
    expectUnread(refusalOf({int8, rows, comfyQuant(stem, R"({"format":"int8_tensorwise","convrot":true})")}),
                 "int8_tensorwise with ConvRot");
    for (const char* group : {"8", "0", "-16", "\"x\"", "1e9"})
        expectUnread(
            refusalOf({int8, rows,
                       comfyQuant(stem, R"({"format":"int8_tensorwise","convrot":true,"convrot_groupsize":)" +
                                            std::string(group) + "}")}),
            "int8_tensorwise with ConvRot");
    const Refusal asymmetric = refusalOf({int8, rows, comfyQuant(stem, R"({"format":"asym_w4a8_int8"})")});
    expectUnread(asymmetric, "asym_w4a8_int8");
    const Refusal nameless = refusalOf({int8, rows, comfyQuant(stem, R"({"per_row":true})")});
    EXPECT_THAT(nameless, Names("int8"));
    expectUnread(refusalOf({int8}), "int8");
    expectFaults({{"storage", asymmetric},
                  {"nameless", nameless},
                  {"no scale", refusalOf({int8, comfyQuant(stem, R"({"format":"int8_tensorwise"})")})}});
}

TEST_F(StoredMatrix, OfComfyUIsBlocksIsReadWhereTheScalesFit) {
    const std::string weight = std::string(stem) + ".weight";
    const std::string scale = std::string(stem) + ".weight_scale";
    const FileEntry nibbles{weight, "U8", {4, 8}, zeros(32)};
    const FileEntry scales{scale, "F8_E4M3", {128, 4}, zeros(512)};
    const FileEntry whole{weight + "_scale_2", "F32", {}, zeros(4)};
    const FileEntry nvfp4 = comfyQuant(stem, R"({"format":"nvfp4"})");
    EXPECT_FALSE(refusalOf({nibbles, scales, whole, nvfp4}));
    const Refusal few = refusalOf({nibbles, {scale, "F8_E4M3", {4, 1}, zeros(4)}, whole, nvfp4});
    EXPECT_THAT(few, Names("[4, 1]", "512"));
    const Refusal smooth = refusalOf(
        {nibbles, scales, whole, nvfp4, {std::string(stem) + ".pre_quant_scale", "F32", {16}, zeros(64)}});
    expectUnread(smooth, "nvfp4");
    expectFaults({{"no whole scale", refusalOf({nibbles, scales, nvfp4})},
                  {"no scale", refusalOf({nibbles, whole, nvfp4})},
                  {"few scales", few},
                  {"storage", smooth}});
    // 16 columns are no block of 32.
    const FileEntry eight{weight, "F8_E4M3", {4, 16}, zeros(64)};
    expectUnread(
        refusalOf({eight, {scale, "U8", {4, 1}, zeros(4)}, comfyQuant(stem, R"({"format":"mxfp8"})")}),
        "mxfp8");
}

TEST_F(StoredMatrix, IsRefusedByWhatStandsBesideIt) {
    const std::string weight = std::string(stem) + ".weight";
    expectUnread(refusalOf({{weight, "U8", {32, 1}, zeros(32)},
                            {weight + ".absmax", "F32", {1}, zeros(4)},
                            {weight + ".quant_state.bitsandbytes__nf4", "U8", {1}, "{"}}),
                 layoutOf(".weight.quant_state.bitsandbytes__nf4"));
    expectUnread(refusalOf({{weight, "U8", {4, 8}, zeros(32)}, {weight + "_scale_2", "F32", {}, zeros(4)}}),
                 "nvfp4");
    expectUnread(refusalOf({{weight, "F8_E4M3", {4, 16}, zeros(64)},
                            {weight + "_scale_inv", "F32", {1, 1}, zeros(4)}}),
                 layoutOf(".weight_scale_inv"));
    expectUnread(refusalOf({{std::string(stem) + ".qweight", "I32", {2, 16}, zeros(128)},
                            {std::string(stem) + ".qzeros", "I32", {1, 1}, zeros(4)}}),
                 layoutOf(".qweight"));
    const FileEntry turbo{std::string(stem) + ".int8_weight", "I8", {4, 16}, zeros(64)};
    expectUnread(refusalOf({turbo}), "int8");
    const Refusal shape = refusalOf({turbo, {std::string(stem) + ".scale", "F32", {3, 1}, zeros(12)}});
    EXPECT_THAT(shape, Names("[3, 1]"));
    expectFaults({{"storage", refusalOf({turbo})}, {"shape of the scale", shape}});
    for (const std::int64_t rows : {1, 4})
        EXPECT_FALSE(refusalOf(
            {turbo,
             {std::string(stem) + ".scale", "F32", {rows, 1}, zeros(4 * static_cast<std::size_t>(rows))}}));
    expectUnread(refusalOf({{weight, "U8", {4, 16}, zeros(64)}}), "U8");  // whole numbers are no weights
}

TEST_F(StoredMatrix, IsRefusedByWhatTheMetadataSays) {
    const nlohmann::json layers = {{"layers", {{stem, {{"format", "float8_hybrid"}}}}}};
    const FileEntry weight{std::string(stem) + ".weight", "F8_E4M3", {4, 16}, zeros(64)};
    expectUnread(refusalOf({weight}, {{"_quantization_metadata", layers.dump()}}), "float8_hybrid");
    EXPECT_FALSE(refusalOf({weight}, {{"_quantization_metadata", "{"}}));
}

TEST_F(StoredMatrix, InFloat8WithAScaleIsRead) {
    const FileEntry weight{std::string(stem) + ".weight", "F8_E4M3", {4, 16}, zeros(64)};
    const FileEntry scale{std::string(stem) + ".weight_scale", "F32", {}, zeros(4)};
    EXPECT_FALSE(refusalOf({weight, scale, comfyQuant(stem, R"({"format":"float8_e4m3fn"})")}));
    EXPECT_FALSE(refusalOf({weight, scale}));
    EXPECT_FALSE(refusalOf({weight}));
    const FileEntry exponents{std::string(stem) + ".weight_scale", "U8", {4, 1}, zeros(4)};
    const Refusal type = refusalOf({weight, exponents});
    EXPECT_THAT(type, Names("U8"));
    const FileEntry blocks{std::string(stem) + ".weight_scale", "F32", {4, 2}, zeros(32)};
    const Refusal shape = refusalOf({weight, blocks});
    EXPECT_THAT(shape, Names("[4, 2]"));
    expectFaults({{"type of the scale", type}, {"shape of the scale", shape}});
}

TEST_F(StoredMatrix, InAGgufTypeThatIsNotReadIsRefusedByItsName) {
    constexpr std::uint32_t iq3s = 21;
    testing::GgufBytes bytes(3, 2, 0);
    bytes.tensor("blocks.0.self_attn.q.weight", {256, 4}, iq3s, 0)
        .tensor("time_projection.1.weight", {0}, 0, 448)
        .align()
        .raw(std::string(448, '\0'));
    expectUnread(refusalOfFile("x.gguf", bytes.bytes()), "IQ3_S");
    EXPECT_EQ(Checkpoint::open(m_folder / "x.gguf").storedTypeName(name), "IQ3_S");
    EXPECT_EQ(Checkpoint::open(m_folder / "x.gguf").bytes(), 4U * 110U);
}

TEST_F(StoredMatrix, OfATorchFileInInt8IsRefusedWithoutAlarm) {
    testing::ZipBytes zip;
    const std::string tensors = testing::pickle::dictionary(
        {{"blocks.0.self_attn.q.int8_weight",
          testing::pickle::tensor("CharStorage", "0", 64, 0, {4, 16}, {16, 1})},
         {"time_projection.1.weight", testing::pickle::tensor("FloatStorage", "0", 1, 0, {1}, {1})}});
    zip.file("a/data/0", zeros(64)).file("a/data.pkl", testing::pickle::whole(tensors));
    expectUnread(refusalOfFile("x.pth", zip.bytes()), "int8");
}

TEST_F(StoredMatrix, AndWhatBelongsToItIsNoTensorOfTheNetwork) {
    writeFileAtomically(m_folder / "y.safetensors",
                        safetensorsOf({{"blocks.0.self_attn.q.g_idx", "I32", {0}, ""},
                                       {"blocks.0.self_attn.q.qweight", "I32", {0}, ""},
                                       {"blocks.0.self_attn.q.scales", "F16", {0}, ""},
                                       {"time_projection.1.scale", "F32", {0}, ""},
                                       {"time_projection.1.weight", "F32", {0}, ""}}));
    EXPECT_THAT(
        Checkpoint::open(m_folder / "y.safetensors").names(),
        ElementsAre(name, "condition_embedder.time_proj.scale", "condition_embedder.time_proj.weight"))
        << "a scale beside a plain weight is no part of its type";
}

TEST(StoredTypes, ThatAreReadAreAllNamedInTheFix) {
    const std::string fix = useReadableType().text();
    for (const StoredTypeInfo& type : storedTypes()) {
        if (type.blockElements > 1 && !needsScale(type.type)) {
            EXPECT_THAT(fix, HasSubstr(std::string(type.name)));
        }
        EXPECT_EQ(isWeightType(type.type), type.type != StoredType::I64 && type.type != StoredType::I32 &&
                                               type.type != StoredType::U8 && type.type != StoredType::Bool)
            << type.name;
    }
    EXPECT_FALSE(isWeightType(StoredType::Other));
}

class Disagreement : public ::testing::Test {
  protected:
    static Refusal refused(const fs::path& file, const std::string& tensor, const Shape& expected) {
        return testing::refusalOf(ErrorKind::Input,
                                  [&] { Checkpoint::open(file).require(tensor, expected); });
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(Disagreement, IsBlamedOnConfigOnlyWhereThereIsOne) {
    const fs::path file = m_folder / "model.safetensors";
    writeFileAtomically(file, safetensorsOf({{"encoder.block.0.weight", "F32", {1}, zeros(4)}}));
    const auto hints = [&file] {
        std::vector<std::string> said;
        for (const auto& [tensor, rows] : {std::pair{"encoder.block.0.weight", 2},
                                           std::pair{"encoder.block.1.weight", 1}, std::pair{"head", 1}})
            said.push_back(testing::patternOf(refused(file, tensor, {rows}).problem.hint()));
        return said;
    };
    EXPECT_THAT(refused(file, "encoder.block.1.weight", {1}), Names("encoder.block.0.weight"));
    const std::vector<std::string> alone = hints();
    writeFileAtomically(m_folder / "config.json", "{}");
    const std::vector<std::string> withConfig = hints();
    for (std::size_t i = 0; i < alone.size(); ++i)
        EXPECT_NE(alone[i], withConfig[i]);
}

TEST_F(Disagreement, OfAGgufWithoutItsFiveAxesIsAnUnfinishedFile) {
    testing::GgufBytes bytes(3, 1, 0);
    bytes.tensor("time_projection.1.weight", {1}, 0, 0).align().raw(zeros(32));
    const fs::path file = m_folder / "wan.gguf";
    writeFileAtomically(file, bytes.bytes());
    for (const char* tensor : {"patch_embedding.weight", "vace_patch_embedding.weight"}) {
        const Refusal required = refused(file, tensor, {8, 16, 1, 2, 2});
        EXPECT_THAT(required, testing::At(HasSubstr(tensor)));
        expectFaults({{"unfinished", required},
                      {"unfinished",
                       testing::refusalOf(ErrorKind::Input,
                                          [&] { static_cast<void>(Checkpoint::open(file).shape(tensor)); })},
                      {"missing", refused(file, "blocks.0.norm2.weight", {8})}});
    }
}

}  // namespace
}  // namespace meshreel
