// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/torch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/limits.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_bytes.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using testing::expectFaults;
using testing::Names;
using testing::Refusal;
using testing::ZipBytes;
namespace pickle = testing::pickle;

Refusal torchRefusal(const std::string& bytes) {
    return testing::refusalOf(ErrorKind::Input, [&bytes] {
        static_cast<void>(readTorchDirectory(std::as_bytes(std::span(bytes)), "file"));
    });
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

Refusal pickleRefusal(const std::string& body) {
    return torchRefusal(archiveOf(body).bytes());
}

Refusal tensorRefusal(std::int64_t offset, const std::vector<std::int64_t>& shape,
                      const std::vector<std::int64_t>& strides) {
    return pickleRefusal(
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
    const Refusal system =
        pickleRefusal(pickle::global("os", "system") + "(" + pickle::text("touch /tmp/x") + "tR");
    EXPECT_THAT(system, Names("os.system"));
    const Refusal eval = pickleRefusal(pickle::text("builtins") + pickle::text("eval") + "\x93");
    EXPECT_THAT(eval, Names("builtins.eval"));
    const Refusal load = pickleRefusal(pickle::global("torch", "load"));
    EXPECT_THAT(load, Names("torch.load"));
    const Refusal made = pickleRefusal(pickle::global("torch", "FloatStorage") + ")\x81");
    EXPECT_THAT(made, Names("81"));
    expectFaults({{"calls a stranger", system},
                  {"calls a stranger", eval},
                  {"calls a stranger", load},
                  {"an instruction", made},
                  {"calls a text", pickleRefusal(pickle::text("x") + ")R")},
                  {"a name without an end", pickleRefusal("cbuiltins\n" + std::string(1000, 'x'))}});
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
    const Refusal sparse = pickleRefusal(pickle::dictionary(
        {{"t", pickle::global("torch._utils", "_rebuild_sparse_tensor") + pickle::tuple({1}) + "R"}}));
    EXPECT_THAT(sparse, Names("torch._utils._rebuild_sparse_tensor"));
    EXPECT_EQ(sparse.problem.hint(), useReadableType());
}

/// A name that ends within a character made fmt end the process; found by a fuzzer.
TEST(TorchFile, NamesThatAreNoTextAreToldAsFarAsTheyAre) {
    EXPECT_THAT(pickleRefusal(pickle::global("os", "syste\xED") + ")R"), Names("os.syste?"));
    EXPECT_THAT(torchRefusal(ZipBytes().file("a/b", "1").entry("a/\xED", 1, 1U << 20U).bytes()),
                Names("a/?"));
}

TEST(TorchFile, PicklesThatMakeNoSense) {
    const Refusal recalled = pickleRefusal("h\x05");
    EXPECT_THAT(recalled, Names("5"));
    const Refusal later = torchRefusal(ZipBytes().file("a/data.pkl", "\x80\x09.").bytes());
    EXPECT_THAT(later, Names("9"));
    expectFaults({{"nothing on the stack", pickleRefusal("")},
                  {"no mark", pickleRefusal("u")},
                  {"nothing to recall", recalled},
                  {"a key without a value", pickleRefusal("}(NNNu")},
                  {"takes no items", pickleRefusal("NNs")},
                  {"no dictionary", pickleRefusal("]")},
                  {"no tensors", pickleRefusal("}")},
                  {"truncated", pickleRefusal("X\xFF\xFF\xFF\xFF")},
                  {"truncated", pickleRefusal("\x8D\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF")},
                  {"no protocol", torchRefusal(ZipBytes().file("a/data.pkl", "(dp0\n.").bytes())},
                  {"a later protocol", later}});
}

TEST(TorchFile, DeepAndCyclicPicklesCostNothing) {
    expectFaults({{"no dictionary", pickleRefusal("]")},
                  {"no dictionary", pickleRefusal(std::string(1'000'000, ']') + std::string(999'999, 'a'))},
                  {"no dictionary", pickleRefusal("]q\x01h\x01"
                                                  "a")}});  // a list in itself
    EXPECT_THAT(torchRefusal(ZipBytes().file("a/data.pkl", std::string(5'000'000, 'N')).bytes()),
                Names(std::to_string(limitValue(Limit::TorchPickle))));
}

TEST(TorchFile, TensorsStayInTheirStorage) {
    EXPECT_FALSE(tensorRefusal(0, {2, 3}, {3, 1}));
    const Refusal outside = tensorRefusal(1, {2, 3}, {3, 1});
    EXPECT_THAT(outside, Names("[2, 3]", "1", "6"));
    constexpr std::int64_t huge = std::int64_t{1} << 62;
    expectFaults({{"outside", outside},
                  {"mismatched", tensorRefusal(-1, {2}, {1})},
                  {"outside", tensorRefusal(7, {0}, {1})},
                  {"mismatched", tensorRefusal(0, {2, 3}, {1})},
                  {"no counts", tensorRefusal(0, {2}, {-1})},
                  {"outside", tensorRefusal(0, {huge, 4}, {0, 0})},
                  {"outside", tensorRefusal(0, {std::int64_t{1} << 40}, {0})},
                  {"outside", tensorRefusal(0, {2}, {huge})}});
    EXPECT_THAT(
        pickleRefusal(pickle::dictionary({{"t", pickle::tensor("FloatStorage", "7", 6, 0, {1}, {1})}})),
        Names("7"));
    EXPECT_THAT(
        pickleRefusal(pickle::dictionary({{"t", pickle::tensor("QUInt4x2Storage", "0", 6, 0, {1}, {1})}})),
        Names("torch.QUInt4x2Storage"));
}

TEST(TorchFile, HostileArchives) {
    const std::string body =
        pickle::whole(pickle::dictionary({{"t", pickle::tensor("FloatStorage", "0", 6, 0, {6}, {1})}}));
    const Refusal compressed = torchRefusal(ZipBytes().file("a/data.pkl", body, 8).bytes());
    EXPECT_THAT(compressed, Names("a/data.pkl"));
    // Ten names for the same bytes: what makes a zip bomb without compression.
    ZipBytes overlapping;
    overlapping.file("a/data/0", sixFloats);
    for (int i = 0; i < 10; ++i)
        overlapping.entry("a/data/0", sixFloats.size(), 0);
    const auto beside = [](const std::string& name, std::uint32_t bytes, std::uint32_t at) {
        return torchRefusal(ZipBytes().file("a/b", "1").entry(name, bytes, at).bytes());
    };
    expectFaults({{"compressed", compressed},
                  {"no pickle", torchRefusal(ZipBytes().file("a/x", "y").bytes())},
                  {"overlapping", torchRefusal(overlapping.bytes())},
                  {"truncated", beside("a/b", 1U << 30U, 0)},
                  {"another name", beside("a/c", 1, 0)},
                  {"no header", beside("a/c", 1, 5)},
                  {"twice", torchRefusal(ZipBytes().file("a/b", "1").file("a/b", "2").bytes())}});
    std::string manyEntries = archiveOf("}").bytes64();
    manyEntries.replace(manyEntries.find("PK\x06\x06") + 32, 8, 8, '\xFF');
    EXPECT_THAT(torchRefusal(manyEntries), Names(std::to_string(limitValue(Limit::Tensors))));
}

TEST(TorchFile, EveryTruncationIsRefused) {
    const std::string whole =
        archiveOf(pickle::dictionary({{"t", pickle::tensor("FloatStorage", "0", 6, 0, {6}, {1})}})).bytes();
    for (std::size_t length = 4; length < whole.size(); ++length)
        EXPECT_TRUE(torchRefusal(whole.substr(0, length))) << length;
}

TEST(TorchFile, TheOldFormIsNamed) {
    expectFaults(
        {{"no archive", torchRefusal("PK\x03\x04")},
         {"the old form", torchRefusal("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.rest")}});
}

}  // namespace
}  // namespace meshreel
