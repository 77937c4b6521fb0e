// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/limits.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/strings.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = kib * kib;
constexpr std::uint64_t gib = kib * mib;

constexpr std::string_view bytes = "bytes";

constexpr std::array rows = {
    LimitRow{Limit::Text, 16 * mib, bytes, "a text file",
             "logs, summaries, presets, notes: the log of 1,000 steps has 1 MiB"},
    LimitRow{Limit::Project, mib, bytes, "a project or sweep", "one with a page for a prompt has 10 KiB"},
    LimitRow{Limit::Hosts, mib, bytes, "a file of hosts", "512 hosts, the most of a mesh, take 32 KiB"},
    LimitRow{
        Limit::Json, 64 * mib, bytes, "a JSON file",
        "the tokenizer.json of UMT5, the largest of a model, has 17 to 21 MB, a queue of 10,000 runs 10 MB"},
    LimitRow{Limit::JsonValues, 3'000'000, "values", "JSON",
             "that tokenizer.json has 770,000; a value takes up to 450 bytes of memory and 2 of the file"},
    LimitRow{Limit::JsonDepth, 64, "levels of nesting", "JSON", "configs have 4"},
    LimitRow{Limit::Table, 128 * mib, bytes, "a table (CSV)",
             "devices.csv of 1,000 steps on 512 devices, the most of a mesh, has 60 MB"},
    LimitRow{Limit::TableRows, 2'000'000, "rows", "a table (CSV)", "the same file has 512,000"},
    LimitRow{Limit::TableColumns, 1'000, "columns", "a table (CSV)", "ours have up to 30"},
    LimitRow{Limit::Trace, 512 * mib, bytes, "a trace", "an event takes 130 bytes"},
    LimitRow{Limit::TraceSpans, 4'000'000, "events", "a trace",
             "10 for each of 40 layers, 50 steps and 128 devices are 2.6 million"},
    LimitRow{Limit::Vocabulary, 32 * mib, bytes, "a SentencePiece model", "that of UMT5 has 4.5 MB"},
    LimitRow{Limit::VocabularyPieces, 1'000'000, "pieces", "a tokenizer", "UMT5 has 256,300"},
    LimitRow{Limit::SafetensorsHeader, 100'000'000, bytes, "a safetensors header",
             "the limit of the format's own library; Wan 14B has 150 KB"},
    LimitRow{Limit::GgufDirectory, 64 * mib, bytes, "the metadata and directory of a GGUF file",
             "a vocabulary of 256,000 pieces takes 8 MB"},
    LimitRow{Limit::TorchDirectory, 64 * mib, bytes, "the directory of a PyTorch archive",
             "a storage takes 100 bytes"},
    LimitRow{Limit::TorchPickle, 4 * mib, bytes, "the pickle of a PyTorch archive",
             "1,100 tensors take 300 KB; an instruction takes up to 150 bytes of memory and 1 of the file"},
    LimitRow{Limit::Tensors, 100'000, "tensors", "a file of weights",
             "Wan 14B has 1,100, with its scales and an adapter's factors 5,000"},
    LimitRow{Limit::TensorName, 1'024, bytes, "the name of a tensor, key or class",
             "names that repeat their modules have 120"},
    LimitRow{Limit::MetadataEntries, 100'000, "entries", "the metadata of a file of weights",
             "ComfyUI's tools write one for a tensor that they reshaped"},
    LimitRow{Limit::Shards, 1'000, "files", "a model in parts", "Wan 14B has 12"},
    LimitRow{Limit::Program, gib, bytes, "a program that is sent to a host",
             "meshreel with all its debug symbols has 250 MB"},
    LimitRow{Limit::Picture, 256 * mib, bytes, "a picture, an animated PNG or WebP, or a packet of a video",
             "a JPEG of 100 million pixels has 60 MB, a PNG 200 MB"},
    LimitRow{Limit::PicturePixels, 120'000'000, "pixels", "a picture",
             "8K has 33 million, the largest cameras' pictures 108 million; those of more than 8 bits a "
             "colour count twice"},
    LimitRow{Limit::PackedText, 512 * kib, bytes, "the packed texts and colour profile of a PNG",
             "a camera's profile has 3 KiB packed; they may unpack to a thousand times as much"},
    LimitRow{Limit::PictureTexts, 1'000, "texts", "a PNG",
             "ComfyUI writes 2; libav compares each with all others"},
    LimitRow{Limit::JpegScans, 500, "scans", "a JPEG", "progressive ones have 10"},
    LimitRow{Limit::MediaHeader, 64 * mib, bytes, "a video or sound before its first packet",
             "the index of an MP4 of two hours has 10 MB"},
    LimitRow{Limit::MediaSeconds, 20, "seconds of computing", "a video or sound up to its next packet",
             "milliseconds; a header of a million tags takes hours"},
    LimitRow{Limit::VideoFrame, 100 * mib, bytes, "a decoded frame of a video",
             "8K with 10 bits a colour has 95 MiB; decoders keep up to 16 of them"},
    LimitRow{Limit::VideoFrames, 1'000'000, "frames", "a video", "a film of two hours has 173,000"},
    LimitRow{Limit::DecodedVideo, 4 * gib, bytes, "a video's frames, where all are held at once",
             "a minute of 1280x720 at 24 frames a second has 4 GB"},
    LimitRow{Limit::DecodedSound, gib, bytes, "a decoded sound", "an hour at 48 kHz has 700 MB"},
    LimitRow{Limit::CountedPixels, 10'000'000'000, "pixels", "a video that is decoded to count its frames",
             "longer ones than 3 minutes of 1080p are counted by their packets instead"},
    LimitRow{Limit::ChildLine, 4 * mib, bytes, "a line that another process says; the rest is left out",
             "the times of 512 devices, the longest event, have 60 KB"},
    LimitRow{Limit::ChildText, 16 * mib, bytes,
             "all that another process says; of more, beginning and end are kept",
             "5,000 rows of a check of attention modes have 1 MB"},
};

constexpr bool isInOrder() {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (static_cast<std::size_t>(rows[i].limit) != i)
            return false;
    return true;
}
static_assert(isInOrder() && rows.size() == static_cast<std::size_t>(Limit::ChildText) + 1);

const LimitRow& rowOf(Limit limit) {
    return rows[static_cast<std::size_t>(limit)];
}

[[noreturn]] void throwUnreadable(const fs::path& file, int code) {
    throw Error(ErrorKind::Input, sentence("the file cannot be read ({})", std::strerror(code)),
                file.string(), sentence("Check its permissions"));
}

/// Closed with the object.
class OpenFile {
  public:
    explicit OpenFile(const fs::path& file) : m_descriptor(openUnlessPipe(file, O_RDONLY)) {
        if (m_descriptor < 0)
            throwUnreadable(file, errno);
    }
    ~OpenFile() { ::close(m_descriptor); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    [[nodiscard]] int get() const { return m_descriptor; }

  private:
    int m_descriptor;
};

}  // namespace

std::span<const LimitRow> limitRows() {
    return rows;
}

std::uint64_t limitValue(Limit limit) {
    return rowOf(limit).most;
}

std::string limitsMarkdown() {
    std::string text = "| of | at most | honest ones |\n|---|---|---|\n";
    for (const LimitRow& row : rows) {
        std::uint64_t number = row.most;
        std::string_view unit = row.unit;
        for (const auto& [size, name] :
             {std::pair<std::uint64_t, std::string_view>{gib, "GiB"}, {mib, "MiB"}, {kib, "KiB"}})
            if (unit == bytes && number % size == 0) {
                number /= size;
                unit = name;
            }
        std::string grouped = std::to_string(number);
        for (std::ptrdiff_t at = std::ssize(grouped) - 3; at > 0; at -= 3)
            grouped.insert(static_cast<std::size_t>(at), ",");
        text += fmt::format("| {} | {} {} | {} |\n", row.of, grouped, unit, row.honest);
    }
    return text;
}

void requireWithin(Limit limit, std::uint64_t amount, const std::string& where) {
    const LimitRow& row = rowOf(limit);
    if (amount > row.most)
        throw Error(ErrorKind::Input,
                    sentence("it has {} {} or more; at most {} are read of {}", amount, tableText(row.unit),
                             row.most, tableText(row.of)),
                    where,
                    sentence("Check that this is the file you mean; if it is, make it smaller or get another "
                             "one"));
}

std::string readFile(const fs::path& file, Limit limit) {
    std::error_code failure;
    if (!fs::is_regular_file(file, failure))
        throw Error(
            ErrorKind::Input,
            fs::exists(file, failure) ? sentence("this is not a file") : sentence("there is no such file"),
            file.string(), sentence("Check the path"));
    const OpenFile open(file);
    struct stat status {};
    if (::fstat(open.get(), &status) != 0)
        throwUnreadable(file, errno);
    if (!S_ISREG(status.st_mode))  // exchanged since
        throw Error(ErrorKind::Input, sentence("this is not a file"), file.string(),
                    sentence("Check the path"));
    const auto claimed = static_cast<std::uint64_t>(status.st_size);
    requireWithin(limit, claimed, file.string());
    std::string text;
    text.reserve(claimed);  // it may be another one, as in /proc: the loop goes by what comes
    constexpr std::size_t blockBytes = 64 * kib;
    std::vector<char> block(blockBytes);
    for (;;) {
        const ssize_t got = ::read(open.get(), block.data(), block.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            throwUnreadable(file, errno);
        if (got == 0)
            return text;
        requireWithin(limit, text.size() + static_cast<std::size_t>(got), file.string());
        text.append(block.data(), static_cast<std::size_t>(got));
    }
}

void requireBoundedJson(std::string_view json, const std::string& where) {
    std::uint64_t values = 1;
    for (std::size_t at = 0; at < json.size(); ++at) {
        const char letter = json[at];
        values += letter == ',' || letter == '[' || letter == '{' ? 1 : 0;
        if (letter == '"')  // to the end of the text
            for (++at; at < json.size() && json[at] != '"'; ++at)
                at += json[at] == '\\' ? 1 : 0;
    }
    requireWithin(Limit::JsonValues, values, where);
}

void requireStack() {
    constexpr rlim_t least = 512 * kib;  // libraries lay buffers of up to 128 KiB on it
    struct rlimit stack {};
    if (::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < least)
        throw Error(ErrorKind::Resources,
                    sentence("a program may have only {} of stack here, and Meshreel needs {}",
                             formatBytes(stack.rlim_cur), formatBytes(least)),
                    {}, sentence("Raise the limit, as with: {}", "ulimit -s 8192"));
}

}  // namespace meshreel
