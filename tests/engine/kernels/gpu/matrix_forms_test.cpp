// SPDX-License-Identifier: GPL-3.0-or-later
// How shaders of NV matrices become those of other forms, and which of them a GPU can run.
#include <gmock/gmock.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>

#include "engine/base/error.h"
#include "engine/kernels/gpu/gpu_linear_program.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "tools/shaders/matrix_forms.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

/// The parts of a module that matter to the rewriting. Ids: 1 uint, 2 half, 3 float, 4 true, 5 false, 6 left,
/// 7 right, 8 sum, 9 … values.
class Module {
  public:
    Module() : m_words{0x07230203, 0x00010500, 0, 100, 0} {
        put(17, {5357});
        put(10, text("SPV_NV_cooperative_matrix"));
    }
    Module& put(std::uint32_t code, const Words& operands) {
        m_words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16U | code);
        m_words.insert(m_words.end(), operands.begin(), operands.end());
        return *this;
    }
    Module& types() {
        put(21, {1, 32, 0}).put(22, {2, 16}).put(22, {3, 32}).put(41, {50, 4}).put(42, {50, 5});
        return put(5358, {6, 2, 20, 21, 22}).put(5358, {7, 2, 20, 23, 24}).put(5358, {8, 3, 20, 25, 26});
    }
    static Words text(const std::string& name) {
        Words words(name.size() / 4 + 1);
        std::ranges::copy(name, reinterpret_cast<char*>(words.data()));
        return words;
    }
    [[nodiscard]] const Words& words() const { return m_words; }

  private:
    Words m_words;
};

/// One product, with loads and a store.
Module product() {
    return Module()
        .types()
        .put(5359, {6, 9, 30, 31, 5})
        .put(5359, {7, 10, 32, 33, 4, 0x20, 34})
        .put(5361, {8, 12, 9, 10, 11})
        .put(5359, {8, 11, 35, 36, 5})
        .put(5360, {37, 12, 38, 5});
}

/// The operands of every instruction of this code.
std::vector<Words> instructions(const Words& module, std::uint32_t code) {
    std::vector<Words> found;
    for (std::size_t place = 5; place < module.size(); place += module[place] >> 16U)
        if ((module[place] & 0xffffU) == code)
            found.emplace_back(module.begin() + static_cast<std::ptrdiff_t>(place) + 1,
                               module.begin() + static_cast<std::ptrdiff_t>(place + (module[place] >> 16U)));
    return found;
}

TEST(ShaderForms, NvMatricesBecomeKhrOnesWithTheirUses) {
    const Words khr = toKhrMatrices(product().words(), MatrixFactors::Half);
    for (const std::uint32_t nv : {5358U, 5359U, 5360U, 5361U})
        EXPECT_TRUE(instructions(khr, nv).empty()) << nv;
    EXPECT_THAT(instructions(khr, 17), ElementsAre(Words{6022}));
    EXPECT_THAT(instructions(khr, 10), ElementsAre(Module::text("SPV_KHR_cooperative_matrix")));
    const std::vector<Words> numbers = instructions(khr, 43);  // 0, 1 and 2, of type uint
    ASSERT_EQ(numbers.size(), 3U);
    EXPECT_THAT(instructions(khr, 4456),
                ElementsAre(Words{6, 2, 20, 21, 22, numbers[0][1]}, Words{7, 2, 20, 23, 24, numbers[1][1]},
                            Words{8, 3, 20, 25, 26, numbers[2][1]}));
    // Layout, then stride; what follows stays.
    EXPECT_EQ(instructions(khr, 4457)[1], (Words{7, 10, 32, numbers[1][1], 33, 0x20, 34}));
    EXPECT_EQ(instructions(khr, 4458)[0], (Words{37, 12, numbers[0][1], 38}));
    EXPECT_EQ(instructions(khr, 4459)[0], (Words{8, 12, 9, 10, 11}));
    EXPECT_GT(khr[3], std::max({numbers[0][1], numbers[1][1], numbers[2][1]}));  // the bound of ids
}

TEST(ShaderForms, FactorsBecomeBf16AndSumsStay) {
    const Words khr = toKhrMatrices(product().words(), MatrixFactors::Bfloat16);
    EXPECT_THAT(instructions(khr, 17), ElementsAre(Words{6022}, Words{5116}, Words{5118}));
    EXPECT_EQ(instructions(khr, 10).back(), Module::text("SPV_KHR_bfloat16"));
    const std::vector<Words> floats = instructions(khr, 22);
    // The type f16 itself: a shader's numbers are then bf16 wherever it puts them into a matrix.
    EXPECT_THAT(floats, ElementsAre(Words{2, 16, 0}, Words{3, 32}));
    EXPECT_EQ(instructions(khr, 4456)[0][1], 2U);
    EXPECT_EQ(instructions(khr, 4456)[1][1], 2U);
    EXPECT_EQ(instructions(khr, 4456)[2][1], 3U);
}

TEST(ShaderForms, ProductsOfInt8AreSigned) {
    const Words khr = toKhrMatrices(product().words(), MatrixFactors::Int8);
    EXPECT_EQ(instructions(khr, 4459)[0], (Words{8, 12, 9, 10, 11, 0xf}));
    EXPECT_THAT(instructions(khr, 17), ElementsAre(Words{6022}));
}

/// The sentence with which a module is refused.
std::string refusal(const Words& module) {
    try {
        static_cast<void>(toKhrMatrices(module, MatrixFactors::Half));
        return "";
    } catch (const std::runtime_error& failure) {
        return failure.what();
    }
}

TEST(ShaderForms, AnotherModuleThanExpectedIsRefused) {
    EXPECT_THAT(refusal({1, 2, 3}), HasSubstr("no SPIR-V"));
    Words cut = product().words();
    cut.pop_back();
    EXPECT_THAT(refusal(cut), HasSubstr("ends within"));
    EXPECT_THAT(refusal(Module().words()), HasSubstr("multiplies no matrices"));
    EXPECT_THAT(refusal(Module().types().words()), HasSubstr("takes part in no product"));
    EXPECT_THAT(refusal(Module().types().put(5359, {6, 9, 30, 31, 5}).put(5361, {8, 12, 9, 9, 9}).words()),
                HasSubstr("two uses"));
    EXPECT_THAT(refusal(product().put(5359, {6, 40, 30, 31, 77}).words()), HasSubstr("no constant"));
    EXPECT_THAT(refusal(product().put(52, {1, 60, 5362, 6}).words()), HasSubstr("length"));
}

TEST(ShaderForms, AHeaderHasEveryWord) {
    const std::string header = spirvHeader(Words{1, 4294967295U}, "name");
    EXPECT_THAT(header, HasSubstr("name[] = {\n1u,4294967295u,\n};"));
}

MatrixOffers offersOf(const MatrixExtents& extents) {
    MatrixOffers offers{
        .forms = {}, .leastSubgroup = 32, .mostSubgroup = 64, .sharedBytes = 32768, .invocations = 1024};
    for (const MatrixForm form :
         {MatrixForm::NvF16, MatrixForm::KhrF16, MatrixForm::KhrBf16, MatrixForm::Int8, MatrixForm::Int8Dot,
          MatrixForm::PtxBf16, MatrixForm::PtxInt8})
        offers.forms.push_back({.form = form});
    offers.forms[1].extents = {extents};
    return offers;
}

TEST(MatrixVariants, ThoseThatTheGpuCanRunAreCandidates) {
    const Words code{1};
    MatrixVariant fits{
        .extents = {16, 16, 16}, .subgroup = 32, .threads = 128, .sharedBytes = 20480, .block = "fits"};
    fits.words = {code, code, code};
    MatrixVariant other = fits;  // of int8 alone
    other.words = {};
    other.words.at(3) = code;
    MatrixVariant small = fits;
    small.subgroup = 8;
    MatrixVariant large = fits;
    large.sharedBytes = 40000;
    MatrixVariant crowded = fits;
    crowded.threads = 2048;
    const std::array variants{fits, small, large, crowded, other};
    const auto named = [&](const MatrixOffers& offers, const VariantFilter& filter) {
        std::string names;
        for (const GpuCandidate& each : candidatesOn(offers, filter, variants))
            names += std::string(enumName(each.form)) + " " + std::string(each.block()) + ";";
        return names;
    };
    EXPECT_EQ(named(offersOf({16, 16, 16}), {}), "scalar ;khr_f16 fits;");
    EXPECT_EQ(named(offersOf({16, 8, 16}), {}), "scalar ;");
    EXPECT_EQ(named(offersOf({16, 16, 16}), {.form = "khr_f16"}), "khr_f16 fits;");
    EXPECT_EQ(named(offersOf({16, 16, 16}), {.form = "khr_bf16"}), "");
    MatrixOffers bytes = offersOf({16, 16, 16});
    bytes.forms[1].extents = {};
    bytes.forms[3].extents = {{16, 16, 16}};
    EXPECT_EQ(named(bytes, {}), "scalar ;int8 fits;");
    MatrixVariant kernel{.extents = {16, 16, 16}, .threads = 128, .block = "ptx"};
    kernel.ptx.write = [] { return PtxKernel{.entry = "kernel", .text = "text", .threads = 128}; };
    const std::array ofPtx{kernel};
    MatrixOffers launching = offersOf({16, 16, 16});
    EXPECT_EQ(candidatesOn(launching, {}, ofPtx).size(), 1U) << "the scalar shader alone";
    launching.forms.back().extents = {{16, 16, 16}};  // of int8
    EXPECT_EQ(candidatesOn(launching, {}, ofPtx).size(), 1U);
    launching.forms[5].extents = {{16, 16, 16}};
    ASSERT_EQ(candidatesOn(launching, {}, ofPtx).size(), 2U);
    EXPECT_EQ(candidatesOn(launching, {}, ofPtx).back().form, MatrixForm::PtxBf16);
    EXPECT_EQ(candidatesOn(launching, {.form = "ptx_bf16"}, ofPtx).size(), 1U);
}

TEST(MatrixVariants, AKernelOfPtxSaysWhereItsAddressesLie) {
    MatrixVariant kernel{.extents = {16, 16, 16}, .threads = 128, .block = "ptx"};
    kernel.ptx.write = [] { return PtxKernel{.entry = "kernel", .text = "text", .threads = 128}; };
    EXPECT_THROW(VariantShaders("linear", kernel, 8, nullptr), Error);
    constexpr std::array<std::uint16_t, 1> addresses{0};
    const VariantShaders shaders("linear", kernel, 8, nullptr, addresses);
    EXPECT_TRUE(shaders.has(shaders.in(MatrixForm::PtxBf16)));
}

TEST(MatrixVariants, RevisionsChangeWithEveryShaderThatIsCompared) {
    const Words code{1, 2};
    const Words other{1, 3};
    MatrixVariant variant;
    variant.words.at(1) = code;
    MatrixVariant changed = variant;
    changed.words.at(1) = other;
    const std::string revision = computeRevision({&variant, 1}, {code});
    EXPECT_EQ(computeRevision({&variant, 1}, {code}), revision);
    EXPECT_NE(computeRevision({&changed, 1}, {code}), revision);
    EXPECT_NE(computeRevision({&variant, 1}, {other}), revision);
    MatrixVariant kernel;
    kernel.ptx.write = [] { return PtxKernel{.entry = "kernel", .text = "text", .threads = 128}; };
    MatrixVariant longer;
    longer.ptx.write = [] { return PtxKernel{.entry = "kernel", .text = "text;", .threads = 128}; };
    EXPECT_NE(textRevision(kernel), textRevision(longer));
    MatrixVariant several = kernel;
    several.ptx.besides.push_back(longer.ptx.write);
    EXPECT_NE(textRevision(kernel), textRevision(several)) << "what is bound with it counts";
    EXPECT_EQ(textRevision(variant), "") << "a shader has none";
    EXPECT_NE(linearRevision(), computeRevision(linearVariants(), {}))
        << "the scalar shaders are compared too";
    EXPECT_NE(int8LinearRevision(), computeRevision(int8LinearVariants(), {}));
}

}  // namespace
}  // namespace meshreel
