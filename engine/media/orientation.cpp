// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/orientation.h"

#include <algorithm>
#include <optional>

#include "engine/media/file_bytes.h"

namespace meshreel {
namespace {

/// What a display matrix turns the axes to; only the signs count.
struct Turn {
    std::array<int, 4> signs;  // of a, b, c, d
    Orientation orientation;
};

constexpr Turn turns[] = {
    {{1, 0, 0, 1}, Orientation::Upright},       {{-1, 0, 0, 1}, Orientation::MirroredAcross},
    {{-1, 0, 0, -1}, Orientation::HalfTurn},    {{1, 0, 0, -1}, Orientation::MirroredDown},
    {{0, 1, 1, 0}, Orientation::Transposed},    {{0, 1, -1, 0}, Orientation::QuarterTurn},
    {{0, -1, -1, 0}, Orientation::Transversed}, {{0, -1, 1, 0}, Orientation::ThreeQuarterTurn},
};

struct Place {
    std::int64_t row;
    std::int64_t column;
};

/// Where the pixel that should be seen at `seen` lies in an image of this size.
Place sourcePlace(const Place& seen, Orientation orientation, std::int64_t height, std::int64_t width) {
    switch (orientation) {
        case Orientation::Upright:
            break;
        case Orientation::MirroredAcross:
            return {seen.row, width - 1 - seen.column};
        case Orientation::HalfTurn:
            return {height - 1 - seen.row, width - 1 - seen.column};
        case Orientation::MirroredDown:
            return {height - 1 - seen.row, seen.column};
        case Orientation::Transposed:
            return {seen.column, seen.row};
        case Orientation::QuarterTurn:
            return {height - 1 - seen.column, seen.row};
        case Orientation::Transversed:
            return {height - 1 - seen.column, width - 1 - seen.row};
        case Orientation::ThreeQuarterTurn:
            return {seen.column, width - 1 - seen.row};
    }
    return seen;
}

}  // namespace

Orientation orientationOfMatrix(const std::array<std::int32_t, 9>& matrix) {
    const auto sign = [&](std::size_t index) {
        return (matrix[index] > 0 ? 1 : 0) - (matrix[index] < 0 ? 1 : 0);
    };
    const std::array<int, 4> signs{sign(0), sign(1), sign(3), sign(4)};
    const auto* const turn = std::ranges::find(turns, signs, &Turn::signs);
    return turn == std::end(turns) ? Orientation::Upright : turn->orientation;
}

Tensor upright(const Tensor& image, Orientation orientation) {
    if (orientation == Orientation::Upright)
        return image;
    const std::int64_t height = image.extent(0);
    const std::int64_t width = image.extent(1);
    const std::int64_t channels = image.extent(2);
    const bool turned = orientation >= Orientation::Transposed;
    Tensor seen = Tensor::empty({turned ? width : height, turned ? height : width, channels}, DType::U8);
    std::uint8_t* to = seen.data<std::uint8_t>().data();
    for (std::int64_t row = 0; row < seen.extent(0); ++row)
        for (std::int64_t column = 0; column < seen.extent(1); ++column) {
            const Place from = sourcePlace({row, column}, orientation, height, width);
            to = std::copy_n(image.data<std::uint8_t>().data() + (from.row * width + from.column) * channels,
                             channels, to);
        }
    return seen;
}

namespace {

using namespace std::string_view_literals;

constexpr std::string_view exifMark = "Exif\0\0"sv;

/// Tag 0x0112 of the first directory of a TIFF structure, which EXIF data are.
Orientation orientationOfTiff(std::string_view tiff) {
    constexpr std::size_t entryBytes = 12;
    constexpr std::size_t orientationTag = 0x0112;
    constexpr std::size_t shortType = 3;
    if (tiff.starts_with(exifMark))
        tiff.remove_prefix(exifMark.size());
    const bool little = tiff.starts_with("II*\0"sv);
    if (!little && !tiff.starts_with("MM\0*"sv))
        return Orientation::Upright;
    const FileBytes bytes(tiff, little ? ByteOrder::Little : ByteOrder::Big);
    const std::size_t directory = bytes.number(4, 4).value_or(tiff.size());
    const std::size_t entries = bytes.number(directory, 2).value_or(0);
    for (std::size_t index = 0; index < entries; ++index) {
        const std::size_t entry = directory + 2 + index * entryBytes;
        const std::optional<std::size_t> tag = bytes.number(entry, 2);
        if (!tag)
            break;
        if (tag != orientationTag || bytes.number(entry + 2, 2) != shortType)
            continue;
        const std::size_t value = bytes.number(entry + 8, 2).value_or(0);
        if (value >= std::size_t{1} && value <= static_cast<std::size_t>(Orientation::ThreeQuarterTurn))
            return static_cast<Orientation>(value);
        break;
    }
    return Orientation::Upright;
}

Orientation orientationOfJpeg(const FileBytes& file) {
    constexpr std::size_t mark = 0xFF;
    constexpr std::size_t application1 = 0xE1;
    constexpr std::size_t startOfScan = 0xDA;
    std::size_t offset = 2;
    while (file.number(offset, 1) == mark) {
        const std::size_t kind = file.number(offset + 1, 1).value_or(startOfScan);
        if (kind == mark) {  // a fill byte
            ++offset;
            continue;
        }
        const std::size_t length = file.number(offset + 2, 2).value_or(0);
        if (kind == startOfScan || length < 2)
            break;
        if (kind == application1 && file.has(offset + 4, exifMark))
            return orientationOfTiff(file.part(offset + 4, length - 2));
        offset += 2 + length;
    }
    return Orientation::Upright;
}

Orientation orientationOfPng(const FileBytes& file) {
    constexpr std::size_t signature = 8;
    constexpr std::size_t frame = 12;  // of a chunk: length, name and checksum
    for (std::size_t offset = signature; offset < file.size();) {
        const std::optional<std::size_t> length = file.number(offset, 4);
        if (!length)
            break;
        if (file.has(offset + 4, "eXIf"))
            return orientationOfTiff(file.part(offset + 8, *length));
        offset += frame + *length;
    }
    return Orientation::Upright;
}

Orientation orientationOfWebP(std::string_view bytes) {
    constexpr std::size_t riffHeader = 12;
    constexpr std::size_t chunkHeader = 8;
    const FileBytes file(bytes, ByteOrder::Little);
    for (std::size_t offset = riffHeader; offset < file.size();) {
        const std::optional<std::size_t> length = file.number(offset + 4, 4);
        if (!length)
            break;
        if (file.has(offset, "EXIF"))
            return orientationOfTiff(file.part(offset + chunkHeader, *length));
        offset += chunkHeader + *length + *length % 2;
    }
    return Orientation::Upright;
}

}  // namespace

Orientation exifOrientation(std::string_view file) {
    const FileBytes bytes(file);
    if (file.starts_with("\xFF\xD8"sv))
        return orientationOfJpeg(bytes);
    if (file.starts_with("\x89PNG\r\n\x1A\n"sv))
        return orientationOfPng(bytes);
    if (file.starts_with("RIFF"sv) && bytes.has(8, "WEBP"))
        return orientationOfWebP(file);
    return orientationOfTiff(file);
}

}  // namespace meshreel
