// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/finish/rife_layout.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

/// The tensors by which a file's form is told.
struct PublishedRife {
    const char* versions;
    std::vector<std::int64_t> widths;
    std::int64_t firstIns;
    std::int64_t ins;
    std::int64_t outs;
    const char* lastOfHead = "";  ///< "encode.cnn3" of Deep, "encode.1" of Plain
    std::int64_t headWidth = 0;
    std::int64_t features = 0;
};

/// By the author's files.
const std::vector<PublishedRife> published{
    {"4.5", {192, 128, 96, 64}, 7, 12, 5},
    {"4.6", {192, 128, 96, 64}, 7, 12, 6},
    {"4.7 to 4.9", {192, 128, 96, 64}, 15, 20, 6, "encode.1", 16, 4},
    {"4.21, 4.22", {256, 192, 96, 48}, 23, 36, 13, "encode.cnn3", 32, 8},
    {"4.22 lite", {192, 128, 64, 32}, 15, 28, 13, "encode.cnn3", 16, 4},
    {"4.25 lite", {192, 128, 96, 64, 24}, 15, 28, 13, "encode.cnn3", 16, 4},
    {"4.25, 4.26", {192, 128, 96, 64, 32}, 15, 28, 13, "encode.cnn3", 16, 4},
    {"4.25 heavy, 4.26 heavy", {192, 128, 96, 64, 32}, 39, 52, 13, "encode.cnn3", 16, 16},
};

class RifeLayouts : public ::testing::Test {
  protected:
    static void add(std::vector<NamedTensor>& tensors, const std::string& name, const Shape& shape) {
        tensors.emplace_back(name, Tensor::zeros(shape));
    }

    std::filesystem::path write(const PublishedRife& of, const std::string& prefix,
                                const std::string& block) {
        std::vector<NamedTensor> tensors;
        for (std::size_t index = 0; index < of.widths.size(); ++index) {
            const std::string name = fmt::format("{}{}{}.", prefix, block, index);
            const std::int64_t width = of.widths[index];
            add(tensors, name + "conv0.0.0.weight", {width / 2, index == 0 ? of.firstIns : of.ins, 3, 3});
            add(tensors, name + "conv0.1.0.weight", {width, width / 2, 3, 3});
            add(tensors, name + "convblock.0.beta", {1, width, 1, 1});
            add(tensors, name + "lastconv.0.weight", {width, 4 * of.outs, 4, 4});
        }
        if (*of.lastOfHead != '\0')
            add(tensors, prefix + of.lastOfHead + ".weight", {of.headWidth, of.features, 4, 4});
        const std::filesystem::path file = m_folder.path() / "network.safetensors";
        writeSafetensors(file, tensors);
        return file;
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(RifeLayouts, EveryPublishedFormIsToldByItsShapes) {
    ASSERT_EQ(published.size(), rifeForms().size());
    for (const PublishedRife& of : published) {
        const RifeLayout layout = rifeLayout(openRife(write(of, "module.", "block")));
        EXPECT_EQ(layout.form->versions, of.versions);
        EXPECT_EQ(layout.widths, of.widths);
        EXPECT_EQ(layout.headWidth, of.headWidth);
    }
}

TEST_F(RifeLayouts, ComfyUisNamesAreTheSameNetwork) {
    for (const PublishedRife& of : published)
        EXPECT_EQ(rifeLayout(openRife(write(of, "", "blocks."))).form->versions, of.versions);
}

TEST_F(RifeLayouts, FormsBetweenThoseThatAreKnownAreRefused) {
    // 4.20: eight features of the head, and nothing handed on.
    const PublishedRife unknown{"", {384, 192, 96, 48}, 23, 28, 6, "encode.cnn3", 32, 8};
    EXPECT_THROW(static_cast<void>(rifeLayout(openRife(write(unknown, "", "block")))), Error);
}

TEST_F(RifeLayouts, OtherNetworksAreRefused) {
    std::vector<NamedTensor> tensors;
    add(tensors, "extract.extract_sublevels.convs.0.0.conv.weight", {64, 3, 3, 3});
    const std::filesystem::path file = m_folder.path() / "film.safetensors";
    writeSafetensors(file, tensors);
    EXPECT_THROW(static_cast<void>(rifeLayout(openRife(file))), Error);
}

/// Counted apart from the table of 4.26, in 10^9: 6.45 of the last block, 5.31, 2.77, 1.19 and 0.63 of the
/// others, and 2.58 of the head for both frames.
TEST_F(RifeLayouts, WorkIsThatOfTheTable) {
    const RifeLayout layout = rifeLayout(openRife(write(published[6], "", "block")));
    EXPECT_NEAR(layout.operations(512, 832) / 1e9, 18.93, 0.01);
}

}  // namespace
}  // namespace meshreel
