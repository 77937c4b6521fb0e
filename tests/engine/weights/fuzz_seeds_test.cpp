// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/weights/formats/tensor_file.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

fs::path seeds(const std::string& program) {
    return testing::sourceFolder() / "tests" / "fuzz" / "seeds" / program;
}

/// The inputs that the fuzzers start from and those that they found: each is read whole or refused in words.
TEST(FuzzSeeds, AreReadOrRefused) {
    for (const char* program : {"fuzz_gguf", "fuzz_safetensors", "fuzz_torch"})
        for (const auto& entry : fs::directory_iterator(seeds(program))) {
            SCOPED_TRACE(entry.path());
            try {
                const TensorFile file = TensorFile::open(entry.path());
                for (const FileTensor& tensor : file.tensors())
                    if (tensor.type != StoredType::Other) {
                        EXPECT_EQ(file.read(tensor).shape(), tensor.shape);
                    }
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), ErrorKind::Input);
            }
        }
}

/// These archives were pickled by Python itself, with protocols 2 and 4.
TEST(FuzzSeeds, PythonsOwnPicklesAreRead) {
    for (const char* name : {"archive", "archive4"}) {
        const TensorFile file = TensorFile::open(seeds("fuzz_torch") / name);
        ASSERT_EQ(file.tensors().size(), 2U);
        EXPECT_EQ(file.find("w")->shape, Shape({2, 3}));
        EXPECT_EQ(file.find("b")->shape, Shape({3}));
        EXPECT_EQ(file.find("w")->type, StoredType::F32);
    }
}

TEST(FuzzSeeds, GgufTypesAndShapesAreRead) {
    const TensorFile file = TensorFile::open(seeds("fuzz_gguf") / "types");
    EXPECT_EQ(file.find("a")->type, StoredType::Q8_0);
    EXPECT_EQ(file.find("b")->type, StoredType::Q6_K);
    EXPECT_EQ(file.find("c")->shape, Shape({4, 4}));
    EXPECT_EQ(file.metadata().at("general.architecture"), "wan");
}

}  // namespace
}  // namespace meshreel
