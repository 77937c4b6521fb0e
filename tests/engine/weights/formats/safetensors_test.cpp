// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/refusal.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::safetensorsBytes;

std::vector<NamedTensor> oneOfEachType() {
    std::vector<NamedTensor> tensors;
    for (const DType type :
         {DType::F64, DType::F32, DType::F16, DType::BF16, DType::I64, DType::I32, DType::U8}) {
        Tensor tensor = Tensor::empty(Shape{2, 3}, type);
        for (std::size_t i = 0; i < tensor.bytes(); ++i)
            tensor.raw()[i] = static_cast<std::byte>(i * 37 + 11);
        tensors.emplace_back(std::string(nameOf(type)), tensor);
    }
    tensors.emplace_back("scalar", Tensor::from<float>(Shape{}, {2.5F}));
    tensors.emplace_back("nothing", Tensor::empty(Shape{0, 4}));
    tensors.emplace_back("truth", Tensor::zeros(Shape{3}, DType::Bool));
    return tensors;
}

TEST(Safetensors, EveryTypeComesBackBitForBit) {
    const testing::TemporaryFolder folder;
    const std::vector<NamedTensor> tensors = oneOfEachType();
    writeSafetensors(folder / "w.safetensors", tensors, {{"format", "pt"}, {"note", "größer"}});
    const SafetensorsFile file = SafetensorsFile::open(folder / "w.safetensors");
    EXPECT_EQ(file.names().size(), tensors.size());
    EXPECT_EQ(file.metadata().at("note"), "größer");
    for (const auto& [name, written] : tensors) {
        const Tensor read = file.get(name);
        EXPECT_EQ(read.shape(), written.shape()) << name;
        ASSERT_EQ(read.dtype(), written.dtype()) << name;
        EXPECT_TRUE(std::equal(read.raw(), read.raw() + read.bytes(), written.raw())) << name;
    }
}

TEST(Safetensors, BytesDependOnContentsOnly) {
    const testing::TemporaryFolder folder;
    std::vector<NamedTensor> tensors = oneOfEachType();
    writeSafetensors(folder / "a.safetensors", tensors, {{"step", "4"}});
    std::reverse(tensors.begin(), tensors.end());
    writeSafetensors(folder / "b.safetensors", tensors, {{"step", "4"}});
    EXPECT_EQ(readFile(folder / "a.safetensors"), readFile(folder / "b.safetensors"));
}

TEST(Safetensors, LayoutIsThatOfTheReferenceImplementation) {
    const testing::TemporaryFolder folder;
    const std::vector<NamedTensor> tensors = {{"b", Tensor::from<float>(Shape{1}, {1.0F})},
                                              {"a", Tensor::from<std::uint8_t>(Shape{1}, {7})}};
    writeSafetensors(folder / "w.safetensors", tensors);
    std::string header = R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                         R"("a":{"dtype":"U8","shape":[1],"data_offsets":[4,5]}})";
    header.append((8 - header.size() % 8) % 8, ' ');
    EXPECT_EQ(readFile(folder / "w.safetensors"),
              safetensorsBytes(header, std::string("\0\0\x80\x3F\x07", 5)));
}

TEST(Safetensors, DuplicateNamesAreNotWritten) {
    const testing::TemporaryFolder folder;
    const std::vector<NamedTensor> twice(2, {"t", Tensor::zeros(Shape{1})});
    EXPECT_THROW(writeSafetensors(folder / "w.safetensors", twice), Error);
    EXPECT_FALSE(std::filesystem::exists(folder / "w.safetensors"));
}

TEST(Safetensors, MisalignedDataAreReadRight) {
    const testing::TemporaryFolder folder;
    const float value = 1234.5F;
    std::string data(sizeof value, '\0');
    std::memcpy(data.data(), &value, sizeof value);
    for (int shift = 0; shift < 8; ++shift) {
        const std::string header =
            R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})" + std::string(shift, ' ');
        writeFileAtomically(folder / "w.safetensors", safetensorsBytes(header, data));
        const Tensor tensor = SafetensorsFile::open(folder / "w.safetensors").get("t");
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.raw()) % alignof(float), 0U);
        EXPECT_EQ(tensor.data<float>()[0], value);
    }
}

TEST(Safetensors, TensorsOutliveTheirFile) {
    const testing::TemporaryFolder folder;
    writeSafetensors(folder / "w.safetensors",
                     std::vector<NamedTensor>{{"t", Tensor::from<float>(Shape{2}, {3, 4})}});
    const Tensor tensor = SafetensorsFile::open(folder / "w.safetensors").get("t");
    std::filesystem::remove(folder / "w.safetensors");
    EXPECT_THAT(tensor.data<float>(), ElementsAre(3.0F, 4.0F));
}

TEST(Safetensors, UnsupportedTypesMatterOnlyToThoseWhoAsk) {
    const testing::TemporaryFolder folder;
    const std::string header = R"({"f8":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]},)"
                               R"("new":{"dtype":"F3_E1M1","shape":[8],"data_offsets":[4,7]},)"
                               R"("ok":{"dtype":"U8","shape":[1],"data_offsets":[7,8]}})";
    writeFileAtomically(folder / "w.safetensors", safetensorsBytes(header, "12345678"));
    const SafetensorsFile file = SafetensorsFile::open(folder / "w.safetensors");
    EXPECT_EQ(file.get("ok").data<std::uint8_t>()[0], '8');
    for (const auto& [name, dtype] : {std::pair("f8", "F8_E4M3"), std::pair("new", "F3_E1M1")}) {
        try {
            static_cast<void>(file.get(name));
            FAIL() << name;
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), HasSubstr(dtype));
            EXPECT_THAT(error.where(), HasSubstr("tensor '" + std::string(name) + "'"));
        }
    }
}

TEST(Safetensors, WrongNamesAndShapesAreExplained) {
    const testing::TemporaryFolder folder;
    writeSafetensors(folder / "w.safetensors",
                     std::vector<NamedTensor>{{"blocks.0.attn1.to_q.weight", Tensor::zeros(Shape{4, 2})}});
    const SafetensorsFile file = SafetensorsFile::open(folder / "w.safetensors");
    const auto refused = [&file](const std::string& name, const Shape& shape) {
        return testing::refusalOf(ErrorKind::Input, [&] { static_cast<void>(file.get(name, shape)); });
    };
    EXPECT_THAT(refused("blocks.0.attn1.to_k.weight", {4, 2}), testing::Names("blocks.0.attn1.to_q.weight"));
    EXPECT_THAT(refused("blocks.0.attn1.to_q.weight", {2, 4}), testing::Names("[4, 2]", "[2, 4]"));
}

std::string oneTensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return R"({"t":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

std::string twoTensors(const std::string& firstOffsets, const std::string& secondOffsets) {
    const std::string rest = R"("dtype":"F32","shape":[1],"data_offsets":)";
    return R"({"a":{)" + rest + firstOffsets + R"(},"b":{)" + rest + secondOffsets + "}}";
}

struct Damage {
    const char* name;
    std::string bytes;
    const char* sentence;  // a part of the error that tells this damage from the others
};

const std::string eightBytes(8, '\0');

const Damage damages[] = {
    {"Empty", "", "has 0 bytes"},
    {"ShorterThanALength", "abc", "has 3 bytes"},
    {"LfsPointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer"},
    {"HeaderBeyondTheFile", safetensorsBytes(1000, "{}", ""), "1000 bytes long, but the file has only 10"},
    {"HeaderBeyondTheLimit", safetensorsBytes(100'000'001, "{}", ""), "at most 100000000"},
    {"LengthNearOverflow", safetensorsBytes(~std::uint64_t{0} - 3, "{}", ""), "18446744073709551612"},
    {"NoHeader", safetensorsBytes("", ""), "does not start with '{'"},
    {"AnArray", safetensorsBytes("[1]", ""), "does not start with '{'"},
    {"BrokenJson", safetensorsBytes(R"({"t":)", ""), "not valid JSON"},
    {"InvalidUtf8", safetensorsBytes("{\"\xFF\":1}", ""), "not valid JSON"},
    {"DeepJson", safetensorsBytes(R"({"t":)" + std::string(5000, '['), ""), "nested deeper than 3"},
    {"TensorGivenTwice", safetensorsBytes(R"({"t":{},"t":{}})", ""), "'t' is given twice"},
    {"TensorIsNoObject", safetensorsBytes(R"({"t":7})", ""), "tensor 't': the header describes it"},
    {"NoDtype", safetensorsBytes(R"({"t":{"shape":[1],"data_offsets":[0,4]}})", "1234"), "gives no dtype"},
    {"NoShape", safetensorsBytes(R"({"t":{"dtype":"F32","data_offsets":[0,4]}})", "1234"), "gives no shape"},
    {"NoOffsets", safetensorsBytes(R"({"t":{"dtype":"F32","shape":[1]}})", "1234"), "gives no data_offsets"},
    {"DtypeIsNoText", safetensorsBytes(R"({"t":{"dtype":4,"shape":[1],"data_offsets":[0,4]}})", "1234"),
     "not a text"},
    {"NegativeExtent", safetensorsBytes(oneTensor("F32", "[-2]", "[0,8]"), eightBytes), "holds -2"},
    {"FractionalExtent", safetensorsBytes(oneTensor("F32", "[2.0]", "[0,8]"), eightBytes), "holds 2.0"},
    {"ShapeIsNoList", safetensorsBytes(oneTensor("F32", "2", "[0,8]"), eightBytes), "not a list"},
    {"ShapeOverflows", safetensorsBytes(oneTensor("F32", "[4294967296,4294967296]", "[0,8]"), eightBytes),
     "larger than any memory"},
    {"ShapeOverflowsBehindZero", safetensorsBytes(oneTensor("F32", "[0,4294967296,4294967296]", "[0,0]"), ""),
     "larger than any memory"},
    {"NineAxes", safetensorsBytes(oneTensor("F32", "[2,1,1,1,1,1,1,1,1]", "[0,8]"), eightBytes),
     "it has 9 axes"},
    {"ThreeOffsets", safetensorsBytes(oneTensor("F32", "[2]", "[0,4,8]"), eightBytes),
     "not a pair of counts"},
    {"NegativeOffset", safetensorsBytes(oneTensor("F32", "[2]", "[-8,0]"), eightBytes),
     "not a pair of counts"},
    {"OffsetsInReverse", safetensorsBytes(oneTensor("F32", "[2]", "[8,0]"), eightBytes),
     "begins at 8 but ends at 0"},
    {"Truncated", safetensorsBytes(oneTensor("F32", "[4]", "[0,16]"), eightBytes),
     "only 8 bytes of data (truncated)"},
    {"ShapeNeedsMore", safetensorsBytes(oneTensor("F32", "[3]", "[0,8]"), eightBytes), "needs 12 bytes"},
    {"DtypeNeedsLess", safetensorsBytes(oneTensor("F16", "[2]", "[0,8]"), eightBytes),
     "[2] of F16 needs 4 bytes"},
    {"Overlap", safetensorsBytes(twoTensors("[0,4]", "[2,6]"), "123456"), "begins at 2, inside"},
    {"Hole", safetensorsBytes(twoTensors("[0,4]", "[6,10]"), "1234567890"), "begins at 6, behind a hole"},
    {"HoleAtTheStart", safetensorsBytes(oneTensor("F32", "[1]", "[4,8]"), eightBytes),
     "begins at 4, behind a hole"},
    {"BytesLeftOver", safetensorsBytes(oneTensor("F32", "[1]", "[0,4]"), eightBytes),
     "4 bytes follow the last"},
    {"MetadataIsNoObject", safetensorsBytes(R"({"__metadata__":[]})", ""), "__metadata__ is not an object"},
    {"MetadataIsNoText", safetensorsBytes(R"({"__metadata__":{"k":1}})", ""), "metadata 'k' is not a text"},
};

class DamagedSafetensors : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedSafetensors, IsRefusedWithASentence) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "w.safetensors", GetParam().bytes);
    try {
        static_cast<void>(SafetensorsFile::open(folder / "w.safetensors"));
        FAIL() << "the file was accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_THAT(error.what(), HasSubstr((folder / "w.safetensors").string()));
        EXPECT_THAT(error.what(), HasSubstr(GetParam().sentence));
        EXPECT_THAT(error.hint(), HasSubstr("download"));
    }
}

INSTANTIATE_TEST_SUITE_P(All, DamagedSafetensors, ::testing::ValuesIn(damages),
                         [](const auto& damage) { return std::string(damage.param.name); });

TEST(DamagedSafetensorsFile, EveryTruncationIsRefused) {
    const testing::TemporaryFolder folder;
    const std::string whole = safetensorsBytes(twoTensors("[0,4]", "[4,8]"), eightBytes);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        writeFileAtomically(folder / "w.safetensors", std::string_view(whole).substr(0, length));
        EXPECT_THROW(static_cast<void>(SafetensorsFile::open(folder / "w.safetensors")), Error) << length;
    }
}

TEST(DamagedSafetensorsFile, ShrinkingUnderTheMapIsNoticedBeforeATensorIsHandedOut) {
    const testing::TemporaryFolder folder;
    const std::string whole = safetensorsBytes(oneTensor("F32", "[2]", "[0,8]"), eightBytes);
    writeFileAtomically(folder / "w.safetensors", whole);
    const SafetensorsFile file = SafetensorsFile::open(folder / "w.safetensors");
    std::filesystem::resize_file(folder / "w.safetensors", whole.size() - 4);
    EXPECT_THROW(static_cast<void>(file.get("t")), Error);
}

TEST(DamagedSafetensorsFile, BooleansAreZeroOrOne) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "w.safetensors",
                        safetensorsBytes(oneTensor("BOOL", "[2]", "[0,2]"), "\x01\x07"));
    const SafetensorsFile file = SafetensorsFile::open(folder / "w.safetensors");
    EXPECT_THROW(static_cast<void>(file.get("t")), Error);
}

}  // namespace

}  // namespace meshreel
