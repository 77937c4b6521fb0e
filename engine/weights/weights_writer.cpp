// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/weights_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/number_types.h"
#include "engine/base/write_failure.h"
#include "engine/weights/formats/gguf.h"
#include "engine/weights/formats/quantised_blocks.h"
#include "engine/weights/formats/safetensors_writer.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

template <typename Number, Number (*convert)(float)>
void packNumbers(std::span<const float> values, std::byte* out) {
    for (const float value : values) {
        const Number number = convert(value);
        std::memcpy(out, &number, sizeof(number));
        out += sizeof(number);
    }
}

template <typename Block>
void packBlocks(std::span<const float> values, std::byte* out) {
    Block block;
    for (std::size_t first = 0; first < values.size(); first += Block::elements, out += sizeof(Block)) {
        packBlock(values.data() + first, block);
        std::memcpy(out, &block, sizeof(block));
    }
}

template <typename Number>
Number cast(float value) {
    return static_cast<Number>(value);
}

struct Packer {
    StoredType type;
    void (*pack)(std::span<const float> values, std::byte* out);
};
constexpr std::array packers = {Packer{StoredType::F64, packNumbers<double, cast<double>>},
                                Packer{StoredType::F32, packNumbers<float, cast<float>>},
                                Packer{StoredType::F16, packNumbers<Half, toHalf>},
                                Packer{StoredType::BF16, packNumbers<BFloat16, toBFloat16>},
                                Packer{StoredType::I64, packNumbers<std::int64_t, cast<std::int64_t>>},
                                Packer{StoredType::I32, packNumbers<std::int32_t, cast<std::int32_t>>},
                                Packer{StoredType::U8, packNumbers<std::uint8_t, cast<std::uint8_t>>},
                                Packer{StoredType::F8E4M3, packNumbers<Float8E4M3, toFloat8E4M3>},
                                Packer{StoredType::F8E5M2, packNumbers<Float8E5M2, toFloat8E5M2>},
                                Packer{StoredType::Q4_0, packBlocks<BlockQ4_0>},
                                Packer{StoredType::Q4_1, packBlocks<BlockQ4_1>},
                                Packer{StoredType::Q5_0, packBlocks<BlockQ5_0>},
                                Packer{StoredType::Q5_1, packBlocks<BlockQ5_1>},
                                Packer{StoredType::Q8_0, packBlocks<BlockQ8_0>},
                                Packer{StoredType::Q4_K, packBlocks<BlockQ4_K>},
                                Packer{StoredType::Q5_K, packBlocks<BlockQ5_K>},
                                Packer{StoredType::Q6_K, packBlocks<BlockQ6_K>},
                                Packer{StoredType::Q2_K, packBlocks<BlockQ2_K>},
                                Packer{StoredType::Q3_K, packBlocks<BlockQ3_K>},
                                Packer{StoredType::IQ4_NL, packBlocks<BlockIQ4_NL>},
                                Packer{StoredType::IQ4_XS, packBlocks<BlockIQ4_XS>}};

}  // namespace

std::size_t StoredSpec::bytes() const {
    const std::int64_t innermost = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
    const auto blockElements = static_cast<std::int64_t>(storedTypeInfo(type).blockElements);
    const auto bytes = storedBytes(type, static_cast<std::uint64_t>(shape.elements()));
    if (innermost % blockElements != 0 || !bytes)
        throw Error(ErrorKind::Project,
                    sentence("{} has blocks of {} elements, and its rows {}", storedTypeInfo(type).name,
                             blockElements, innermost),
                    name, sentence("Choose a type without blocks"));
    return *bytes;
}

WeightsFormat formatOfName(const fs::path& file) {
    return file.extension() == ".gguf" ? WeightsFormat::Gguf : WeightsFormat::Safetensors;
}

void packStored(StoredType type, std::span<const float> values, std::vector<std::byte>& out) {
    const auto packer = std::ranges::find(packers, type, &Packer::type);
    if (packer == packers.end())
        throw Error(ErrorKind::Project,
                    sentence("weights of type {} are read, but not written", storedTypeInfo(type).name), {},
                    sentence("Choose another type"));
    const std::size_t before = out.size();
    out.resize(before + storedBytes(type, values.size()).value());
    packer->pack(values, out.data() + before);
}

WeightsWriter::WeightsWriter(const fs::path& file, WeightsFormat format, std::vector<StoredSpec> tensors,
                             const std::map<std::string, std::string>& metadata)
    : m_file(file), m_out(file, std::ios::binary), m_tensors(std::move(tensors)) {
    std::string head;
    if (format == WeightsFormat::Gguf) {
        m_order.resize(m_tensors.size());
        std::iota(m_order.begin(), m_order.end(), std::size_t{0});
        m_alignment = ggufAlignment;
        head = ggufHead(m_tensors, metadata);
    } else {
        SafetensorsLayout layout = layoutSafetensors(m_tensors, metadata);
        m_order = std::move(layout.order);
        head = std::move(layout.head);
    }
    write(std::as_bytes(std::span(head)));
    m_fileBytes = head.size();
}

void WeightsWriter::append(std::span<const float> values) {
    while (m_position < m_order.size() && m_written == m_tensors[m_order[m_position]].bytes()) {
        ++m_position;
        m_written = 0;
    }
    if (m_position == m_order.size())
        throw Error(ErrorKind::Internal, "More values were given than the file of weights holds");
    const StoredSpec& tensor = m_tensors[m_order[m_position]];
    if (m_written == 0)
        fillUpTo((m_fileBytes + m_alignment - 1) / m_alignment * m_alignment);
    m_packed.clear();
    packStored(tensor.type, values, m_packed);
    write(m_packed);
    m_written += m_packed.size();
    m_fileBytes += m_packed.size();
}

void WeightsWriter::close() {
    const auto isEmpty = [&](std::size_t index) { return m_tensors[index].bytes() == 0; };
    const bool last =
        m_order.empty() ||
        (m_position < m_order.size() && m_written == m_tensors[m_order[m_position]].bytes() &&
         std::all_of(m_order.begin() + static_cast<std::ptrdiff_t>(m_position) + 1, m_order.end(), isEmpty));
    if (!last)
        throw Error(ErrorKind::Internal, "A file of weights was closed before it was whole");
    fillUpTo((m_fileBytes + m_alignment - 1) / m_alignment * m_alignment);
    m_out.close();
    write({});
}

void WeightsWriter::fillUpTo(std::size_t offset) {
    const std::vector<std::byte> zeros(offset - m_fileBytes);
    write(zeros);
    m_fileBytes = offset;
}

void WeightsWriter::write(std::span<const std::byte> bytes) {
    if (!bytes.empty())
        m_out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!m_out)
        throw writeFailure(sentence("the weights could not be written ({})", std::strerror(errno)),
                           m_file.string(), errno);
}

}  // namespace meshreel
