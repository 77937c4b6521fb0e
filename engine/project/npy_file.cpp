// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/npy_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/sentence.h"

namespace meshreel {
namespace {

constexpr std::string_view npyMagic("\x93NUMPY", 6);

template <typename T>
double npyNumber(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return static_cast<double>(value);
}

/// One type of numbers.
struct NpyType {
    std::string_view name;  ///< as a file says it
    std::size_t bytes;
    double (*read)(const char* bytes);
};

constexpr std::array<NpyType, 10> npyTypes{{
    {"|b1", 1, npyNumber<std::uint8_t>},
    {"|u1", 1, npyNumber<std::uint8_t>},
    {"|i1", 1, npyNumber<std::int8_t>},
    {"<u2", 2, npyNumber<std::uint16_t>},
    {"<i2", 2, npyNumber<std::int16_t>},
    {"<u4", 4, npyNumber<std::uint32_t>},
    {"<i4", 4, npyNumber<std::int32_t>},
    {"<i8", 8, npyNumber<std::int64_t>},
    {"<f4", 4, npyNumber<float>},
    {"<f8", 8, npyNumber<double>},
}};

[[noreturn]] void refuseNpy(const std::string& where, Sentence message) {
    throw Error(ErrorKind::Input, std::move(message), where,
                sentence("Write it with numpy.save, as float32 or bool"));
}

std::uint32_t littleEndian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t index = bytes.size(); index > 0; --index)
        value = (value << 8) | static_cast<std::uint8_t>(bytes[index - 1]);
    return value;
}

/// What a header says of a key, from there on; empty where it says nothing.
std::string_view npyValue(std::string_view header, std::string_view key) {
    const std::string name = fmt::format("'{}':", key);
    const std::size_t at = header.find(name);
    if (at == std::string_view::npos)
        return {};
    const std::string_view rest = header.substr(at + name.size());
    return rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
}

/// The numbers between brackets: "(81, 10, 2), …".
std::optional<std::vector<std::int64_t>> npyShape(std::string_view value) {
    constexpr std::size_t mostAxes = 8;
    const std::size_t end = value.find(')');
    if (!value.starts_with('(') || end == std::string_view::npos)
        return std::nullopt;
    std::string_view list = value.substr(1, end - 1);
    std::vector<std::int64_t> shape;
    while (shape.size() < mostAxes) {
        list = list.substr(std::min(list.find_first_not_of(" ,"), list.size()));
        if (list.empty())
            return shape;
        std::int64_t extent = 0;
        const auto [next, failure] = std::from_chars(list.data(), list.data() + list.size(), extent);
        if (failure != std::errc() || extent < 0)
            return std::nullopt;
        list.remove_prefix(static_cast<std::size_t>(next - list.data()));
        shape.push_back(extent);
    }
    return std::nullopt;
}

}  // namespace

bool isNpy(std::string_view bytes) {
    return bytes.starts_with(npyMagic);
}

NpyArray parseNpy(std::string_view bytes, const std::string& where) {
    constexpr std::size_t versionBytes = 2;
    constexpr std::size_t shortLength = 2;  // of the header's length in version 1
    constexpr std::size_t longLength = 4;
    const std::size_t lengthAt = npyMagic.size() + versionBytes;
    if (!isNpy(bytes) || bytes.size() < lengthAt + longLength)
        refuseNpy(where, sentence("this is not a whole array of NumPy"));
    const std::size_t lengthBytes = bytes[npyMagic.size()] == 1 ? shortLength : longLength;
    const std::size_t headerAt = lengthAt + lengthBytes;
    const std::size_t headerBytes = littleEndian(bytes.substr(lengthAt, lengthBytes));
    if (headerBytes > bytes.size() - headerAt)
        refuseNpy(where, sentence("this is not a whole array of NumPy"));
    const std::string_view header = bytes.substr(headerAt, headerBytes);

    const std::string_view type = npyValue(header, "descr");
    const auto known = std::ranges::find_if(npyTypes, [&](const NpyType& each) {
        return type.substr(0, each.name.size() + 2) == fmt::format("'{}'", each.name);
    });
    if (known == npyTypes.end())
        refuseNpy(where, sentence("the array is of a type that is not read"));
    if (!npyValue(header, "fortran_order").starts_with("False"))
        refuseNpy(where, sentence("the array is in Fortran's order"));
    const auto shape = npyShape(npyValue(header, "shape"));
    if (!shape)
        refuseNpy(where, sentence("the array has no shape"));
    const std::string_view data = bytes.substr(headerAt + headerBytes);
    const std::size_t held = data.size() / known->bytes;
    std::size_t count = 1;
    for (const std::int64_t extent : *shape) {
        const auto factor = static_cast<std::size_t>(extent);
        if (factor != 0 && count > held / factor)
            refuseNpy(where, sentence("this is not a whole array of NumPy"));
        count *= factor;
    }
    if (count > held)
        refuseNpy(where, sentence("this is not a whole array of NumPy"));
    NpyArray array{.shape = *shape, .values = std::vector<double>(count)};
    for (std::size_t index = 0; index < count; ++index)
        array.values[index] = known->read(data.data() + index * known->bytes);
    return array;
}

}  // namespace meshreel
