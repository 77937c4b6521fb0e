// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/shaders/matrix_forms.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace meshreel {
namespace {

using Word = std::uint32_t;

// Numbers of the SPIR-V registry.
enum Instruction : Word {
    SourceExtension = 4,
    Extension = 10,
    Capability = 17,
    TypeInt = 21,
    TypeFloat = 22,
    ConstantTrue = 41,
    ConstantFalse = 42,
    Constant = 43,
    SpecConstantOp = 52,
    ConvertFloat = 115,
    NvType = 5358,
    NvLoad = 5359,
    NvStore = 5360,
    NvMultiplyAdd = 5361,
    NvLength = 5362,
    KhrType = 4456,
    KhrLoad = 4457,
    KhrStore = 4458,
    KhrMultiplyAdd = 4459,
    KhrLength = 4460,
};
constexpr Word magic = 0x07230203;
constexpr std::size_t headerWords = 5;
constexpr std::size_t boundPlace = 3;  // of the header: one more than the largest id
constexpr Word nvCapability = 5357;
constexpr Word khrCapability = 6022;
constexpr std::array<Word, 2> bfloat16Capabilities{5116, 5118};  // the type, and matrices of it
constexpr std::string_view nvExtension = "SPV_NV_cooperative_matrix";
constexpr std::string_view khrExtension = "SPV_KHR_cooperative_matrix";
constexpr std::string_view bfloat16Extension = "SPV_KHR_bfloat16";
constexpr Word bfloat16Encoding = 0;
constexpr Word allSigned = 15;  // operands of a product: factors, what it is added to, and the result

/// The KHR extension's numbers of a matrix's use.
enum class Use : Word { Left = 0, Right = 1, Sum = 2 };
constexpr std::size_t useCount = 3;

[[noreturn]] void refuse(const std::string& what) {
    throw std::runtime_error(what);
}

/// An instruction without its first word.
struct Part {
    Word code;
    std::span<const Word> operands;

    [[nodiscard]] Word at(std::size_t index) const {
        if (index >= operands.size())
            refuse("An instruction of the shader is shorter than SPIR-V says");
        return operands[index];
    }
    [[nodiscard]] std::string_view text() const {
        const auto* characters = reinterpret_cast<const char*>(operands.data());
        return {characters, ::strnlen(characters, operands.size_bytes())};
    }
};

std::vector<Part> partsOf(std::span<const Word> module) {
    if (module.size() < headerWords || module[0] != magic)
        refuse("The shader is no SPIR-V module");
    std::vector<Part> parts;
    for (std::size_t place = headerWords; place < module.size();) {
        const std::size_t count = module[place] >> 16U;
        if (count == 0 || place + count > module.size())
            refuse("The shader ends within an instruction");
        parts.push_back({module[place] & 0xffffU, module.subspan(place + 1, count - 1)});
        place += count;
    }
    return parts;
}

/// What the rewriting must know of the whole module first.
class ModuleFacts {
  public:
    explicit ModuleFacts(std::span<const Part> parts) {
        for (const Part& part : parts)
            gather(part);
        if (m_uses.empty())
            refuse("The shader multiplies no matrices of GL_NV_cooperative_matrix");
        for (const Part& part : parts)
            if (part.code == NvMultiplyAdd) {
                use(part.at(2), Use::Left);
                use(part.at(3), Use::Right);
                use(part.at(4), Use::Sum);
                use(part.at(1), Use::Sum);
            }
        for (const Part& part : parts)
            if (part.code == ConvertFloat && m_uses.contains(part.at(0)) && !m_uses.at(part.at(0)))
                m_uses.at(part.at(0)) = m_uses.at(typeOf(part.at(2)));
    }

    [[nodiscard]] Word useOf(Word type) const {
        const std::optional<Use>& use = m_uses.at(type);
        if (!use)
            refuse("A matrix type of the shader takes part in no product");
        return static_cast<Word>(*use);
    }

    /// Of a matrix in memory: 0 row by row, 1 column by column.
    [[nodiscard]] Word layout(Word columnMajor) const {
        const auto found = m_booleans.find(columnMajor);
        if (found == m_booleans.end())
            refuse("Whether a matrix is stored by columns is no constant in the shader");
        return found->second ? 1 : 0;
    }

    [[nodiscard]] Word unsignedType() const { return m_unsigned; }
    [[nodiscard]] Word halfType() const { return m_half; }

  private:
    void gather(const Part& part) {
        switch (part.code) {
            case NvType:
                if (m_unsigned == 0)
                    refuse("A matrix type of the shader stands before the type uint");
                m_uses.emplace(part.at(0), std::nullopt);
                break;
            case TypeInt:
                if (part.at(1) == 32 && part.at(2) == 0)
                    m_unsigned = part.at(0);
                break;
            case TypeFloat:
                if (part.at(1) == 16)
                    m_half = part.at(0);
                break;
            case ConstantTrue:
            case ConstantFalse:
                m_booleans.emplace(part.at(1), part.code == ConstantTrue);
                break;
            case SpecConstantOp:
                if (part.at(2) == NvLength)
                    refuse("The shader asks for the length of a matrix in a constant");
                break;
            default:
                break;
        }
        // Results come behind their type: the first two operands of an instruction that makes a matrix.
        if (part.operands.size() >= 2 && m_uses.contains(part.operands[0]))
            m_types.emplace(part.operands[1], part.operands[0]);
    }

    [[nodiscard]] Word typeOf(Word matrix) const {
        const auto found = m_types.find(matrix);
        if (found == m_types.end())
            refuse("A factor of a product in the shader is no matrix");
        return found->second;
    }

    void use(Word matrix, Use as) {
        std::optional<Use>& known = m_uses.at(typeOf(matrix));
        if (known && *known != as)
            refuse("A matrix type of the shader has two uses in products; give each extents of its own");
        known = as;
    }

    std::map<Word, std::optional<Use>> m_uses;  // by type
    std::map<Word, Word> m_types;               // by matrix
    std::map<Word, bool> m_booleans;            // by constant
    Word m_unsigned = 0;
    Word m_half = 0;
};

class Writer {
  public:
    explicit Writer(std::span<const Word> header) : m_words(header.begin(), header.end()) {}

    Word newId() { return m_words[boundPlace]++; }

    void put(Word code, std::initializer_list<Word> operands, std::span<const Word> more = {}) {
        m_words.push_back(static_cast<Word>(operands.size() + more.size() + 1) << 16U | code);
        m_words.insert(m_words.end(), operands);
        m_words.insert(m_words.end(), more.begin(), more.end());
    }

    void put(const Part& part) { put(part.code, {}, part.operands); }

    void putExtension(std::string_view name) {
        std::vector<Word> text(name.size() / sizeof(Word) + 1);
        std::memcpy(text.data(), name.data(), name.size());
        put(Extension, {}, text);
    }

    [[nodiscard]] std::vector<Word> take() { return std::move(m_words); }

  private:
    std::vector<Word> m_words;
};

class Rewriting {
  public:
    Rewriting(std::span<const Word> header, const ModuleFacts& facts, MatrixFactors factors)
        : m_facts(facts),
          m_isNarrow(factors == MatrixFactors::Bfloat16),
          m_isSigned(factors == MatrixFactors::Int8),
          m_writer(header) {
        for (Word& id : m_numbers)
            id = m_writer.newId();
        if (m_isNarrow && facts.halfType() == 0)
            refuse("The shader has no f16 to make bf16 of");
    }

    void rewrite(const Part& part) {
        switch (part.code) {
            case Capability:
                capability(part);
                break;
            case Extension:
                extension(part);
                break;
            case SourceExtension:
                break;  // of GLSL, and no longer true
            case TypeInt:
                m_writer.put(part);
                if (part.at(0) == m_facts.unsignedType())
                    for (Word value = 0; value < useCount; ++value)
                        m_writer.put(Constant, {m_facts.unsignedType(), m_numbers.at(value), value});
                break;
            case TypeFloat:
                if (m_isNarrow && part.at(0) == m_facts.halfType())
                    m_writer.put(TypeFloat, {part.at(0), 16, bfloat16Encoding});
                else
                    m_writer.put(part);
                break;
            case NvType:
                m_writer.put(KhrType, {part.at(0), part.at(1), part.at(2), part.at(3), part.at(4),
                                       m_numbers.at(m_facts.useOf(part.at(0)))});
                break;
            case NvLoad:
                m_writer.put(KhrLoad, {part.at(0), part.at(1), part.at(2), layout(part.at(4)), part.at(3)},
                             part.operands.subspan(5));
                break;
            case NvStore:
                m_writer.put(KhrStore, {part.at(0), part.at(1), layout(part.at(3)), part.at(2)},
                             part.operands.subspan(4));
                break;
            case NvMultiplyAdd:
                if (m_isSigned)
                    m_writer.put(KhrMultiplyAdd,
                                 {part.at(0), part.at(1), part.at(2), part.at(3), part.at(4), allSigned});
                else
                    m_writer.put(KhrMultiplyAdd, {}, part.operands);
                break;
            case NvLength:
                m_writer.put(KhrLength, {}, part.operands);
                break;
            default:
                m_writer.put(part);
        }
    }

    [[nodiscard]] std::vector<Word> take() { return m_writer.take(); }

  private:
    void capability(const Part& part) {
        if (part.at(0) != nvCapability) {
            m_writer.put(part);
            return;
        }
        m_writer.put(Capability, {khrCapability});
        if (m_isNarrow)
            for (const Word each : bfloat16Capabilities)
                m_writer.put(Capability, {each});
    }

    void extension(const Part& part) {
        if (part.text() != nvExtension) {
            m_writer.put(part);
            return;
        }
        m_writer.putExtension(khrExtension);
        if (m_isNarrow)
            m_writer.putExtension(bfloat16Extension);
    }

    [[nodiscard]] Word layout(Word columnMajor) const { return m_numbers.at(m_facts.layout(columnMajor)); }

    const ModuleFacts& m_facts;
    bool m_isNarrow;
    bool m_isSigned;
    Writer m_writer;
    std::array<Word, useCount> m_numbers{};  // the constants 0, 1 and 2
};

}  // namespace

std::vector<std::uint32_t> toKhrMatrices(std::span<const std::uint32_t> module, MatrixFactors factors) {
    const std::vector<Part> parts = partsOf(module);
    const ModuleFacts facts(parts);
    Rewriting rewriting(module.first(headerWords), facts, factors);
    for (const Part& part : parts)
        rewriting.rewrite(part);
    return rewriting.take();
}

std::string spirvHeader(std::span<const std::uint32_t> words, const std::string& name) {
    std::string text = "#pragma once\n#include <cstdint>\ninline constexpr std::uint32_t " + name + "[] = {";
    constexpr std::size_t wordsOfLine = 12;
    for (std::size_t index = 0; index < words.size(); ++index)
        text += (index % wordsOfLine == 0 ? "\n" : "") + std::to_string(words[index]) + "u,";
    return text + "\n};\n";
}

}  // namespace meshreel
