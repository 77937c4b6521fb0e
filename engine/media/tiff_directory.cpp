// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/tiff_directory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/media/file_bytes.h"

namespace meshreel {
namespace {

// TIFF 6.0 and its supplements; names as they have them.
constexpr std::size_t extraSamplesTag = 338;
constexpr std::size_t sampleFormatTag = 339;
constexpr std::array<std::size_t, 25> tagsOfPixels{
    254,  // NewSubfileType
    255,  // SubfileType
    256,  // ImageWidth
    257,  // ImageLength
    258,  // BitsPerSample
    259,  // Compression
    262,  // PhotometricInterpretation
    266,  // FillOrder
    273,  // StripOffsets
    277,  // SamplesPerPixel
    278,  // RowsPerStrip
    279,  // StripByteCounts
    284,  // PlanarConfiguration
    292,  // T4Options
    293,  // T6Options
    317,  // Predictor
    320,  // ColorMap
    322,  // TileWidth
    323,  // TileLength
    324,  // TileOffsets
    325,  // TileByteCounts
    347,  // JPEGTables
    529,  // YCbCrCoefficients
    530,  // YCbCrSubSampling
    532,  // ReferenceBlackWhite
};

constexpr std::size_t tiffEntryBytes = 12;
constexpr std::size_t tiffCountBytes = 2;  // size of the number of entries

/// The first of an entry's 16-bit values, which all of them have to be; nothing for other types.
std::optional<std::size_t> onlyTiffShort(const FileBytes& bytes, std::size_t entry) {
    constexpr std::size_t shortType = 3;
    constexpr std::size_t inPlace = 2;  // values that an entry holds itself
    constexpr std::size_t most = 16;    // samples of a pixel
    const std::size_t values = bytes.number(entry + 4, 4).value_or(0);
    if (bytes.number(entry + 2, 2) != shortType || values == 0 || values > most)
        return std::nullopt;
    const std::size_t at = values <= inPlace ? entry + 8 : bytes.number(entry + 8, 4).value_or(bytes.size());
    const std::optional<std::size_t> first = bytes.number(at, 2);
    for (std::size_t index = 1; index < values; ++index)
        if (bytes.number(at + 2 * index, 2) != first)
            return std::nullopt;
    return first;
}

void requireWholeNumbers(const FileBytes& bytes, std::size_t entry, const std::filesystem::path& file) {
    constexpr std::size_t unsignedNumbers = 1;
    constexpr std::size_t notSaid = 4;
    const std::optional<std::size_t> format = onlyTiffShort(bytes, entry);
    if (format != unsignedNumbers && format != notSaid)
        throw Error(ErrorKind::Input,
                    sentence("the samples of this TIFF are signed or floating-point numbers, which Meshreel "
                             "does not read"),
                    file.string(), sentence("Save it with 8 or 16 bits a channel, or as PNG"));
}

TiffAlpha readExtraSamples(const FileBytes& bytes, std::size_t entry, const std::filesystem::path& file) {
    constexpr std::size_t associated = 1;
    constexpr std::size_t unassociated = 2;
    const std::optional<std::size_t> kind = onlyTiffShort(bytes, entry);
    if (kind != associated && kind != unassociated)
        throw Error(
            ErrorKind::Input,
            sentence("this TIFF has a channel besides its colours that it does not call transparency"),
            file.string(),
            sentence("Save it as PNG, or without the channel, or with the channel as transparency"));
    return kind == associated ? TiffAlpha::Premultiplied : TiffAlpha::Straight;
}

}  // namespace

TiffAlpha keepTagsOfPixels(std::span<std::byte> tiff, const std::filesystem::path& file) {
    using namespace std::string_view_literals;
    const std::string_view text(reinterpret_cast<const char*>(tiff.data()), tiff.size());
    const bool little = text.starts_with("II*\0"sv);
    if (!little && !text.starts_with("MM\0*"sv))
        return TiffAlpha::Straight;
    const FileBytes bytes(text, little ? ByteOrder::Little : ByteOrder::Big);
    const std::size_t directory = bytes.number(4, 4).value_or(tiff.size());
    const std::size_t entries = bytes.number(directory, tiffCountBytes).value_or(0);
    const std::size_t begin = directory + tiffCountBytes;
    const std::size_t end = begin + entries * tiffEntryBytes + 4;  // with where the next directory is
    if (entries == 0 || end > tiff.size())
        return TiffAlpha::Straight;  // damaged, as the decoder will say

    TiffAlpha alpha = TiffAlpha::Straight;
    std::size_t kept = 0;
    for (std::size_t entry = begin; entry + 4 < end; entry += tiffEntryBytes) {
        const std::size_t tag = bytes.number(entry, 2).value_or(0);
        if (tag == sampleFormatTag)
            requireWholeNumbers(bytes, entry, file);
        else if (tag == extraSamplesTag)
            alpha = readExtraSamples(bytes, entry, file);
        if (std::ranges::find(tagsOfPixels, tag) != tagsOfPixels.end())
            std::memmove(tiff.data() + begin + kept++ * tiffEntryBytes, tiff.data() + entry, tiffEntryBytes);
    }
    std::memset(tiff.data() + begin + kept * tiffEntryBytes, 0, end - begin - kept * tiffEntryBytes);
    tiff[directory + (little ? 0 : 1)] = static_cast<std::byte>(kept);
    tiff[directory + (little ? 1 : 0)] = static_cast<std::byte>(kept >> 8U);
    return alpha;
}

}  // namespace meshreel
