// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/byte_reader.h"

#include <utility>

#include "engine/base/error.h"

namespace meshreel {

void ByteReader::fail(Sentence message) const {
    throw Error(ErrorKind::Input, std::move(message), m_where,
                sentence("The file is damaged or incomplete: download it again"));
}

void ByteReader::moveTo(std::uint64_t position) {
    if (position > m_bytes.size())
        fail(sentence("something is said to lie at byte {}, but there are only {} bytes (truncated)",
                      position, m_bytes.size()));
    m_position = position;
}

std::span<const std::byte> ByteReader::take(std::uint64_t length) {
    if (length > left())
        fail(sentence("{} bytes are wanted at byte {}, but only {} are left (truncated)", length, m_position,
                      left()));
    const auto bytes = m_bytes.subspan(m_position, length);
    m_position += length;
    return bytes;
}

}  // namespace meshreel
