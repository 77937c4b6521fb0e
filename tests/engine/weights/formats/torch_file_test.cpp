// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/torch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_bytes.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ZipBytes;
namespace pickle = testing::pickle;

std::string torchMessage(const std::string& bytes) {
    try {
        static_cast<void>(readTorchDirectory(std::as_bytes(std::span(bytes)), "file"));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        return error.what();
    }
    return "no error";
}

const std::string sixFloats = [] {
    const std::vector<float> values{0, 1, 2, 3, 4, 5};
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}();

/// An archive whose pickle is `body` and whose storage 0 is six floats.
ZipBytes archiveOf(const std::string& body) {
    ZipBytes zip;
    zip.file("archive/data/0", sixFloats).file("archive/data.pkl", pickle::whole(body));
    return zip;
}

std::string messageOfPickle(const std::string& body) {
    return torchMessage(archiveOf(body).bytes());
}

std::string messageOfTensor(std::int64_t offset, const std::vector<std::int64_t>& shape,
                            const std::vector<std::int64_t>& strides) {
    return messageOfPickle(
        pickle::dictionary({{"t", pickle::tensor("FloatStorage", "0", 6, offset, shape, strides)}}));
}

TensorFile opened(const testing::TemporaryFolder& folder, const std::string& bytes) {
    writeFileAtomically(folder / "x.pth", bytes);
    return TensorFile::open(folder / "x.pth");
}

TEST(TorchFile, ReadsTensorsOfEveryType) {
    const testing::TemporaryFolder folder;
    const std::vector<std::pair<std::string, Tensor>> tensors{
        {"b.weight", Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
        {"a", Tensor::from<BFloat16>(Shape{2}, {toBFloat16(1), toBFloat16(-2)})},
        {"step", Tensor::from<std::int64_t>(Shape(), {7})},
        {"half", Tensor::from<Half>(Shape{1}, {toHalf(0.5F)})}};
    const TensorFile file = opened(folder, testing::torchBytes(tensors));
    EXPECT_EQ(file.format(), "PyTorch");
    ASSERT_EQ(file.tensors().size(), 4U);
    for (const auto& [name, tensor] : tensors) {
        const Tensor read = file.read(*file.find(name));
        EXPECT_EQ(read.shape(), tensor.shape()) << name;
        EXPECT_EQ(read.dtype(), tensor.dtype()) << name;
        EXPECT_EQ(std::memcmp(read.raw(), tensor.raw(), tensor.bytes()), 0) << name;
    }
}

TEST(TorchFile, Zip64AndNestedDictionaries) {
    const std::string state = pickle::dictionary(
        {{"t", pickle::tensor("FloatStorage", "0", 6, 2, {4}, {1})}, {"epoch", pickle::integer(3)}});
    const testing::TemporaryFolder folder;
    const TensorFile file = opened(
        folder,
        archiveOf(pickle::dictionary({{"state_dict", state}, {"lr", std::string("G?\xF0\0\0\0\0\0\0", 9)}}))
            .bytes64());
    EXPECT_THAT(file.read(*file.find("t")).data<float>(), ElementsAre(2, 3, 4, 5));
}

TEST(TorchFile, OfATrainingsWeightsTheAverageIsTaken) {
    const testing::TemporaryFolder folder;
    const auto tensor = [](std::int64_t first) {
        return pickle::dictionary({{"t", pickle::tensor("FloatStorage", "0", 6, first, {2}, {1})}});
    };
    const auto firstDock = [&](const std::vector<std::pair<std::string, std::string>>& state) {
        const TensorFile file = opened(folder, archiveOf(pickle::dictionary(state)).bytes());
        return file.read(*file.find("t")).data<float>()[0];
    };
    EXPECT_EQ(firstDock({{"generator", tensor(1)}, {"critic", tensor(3)}}), 1);
    EXPECT_EQ(firstDock({{"generator", tensor(1)}, {"generator_ema", tensor(2)}}), 2);
    EXPECT_EQ(firstDock({{"ema", pickle::dictionary({})}, {"model", tensor(4)}}), 4)
        << "a dictionary without tensors is none of weights";
}

TEST(TorchFile, StridedAndSharedStorages) {
    const testing::TemporaryFolder folder;
    const TensorFile file = opened(
        folder,
        archiveOf(pickle::dictionary({{"turned", pickle::tensor("FloatStorage", "0", 6, 0, {3, 2}, {1, 3})},
                                      {"row", pickle::tensor("FloatStorage", "0", 6, 3, {1, 3}, {99, 1})}}))
            .bytes());
    EXPECT_THAT(file.read(*file.find("turned")).data<float>(), ElementsAre(0, 3, 1, 4, 2, 5));
    EXPECT_THAT(file.readRows(*file.find("turned"), 1, 2).data<float>(), ElementsAre(1, 4, 2, 5));
    EXPECT_THAT(file.read(*file.find("row")).data<float>(), ElementsAre(3, 4, 5));
}

TEST(TorchFile, NothingIsCalled) {
    EXPECT_THAT(messageOfPickle(pickle::global("os", "system") + "(" + pickle::text("touch /tmp/x") + "tR"),
                AllOf(HasSubstr("os.system"), HasSubstr("not called"), HasSubstr("safetensors")));
    EXPECT_THAT(messageOfPickle(pickle::text("builtins") + pickle::text("eval") + "\x93"),
                HasSubstr("builtins.eval"));
    EXPECT_THAT(messageOfPickle(pickle::global("torch", "load")), HasSubstr("torch.load"));
    EXPECT_THAT(messageOfPickle(pickle::global("torch", "FloatStorage") + ")\x81"), HasSubstr("0x81"));
    EXPECT_THAT(messageOfPickle(pickle::text("x") + ")R"), HasSubstr("no constructor"));
    EXPECT_THAT(messageOfPickle("cbuiltins\n" + std::string(1000, 'x')), HasSubstr("has no end"));
}

TEST(TorchFile, TypesThatAreNotReadAreNamedWithoutAlarm) {
    const testing::TemporaryFolder folder;
    const TensorFile file = opened(
        folder,
        archiveOf(pickle::dictionary({{"bytes", pickle::tensor("QInt8Storage", "0", 24, 4, {2, 3}, {3, 1})},
                                      {"shorts", pickle::tensor("ShortStorage", "0", 12, 2, {4}, {1})}}))
            .bytes());
    for (const auto& [name, type, bytes] :
         {std::tuple{"bytes", "QINT8", 6U}, std::tuple{"shorts", "I16", 8U}}) {
        const FileTensor& tensor = *file.find(name);
        EXPECT_EQ(tensor.typeName, type);
        EXPECT_EQ(tensor.end - tensor.begin, bytes);
        EXPECT_THROW(static_cast<void>(file.read(tensor)), Error);
    }
    EXPECT_THAT(
        messageOfPickle(pickle::dictionary(
            {{"t", pickle::global("torch._utils", "_rebuild_sparse_tensor") + pickle::tuple({1}) + "R"}})),
        AllOf(HasSubstr("_rebuild_sparse_tensor, which Meshreel does not read"), Not(HasSubstr("trust"))));
}

/// A name that ends within a character made fmt end the process; found by a fuzzer.
TEST(TorchFile, NamesThatAreNoTextAreToldAsFarAsTheyAre) {
    EXPECT_THAT(messageOfPickle(pickle::global("os", "syste\xED") + ")R"), HasSubstr("os.syste?"));
    EXPECT_THAT(torchMessage(ZipBytes().file("a/b", "1").entry("a/\xED", 1, 1U << 20U).bytes()),
                HasSubstr("'a/?'"));
}

TEST(TorchFile, PicklesThatMakeNoSense) {
    EXPECT_THAT(messageOfPickle(""), HasSubstr("takes more from its stack"));
    EXPECT_THAT(messageOfPickle("u"), HasSubstr("a mark that it did not set"));
    EXPECT_THAT(messageOfPickle("h\x05"), HasSubstr("recalls number 5"));
    EXPECT_THAT(messageOfPickle("}(NNNu"), HasSubstr("without a value"));
    EXPECT_THAT(messageOfPickle("NNs"), HasSubstr("takes none"));
    EXPECT_THAT(messageOfPickle("]"), HasSubstr("not a dictionary"));
    EXPECT_THAT(messageOfPickle("}"), HasSubstr("no tensors"));
    EXPECT_THAT(messageOfPickle("X\xFF\xFF\xFF\xFF"), HasSubstr("truncated"));
    EXPECT_THAT(messageOfPickle("\x8D\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), HasSubstr("truncated"));
    EXPECT_THAT(torchMessage(ZipBytes().file("a/data.pkl", "(dp0\n.").bytes()), HasSubstr("protocol"));
    EXPECT_THAT(torchMessage(ZipBytes().file("a/data.pkl", "\x80\x09.").bytes()), HasSubstr("protocol 9"));
}

TEST(TorchFile, DeepAndCyclicPicklesCostNothing) {
    EXPECT_THAT(messageOfPickle(std::string(1'000'000, ']') + std::string(999'999, 'a')),
                HasSubstr("not a dictionary"));
    EXPECT_THAT(messageOfPickle("]q\x01h\x01"
                                "a"),
                HasSubstr("not a dictionary"));  // a list in itself
    EXPECT_THAT(torchMessage(ZipBytes().file("a/data.pkl", std::string(5'000'000, 'N')).bytes()),
                HasSubstr("at most 4194304"));
}

TEST(TorchFile, TensorsStayInTheirStorage) {
    EXPECT_EQ(messageOfTensor(0, {2, 3}, {3, 1}), "no error");
    EXPECT_THAT(messageOfTensor(1, {2, 3}, {3, 1}), HasSubstr("does not lie in its storage of 6"));
    EXPECT_THAT(messageOfTensor(-1, {2}, {1}), HasSubstr("do not fit together"));
    EXPECT_THAT(messageOfTensor(7, {0}, {1}), HasSubstr("does not lie"));
    EXPECT_THAT(messageOfTensor(0, {2, 3}, {1}), HasSubstr("do not fit together"));
    EXPECT_THAT(messageOfTensor(0, {2}, {-1}), HasSubstr("something else than counts"));
    EXPECT_THAT(messageOfTensor(0, {std::int64_t{1} << 62, 4}, {0, 0}), HasSubstr("does not lie"));
    EXPECT_THAT(messageOfTensor(0, {std::int64_t{1} << 40}, {0}), HasSubstr("does not lie"));
    EXPECT_THAT(messageOfTensor(0, {2}, {std::int64_t{1} << 62}), HasSubstr("does not lie"));
    EXPECT_THAT(
        messageOfPickle(pickle::dictionary({{"t", pickle::tensor("FloatStorage", "7", 6, 0, {1}, {1})}})),
        HasSubstr("data/7 is not in the archive"));
    EXPECT_THAT(
        messageOfPickle(pickle::dictionary({{"t", pickle::tensor("QUInt4x2Storage", "0", 6, 0, {1}, {1})}})),
        HasSubstr("torch.QUInt4x2Storage"));
}

TEST(TorchFile, HostileArchives) {
    const std::string body =
        pickle::whole(pickle::dictionary({{"t", pickle::tensor("FloatStorage", "0", 6, 0, {6}, {1})}}));
    EXPECT_THAT(torchMessage(ZipBytes().file("a/data.pkl", body, 8).bytes()),
                AllOf(HasSubstr("compressed"), HasSubstr("uncompressed")));
    EXPECT_THAT(torchMessage(ZipBytes().file("a/x", "y").bytes()), HasSubstr("no data.pkl"));
    // Ten names for the same bytes: what makes a zip bomb without compression.
    ZipBytes overlapping;
    overlapping.file("a/data/0", sixFloats);
    for (int i = 0; i < 10; ++i)
        overlapping.entry("a/data/0", sixFloats.size(), 0);
    EXPECT_THAT(torchMessage(overlapping.bytes()), HasSubstr("overlap"));
    EXPECT_THAT(torchMessage(ZipBytes().file("a/b", "1").entry("a/b", 1U << 30U, 0).bytes()),
                HasSubstr("truncated"));
    EXPECT_THAT(torchMessage(ZipBytes().file("a/b", "1").entry("a/c", 1, 0).bytes()),
                HasSubstr("another name"));
    EXPECT_THAT(torchMessage(ZipBytes().file("a/b", "1").entry("a/c", 1, 5).bytes()), HasSubstr("should be"));
    EXPECT_THAT(torchMessage(ZipBytes().file("a/b", "1").file("a/b", "2").bytes()), HasSubstr("twice"));
    std::string manyEntries = archiveOf("}").bytes64();
    manyEntries.replace(manyEntries.find("PK\x06\x06") + 32, 8, 8, '\xFF');
    EXPECT_THAT(torchMessage(manyEntries), HasSubstr("tensors or more"));
}

TEST(TorchFile, EveryTruncationIsRefused) {
    const std::string whole =
        archiveOf(pickle::dictionary({{"t", pickle::tensor("FloatStorage", "0", 6, 0, {6}, {1})}})).bytes();
    for (std::size_t length = 4; length < whole.size(); ++length)
        EXPECT_NE(torchMessage(whole.substr(0, length)), "no error") << length;
}

TEST(TorchFile, TheOldFormIsNamed) {
    EXPECT_THAT(torchMessage("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.rest"),
                HasSubstr("before version 1.6"));
}

}  // namespace
}  // namespace meshreel
