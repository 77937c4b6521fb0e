// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_products.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "tests/support/instrumented.h"

namespace meshreel::testing {
namespace {

constexpr std::size_t wordOfSlice = 16;  // bytes
constexpr std::size_t sliceBytes = 32;
constexpr std::size_t rowsOfWarp = 16;
constexpr std::size_t group = 8;  // rows of a pattern

std::uint64_t field(std::uint64_t descriptor, unsigned first) {
    constexpr std::uint64_t bits = 0x3fff;
    return (descriptor >> first & bits) * wordOfSlice;
}

float floatOfBf16(const std::byte* at) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof(bits));
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

/// Calls visit(register, lane, row, column) for all sums of a warp.
template <typename Visit>
void eachSum(std::size_t columns, const Visit& visit) {
    for (std::size_t tile = 0; tile < columns / 8; ++tile)
        for (std::size_t r = 0; r < 4; ++r)
            for (std::size_t lane = 0; lane < ptxLanes; ++lane)
                visit(4 * tile + r, lane, lane / 4 + 8 * (r / 2), 8 * tile + 2 * (lane % 4) + r % 2);
}

/// sums [row][column] += left [row][k] · right [k][column]
template <typename Number>
[[gnu::always_inline]] inline void addProducts(std::span<const Number> left, std::span<const Number> right,
                                               std::size_t columns, std::span<Number> sums) {
    const std::size_t depth = left.size() / rowsOfWarp;
    for (std::size_t row = 0; row < rowsOfWarp; ++row)
        for (std::size_t k = 0; k < depth; ++k) {
            const Number factor = left[row * depth + k];
            const Number* from = &right[k * columns];
            Number* into = &sums[row * columns];
            for (std::size_t column = 0; column < columns; ++column)
                into[column] += factor * from[column];
        }
}

// As in ptx_matrices.cpp: products of two bf16 are exact in double, so that fused sums are the same.
#if defined(__x86_64__) && !MESHREEL_CHECKS_ADDRESSES && !MESHREEL_CHECKS_RACES
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void addSlices(std::span<const double> left, std::span<const double> right, std::size_t columns,
               std::span<double> sums) {
    addProducts<double>(left, right, columns, sums);
}

void addSlices(std::span<const std::uint32_t> left, std::span<const std::uint32_t> right, std::size_t columns,
               std::span<std::uint32_t> sums) {
    addProducts<std::uint32_t>(left, right, columns, sums);
}

/// The numbers of a slice, `depth` a row; of columns instead where it is `isRight`.
template <typename Number, typename ToNumber>
std::vector<Number> numbersOf(const PtxSlice& slice, std::size_t depth, bool isRight,
                              const ToNumber& toNumber) {
    const std::size_t rows = slice.size() / sliceBytes;
    std::vector<Number> numbers(rows * depth);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t k = 0; k < depth; ++k)
            numbers[isRight ? k * rows + row : row * depth + k] =
                toNumber(&slice[row * sliceBytes + k * (sliceBytes / depth)]);
    return numbers;
}

}  // namespace

std::optional<std::string> PtxDescribedMatrix::check(std::uint64_t descriptor, bool isTransposed) {
    constexpr std::uint64_t unused = 0xffffULL << 46U | 3ULL << 30U | 3ULL << 14U;
    if ((descriptor & unused) != 0)
        return fmt::format("the descriptor {:#x} has bits where none are; shift addresses right by 4",
                           descriptor);
    const PtxDescribedMatrix matrix(descriptor, isTransposed);
    if (matrix.m_rowBytes == 0 && isTransposed)
        return fmt::format(
            "the interpreter knows transposed matrices whose words trade places; write such a "
            "swizzle into the descriptor {:#x}",
            descriptor);
    // A pattern of trades begins where addresses have it begin: rows of the tile at multiples of it.
    const std::uint64_t pattern = group * matrix.m_rowBytes;
    if (matrix.m_rowBytes != 0 && matrix.m_stride % pattern != 0)
        return fmt::format(
            "the descriptor {:#x} has groups of rows {} bytes apart, and a pattern of trades has "
            "{}",
            descriptor, matrix.m_stride, pattern);
    if (matrix.m_rowBytes != 0 && (matrix.m_begin & (pattern - 1)) >= matrix.m_rowBytes)
        return fmt::format(
            "the descriptor {:#x} begins within a pattern of trades; tiles begin at multiples of "
            "{} bytes",
            descriptor, pattern);
    return std::nullopt;
}

PtxDescribedMatrix::PtxDescribedMatrix(std::uint64_t descriptor, bool isTransposed)
    : m_begin(field(descriptor, 0)),
      m_leading(field(descriptor, 16)),
      m_stride(field(descriptor, 32)),
      m_rowBytes(std::array<std::uint64_t, 4>{0, 128, 64, 32}.at(descriptor >> 62U)),
      m_isTransposed(isTransposed) {}

std::uint64_t PtxDescribedMatrix::swizzled(std::uint64_t address) const {
    if (m_rowBytes == 0)
        return address;
    const std::uint64_t words = m_rowBytes / wordOfSlice;
    return address ^ ((address >> 7U & (words - 1)) << 4U);
}

std::uint64_t PtxDescribedMatrix::wordOfRow(std::size_t row, std::size_t word) const {
    if (m_rowBytes == 0)
        return m_begin + row / group * m_stride + row % group * wordOfSlice + word * m_leading;
    return swizzled(m_begin + row / group * m_stride + row % group * m_rowBytes + word * wordOfSlice);
}

std::uint64_t PtxDescribedMatrix::wordOfColumn(std::size_t row, std::size_t k) const {
    const std::size_t rowsOfPanel = m_rowBytes / 2;
    return swizzled(m_begin + row / rowsOfPanel * m_leading + row % rowsOfPanel * 2 + k / group * m_stride +
                    k % group * m_rowBytes);
}

std::optional<std::string> readSlice(PtxSharedMemory& shared, const PtxDescribedMatrix& matrix,
                                     std::size_t firstRow, std::size_t rows, bool isTransposed,
                                     const PtxAccess& by, PtxSlice& into, std::set<std::size_t>& kilobytes) {
    constexpr std::size_t kilobyte = 1024;
    into.resize(rows * sliceBytes);
    std::array<std::byte, wordOfSlice> word{};
    std::size_t last = ~std::size_t{0};
    const auto read = [&](std::uint64_t address) {
        if (address / kilobyte != last)
            kilobytes.insert(last = address / kilobyte);
        return shared.readForProduct(address, word, by);
    };
    if (!isTransposed) {
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t half = 0; half < 2; ++half) {
                if (auto why = read(matrix.wordOfRow(firstRow + row, half)))
                    return why;
                std::memcpy(&into[row * sliceBytes + half * wordOfSlice], word.data(), wordOfSlice);
            }
        return std::nullopt;
    }
    constexpr std::size_t depth = sliceBytes / 2;
    for (std::size_t k = 0; k < depth; ++k)
        for (std::size_t row = 0; row < rows; row += group) {
            if (auto why = read(matrix.wordOfColumn(firstRow + row, k)))
                return why;
            for (std::size_t index = 0; index < group; ++index)
                std::memcpy(&into[(row + index) * sliceBytes + 2 * k], &word[2 * index], 2);
        }
    return std::nullopt;
}

PtxSlice sliceOfRegisters(std::span<const PtxWords, 4> words) {
    PtxSlice made(rowsOfWarp * sliceBytes);
    for (std::size_t lane = 0; lane < ptxLanes; ++lane)
        for (std::size_t r = 0; r < 4; ++r)
            std::memcpy(&made[(lane / 4 + 8 * (r % 2)) * sliceBytes + (lane % 4 + 4 * (r / 2)) * 4],
                        &words[r][lane], 4);
    return made;
}

void multiplySlices(const PtxSlice& a, const PtxSlice& b, const PtxProductWork& work, bool replaces,
                    std::span<PtxWords> sums) {
    const auto compute = [&](std::size_t depth, const auto& toNumber, const auto& toSum,
                             const auto& fromSum) {
        using Number = decltype(toNumber(a.data()));
        std::vector<Number> numbers(rowsOfWarp * work.columns);
        if (!replaces)
            eachSum(work.columns, [&](std::size_t r, std::size_t lane, std::size_t row, std::size_t column) {
                numbers[row * work.columns + column] = toSum(sums[r][lane]);
            });
        const std::vector<Number> left = numbersOf<Number>(a, depth, false, toNumber);
        const std::vector<Number> right = numbersOf<Number>(b, depth, true, toNumber);
        addSlices(std::span<const Number>(left), std::span<const Number>(right), work.columns,
                  std::span<Number>(numbers));
        eachSum(work.columns, [&](std::size_t r, std::size_t lane, std::size_t row, std::size_t column) {
            sums[r][lane] = fromSum(numbers[row * work.columns + column]);
        });
    };
    const auto same = [](std::uint32_t word) { return word; };
    // Sums of int8 wrap around, as without .satfinite.
    if (work.isInt8)
        compute(
            sliceBytes,
            [](const std::byte* at) {
                return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(*at)));
            },
            same, same);
    else
        compute(
            sliceBytes / 2, [](const std::byte* at) { return static_cast<double>(floatOfBf16(at)); },
            [](std::uint32_t word) { return static_cast<double>(std::bit_cast<float>(word)); },
            [](double sum) { return std::bit_cast<std::uint32_t>(static_cast<float>(sum)); });
}

}  // namespace meshreel::testing
