// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace meshreel {

/// What readers take at most of bytes that others may have written. A file may claim anything and, being
/// sparse, have any size; what reading it takes follows these figures. Each is far above what honest files
/// hold, and such that no file makes a reader take 2 GiB of memory or a minute.
enum class Limit {
    Text,
    Project,
    Hosts,
    Json,
    JsonValues,
    JsonDepth,
    Table,
    TableRows,
    TableColumns,
    Trace,
    TraceSpans,
    Vocabulary,
    VocabularyPieces,
    SafetensorsHeader,
    GgufDirectory,
    TorchDirectory,
    TorchPickle,
    Tensors,
    TensorName,
    MetadataEntries,
    Shards,
    Program,
    Picture,
    PicturePixels,
    PackedText,
    PictureTexts,
    JpegScans,
    MediaHeader,
    MediaSeconds,
    VideoFrame,
    VideoFrames,
    DecodedVideo,
    DecodedSound,
    CountedPixels,
    ChildLine,
    ChildText,
};

struct LimitRow {
    Limit limit;
    std::uint64_t most;
    std::string_view unit;    ///< "bytes"
    std::string_view of;      ///< what it is a limit of: "a JSON file"
    std::string_view honest;  ///< why nothing honest comes near it; for docs/security.md
};

/// Returns the rows in the order of Limit.
std::span<const LimitRow> limitRows();

std::uint64_t limitValue(Limit limit);

/// Returns the rows as a table of docs/security.md.
std::string limitsMarkdown();

/// Throws Error{Input} at `where` when `amount`, or more than it, is there and is more than the limit.
void requireWithin(Limit limit, std::uint64_t amount, const std::string& where);

/// readFile() of files.h for a kind of file with a limit of its own, in bytes: reads no further than that,
/// whatever size the system says. Throws as it does, and as requireWithin().
std::string readFile(const std::filesystem::path& file, Limit limit);

/// Throws Error{Input} at `where` for JSON whose tree would take too much memory, however few bytes the text
/// has (Limit::JsonValues). Checks nothing else; parseJsonObject() of json_file.h calls this, and rejects
/// nesting deeper than Limit::JsonDepth.
void requireBoundedJson(std::string_view json, const std::string& where);

/// Throws Error{Resources} when the system gives a thread less stack (ulimit -s) than readers and libraries
/// need: to be called before anything else.
void requireStack();

}  // namespace meshreel
