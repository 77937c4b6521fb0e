// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/limits.h"
#include "tests/support/gguf_bytes.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::expectFaults;
using testing::GgufBytes;
using ::testing::HasSubstr;
using testing::Names;
using testing::Refusal;

constexpr std::uint32_t f32 = 0;
constexpr std::uint32_t f16 = 1;
constexpr std::uint32_t q8_0 = 8;
constexpr std::uint32_t iq2_XS = 17;
constexpr std::uint32_t string = 8;
constexpr std::uint32_t array = 9;
constexpr std::uint32_t u32 = 4;
constexpr std::uint32_t i32 = 5;

TensorDirectory findDirectory(const GgufBytes& file) {
    return readGgufDirectory(std::as_bytes(std::span(file.bytes())), "file");
}

Refusal refused(const GgufBytes& file) {
    return testing::refusalOf(ErrorKind::Input, [&file] { static_cast<void>(findDirectory(file)); });
}

std::string floats(const std::vector<float>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

TEST(Gguf, ReadsTensorsAndMetadata) {
    GgufBytes file(3, 2, 3);
    file.text("general.architecture").number(string).text("wan");
    file.text("answers").number(array).number(u32).number<std::uint64_t>(2).number(41U).number(42U);
    file.text("general.quantization_version").number(u32).number(2U);
    file.tensor("b", {3, 2}, f32, 0).tensor("a", {1}, f16, 32);
    file.align().raw(floats({1, 2, 3, 4, 5, 6})).align().raw(std::string("\x00\x3C", 2));
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "x.gguf", file.bytes());
    const TensorFile tensors = TensorFile::open(folder / "x.gguf");
    EXPECT_EQ(tensors.format(), "GGUF 3");
    EXPECT_EQ(tensors.metadata().at("general.architecture"), "wan");
    EXPECT_EQ(tensors.metadata().at("answers"), "[41, 42]");
    ASSERT_EQ(tensors.tensors().size(), 2U);
    EXPECT_EQ(tensors.tensors()[0].name, "a");
    EXPECT_EQ(tensors.find("b")->shape, Shape({2, 3}));
    EXPECT_THAT(tensors.read(*tensors.find("b")).data<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(tensors.readRows(*tensors.find("b"), 1, 1).data<float>(), ElementsAre(4, 5, 6));
    EXPECT_EQ(tensors.read(*tensors.find("a")).toF32().data<float>()[0], 1.0F);
    EXPECT_EQ(tensors.find("c"), nullptr);
}

TEST(Gguf, ReadsTensorsOfFiveAxes) {
    GgufBytes file(3, 2, 1);
    file.text("comfy.gguf.orig_shape.flat").number(array).number(i32).number<std::uint64_t>(5);
    for (const std::int32_t extent : {2, 3, 1, 2, 1})
        file.number(extent);
    file.tensor("patch_embedding.weight", {2, 2, 1, 16, 5}, f32, 0).tensor("flat", {2, 6}, f32, 1280);
    file.align().raw(std::string(1280 + 48, '\0'));
    const TensorDirectory directory = findDirectory(file);
    EXPECT_EQ(directory.tensors[0].shape, Shape({2, 3, 1, 2, 1}));
    EXPECT_EQ(directory.tensors[1].shape, Shape({5, 16, 1, 2, 2}));
}

TEST(Gguf, UnpacksOnlyTheRowsThatAreAsked) {
    constexpr std::int64_t rows = 5;
    constexpr std::int64_t columns = 64;
    std::string blocks;
    for (int block = 0; block < rows * columns / 32; ++block) {
        blocks += std::string("\x00\x3C", 2);  // 1.0
        blocks += std::string(32, static_cast<char>(block));
    }
    const testing::TemporaryFolder folder;
    writeGguf(
        folder / "q.gguf",
        std::vector<GgufTensor>{{"q", {rows, columns}, StoredType::Q8_0, std::as_bytes(std::span(blocks))}},
        {{"general.architecture", "wan"}});
    const TensorFile file = TensorFile::open(folder / "q.gguf");
    EXPECT_EQ(file.metadata().at("general.architecture"), "wan");
    const FileTensor& tensor = *file.find("q");
    EXPECT_EQ(tensor.type, StoredType::Q8_0);
    const Tensor part = file.readRows(tensor, 3, 2);
    EXPECT_EQ(part.shape(), Shape({2, columns}));
    EXPECT_EQ(part.data<float>()[0], 6.0F);
    EXPECT_EQ(part.data<float>()[127], 9.0F);
    EXPECT_EQ(file.read(tensor).data<float>()[319], 9.0F);
    EXPECT_THROW(static_cast<void>(file.readRows(tensor, 4, 2)), Error);
}

TEST(Gguf, AlignmentIsThatOfTheFile) {
    GgufBytes file(2, 1, 1);
    file.text("general.alignment").number(u32).number(64U);
    file.tensor("a", {1}, f32, 0).align(64).raw(floats({7}));
    const TensorDirectory directory = findDirectory(file);
    EXPECT_EQ(directory.tensors[0].begin % 64, 0U);
    EXPECT_EQ(directory.tensors[0].end, file.bytes().size());
}

TEST(Gguf, ATypeThatIsNotReadIsNamedWhenItIsAsked) {
    GgufBytes file(3, 1, 0);
    file.tensor("a", {256}, iq2_XS, 0).align().raw(std::string(74, '\0'));
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "x.gguf", file.bytes());
    const TensorFile tensors = TensorFile::open(folder / "x.gguf");
    try {
        static_cast<void>(tensors.read(tensors.tensors()[0]));
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("IQ2_XS"), HasSubstr("Q4_K")));
    }
}

TEST(GgufDamage, IsRefusedWithASentence) {
    constexpr std::uint64_t most = ~std::uint64_t{0};
    const Refusal tensors = refused(GgufBytes(3, most, 0));
    EXPECT_THAT(tensors, Names(std::to_string(most)));
    const Refusal entries = refused(GgufBytes(3, 0, most));
    EXPECT_THAT(entries, Names(std::to_string(limitValue(Limit::MetadataEntries))));
    const Refusal type = refused(GgufBytes(3, 0, 1).text("k").number(99U));
    EXPECT_THAT(type, Names("99"));
    const Refusal alignment = refused(GgufBytes(3, 0, 1).text("general.alignment").number(u32).number(48U));
    EXPECT_THAT(alignment, Names("general.alignment", "48"));
    expectFaults(
        {{"version", refused(GgufBytes(1, 0, 0))},
         {"version", refused(GgufBytes(4, 0, 0))},
         {"big-endian", refused(GgufBytes(3U << 24U, 0, 0))},
         {"tensors", tensors},
         {"entries", entries},
         {"truncated", refused(GgufBytes(3, 0, 1).number(most))},
         {"type", type},
         {"list",
          refused(GgufBytes(3, 0, 1).text("k").number(array).number(u32).number(std::uint64_t{1} << 62))},
         {"twice",
          refused(GgufBytes(3, 0, 2).text("k").number(u32).number(1U).text("k").number(u32).number(1U))},
         {"alignment", alignment}});
}

TEST(GgufDamage, ListsThatNestForEver) {
    GgufBytes file(3, 0, 1);
    file.text("k").number(array);
    for (int depth = 0; depth < 100'000; ++depth)
        file.number(array).number<std::uint64_t>(1);
    const Refusal nested = refused(file);
    EXPECT_TRUE(nested);
    EXPECT_EQ(testing::valuesOf(nested).size(), 1U) << "the levels that are read, and not how many there are";
}

TEST(GgufDamage, TensorsThatDoNotFit) {
    const auto ofOne = [](std::initializer_list<std::uint64_t> extents, std::uint32_t type,
                          std::uint64_t at) { return GgufBytes(3, 1, 0).tensor("t", extents, type, at); };
    const std::uint64_t huge = std::uint64_t{1} << 63U;
    const Refusal rows = refused(ofOne({33}, q8_0, 0));
    EXPECT_THAT(rows, Names("33", "Q8_0"));
    const Refusal axes = refused(ofOne({1, 1, 1, 1, 1, 1, 1, 1, 1}, f32, 0));
    EXPECT_THAT(axes, Names("9"));
    const Refusal inside = refused(GgufBytes(3, 2, 0)
                                       .tensor("a", {16}, f32, 0)
                                       .tensor("b", {1}, f32, 32)
                                       .align()
                                       .raw(std::string(64, 'x')));
    EXPECT_THAT(inside, AllOf(Names("a"), testing::At(HasSubstr("'b'"))));
    // Of a type that is not known, whose size is not either; found by a fuzzer.
    constexpr std::uint32_t unknown = 0x37000000;
    expectFaults({{"too large", refused(ofOne({huge}, f32, 0))},
                  {"too large", refused(ofOne({huge - 1, 4}, f32, 0))},
                  {"beyond the data", refused(ofOne({huge - 1}, f32, 0))},
                  {"too large", refused(ofOne({0, huge - 1, 4}, f32, 0))},
                  {"beyond the data", refused(ofOne({4}, f32, 0))},
                  {"beyond the data", refused(ofOne({}, unknown, 0))},
                  {"beyond the data", refused(ofOne({0}, f32, 0))},
                  {"beyond the data", refused(ofOne({4}, f32, ~std::uint64_t{31}).align())},
                  {"alignment", refused(ofOne({4}, f32, 4).align().raw(std::string(64, 'x')))},
                  {"rows", rows},
                  {"axes", axes},
                  {"inside another", inside},
                  {"twice", refused(GgufBytes(3, 2, 0)
                                        .tensor("a", {1}, f32, 0)
                                        .tensor("a", {1}, f32, 32)
                                        .align()
                                        .raw(std::string(64, 'x')))}});
}

TEST(GgufDamage, EveryTruncationIsRefused) {
    GgufBytes file(3, 1, 1);
    file.text("general.architecture").number(string).text("wan");
    file.tensor("a", {4}, f32, 0).align().raw(floats({1, 2, 3, 4}));
    for (std::size_t length = 4; length < file.bytes().size(); ++length) {
        const std::string cut = file.bytes().substr(0, length);
        EXPECT_THROW(readGgufDirectory(std::as_bytes(std::span(cut)), "file"), Error) << length;
    }
}

}  // namespace
}  // namespace meshreel
