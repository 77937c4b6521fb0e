// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/timing_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/record_json.h"

namespace meshreel {
namespace {

struct Row {
    std::string_view label;
    std::string_view key;  // in JSON
    double TimingSummary::*seconds;
};

constexpr int labelWidth = 23;

constexpr std::array totalRows{
    Row{"  Load (checkpoint):", "load", &TimingSummary::load},
    Row{"  Compile:", "compile", &TimingSummary::compile},
    Row{"  Inference:", "inference", &TimingSummary::inference},
};
constexpr std::array traceRows{
    Row{"  Conditioning:", "conditioning", &TimingSummary::conditioning},
    Row{"    - VAE Encode:", "vae_encode", &TimingSummary::vaeEncode},
    Row{"  Denoise Total:", "denoise_total", &TimingSummary::denoiseTotal},
    Row{"  VAE Decode:", "vae_decode", &TimingSummary::vaeDecode},
    Row{"    - Compute:", "compute", &TimingSummary::compute},
    Row{"    - Host Formatting:", "host_formatting", &TimingSummary::hostFormatting},
};

constexpr std::string_view doubleRule = "==================================================";
constexpr std::string_view singleRule = "  ────────────────────────────────────────";

void appendRows(std::string& text, const TimingSummary& summary, std::span<const Row> rows) {
    for (const Row& row : rows)
        fmt::format_to(std::back_inserter(text), "{:<{}}{:7.1f}s\n", row.label, labelWidth,
                       summary.*row.seconds);
}

constexpr std::string_view titleMark = "TIMING SUMMARY";
constexpr std::string_view ruleMark = "==========";
constexpr std::string_view blanks = " \t\r>";

std::string_view trimmed(std::string_view text, std::string_view what) {
    const std::size_t first = text.find_first_not_of(what);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(what) + 1 - first);
}

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// "Compute:" of "    - Compute:".
std::string_view bareLabel(const Row& row) {
    return trimmed(row.label, " -");
}

/// Returns nothing when no number follows the label.
std::optional<double> secondsBehind(std::string_view line, std::string_view label) {
    const std::string_view text = trimmed(line.substr(line.find(label) + label.size()), blanks);
    double seconds = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (failure != std::errc() || seconds < 0 || !(unit.empty() || unit == "s"))
        return std::nullopt;
    return seconds;
}

/// The words above a block: a line by itself, as people write one over a result.
class Heading {
  public:
    void read(std::string_view line) {
        constexpr std::size_t longest = 60;  // bytes; a longer line is a sentence about it
        const std::string_view words = trimmed(line, " \t\r>#*:=-_");
        if (words.find_first_not_of("─━═") == std::string_view::npos) {  // nothing, or a rule
            m_isAfterGap = true;
            return;
        }
        m_words = m_isAfterGap && words.size() <= longest ? words : std::string_view();
        m_isAfterGap = false;
    }
    [[nodiscard]] std::string_view words() const { return m_words; }

  private:
    std::string_view m_words;
    bool m_isAfterGap = true;
};

/// The found rows of a block, one after the other; the rest of the text goes on.
class SummaryBlock {
  public:
    /// `heading` is its title where the line has none.
    SummaryBlock(std::string_view titleLine, std::string_view heading) {
        const std::size_t mark = titleLine.find(titleMark);
        std::string_view title = trimmed(titleLine.substr(mark + titleMark.size()), " \t\r:*#=");
        if (title.starts_with('(') && title.ends_with(')'))
            title = trimmed(title.substr(1, title.size() - 2), blanks);
        m_result.title = title.empty() ? heading : title;
    }

    /// A line may name a block and open none.
    [[nodiscard]] bool hasRows() const { return !m_found.empty(); }

    /// Takes the line if it is a row, and returns whether it is. Words before the first row may contain a
    /// row's label.
    bool read(std::string_view line) {
        for (const std::span<const Row> rows :
             {std::span<const Row>(totalRows), std::span<const Row>(traceRows)})
            for (const Row& row : rows)
                if (line.find(bareLabel(row)) != std::string_view::npos) {
                    const std::optional<double> seconds = secondsBehind(line, bareLabel(row));
                    if (!seconds && !hasRows())
                        return false;
                    if (!seconds)
                        throwNoSeconds(line);
                    m_result.timings.*row.seconds = *seconds;
                    m_found.push_back(row.key);
                    return true;
                }
        return false;
    }

    /// The rule that closes a block; the one below the title opens it.
    [[nodiscard]] bool endsAt(std::string_view line) const {
        return hasRows() && line.find(ruleMark) != std::string_view::npos;
    }

    [[nodiscard]] TitledTimings finish() {
        requireRows(totalRows);
        m_result.timings.hasTrace = std::ranges::any_of(traceRows, [&](const Row& row) { return has(row); });
        if (m_result.timings.hasTrace)
            requireRows(traceRows);
        return std::move(m_result);
    }

  private:
    [[nodiscard]] bool has(const Row& row) const {
        return std::ranges::find(m_found, row.key) != m_found.end();
    }

    void requireRows(std::span<const Row> rows) const {
        for (const Row& row : rows)
            if (!has(row))
                throw Error(ErrorKind::Input,
                            sentence("A timing summary lacks its row \"{}\"", bareLabel(row)), name(),
                            sentence("Paste the whole block"));
    }

    [[noreturn]] void throwNoSeconds(std::string_view line) const {
        throw Error(ErrorKind::Input, sentence("The line \"{}\" has no seconds", trimmed(line, blanks)),
                    name(), sentence("Paste the block as it was printed: \"Compile:   144.3s\""));
    }

    /// For errors.
    [[nodiscard]] std::string name() const {
        return m_result.title.empty() ? std::string(titleMark)
                                      : fmt::format("{} ({})", titleMark, m_result.title);
    }

    TitledTimings m_result;
    std::vector<std::string_view> m_found;
};

}  // namespace

std::vector<TitledTimings> parseTimingSummaries(std::string_view text) {
    std::vector<TitledTimings> found;
    std::optional<SummaryBlock> block;
    Heading heading;
    const auto finish = [&] {
        if (block && block->hasRows())
            found.push_back(block->finish());
        block.reset();
    };
    for (const std::string_view line : linesOf(text)) {
        if (line.find(titleMark) != std::string_view::npos) {
            finish();
            block.emplace(line, heading.words());
            heading = {};
        } else if (block && block->endsAt(line)) {
            finish();
            heading = {};
        } else if (!block || !block->read(line)) {
            heading.read(line);
        }
    }
    finish();
    return found;
}

std::string formatTimingSummary(const TimingSummary& summary, std::string_view title) {
    std::string text = fmt::format("\n{0}\n  {1}{2}\n{0}\n", doubleRule, titleMark,
                                   title.empty() ? std::string() : fmt::format(" ({})", title));
    appendRows(text, summary, totalRows);
    if (summary.hasTrace) {
        text.append(singleRule).append("\n");
        appendRows(text, summary, traceRows);
    }
    return text.append(doubleRule).append("\n");
}

void addEarlierParts(TimingSummary& summary, std::vector<PartTimings> parts, double stepSecondsBefore) {
    summary.denoiseTotal += stepSecondsBefore;
    summary.inference += stepSecondsBefore;
    for (const PartTimings& part : std::span(parts).first(parts.empty() ? 0 : parts.size() - 1)) {
        summary.load += part.load;
        summary.compile += part.compile;
        summary.conditioning += part.conditioning;
        summary.vaeEncode += part.vaeEncode;
        summary.denoiseTotal += part.denoise;
        summary.vaeDecode += part.decode;
        summary.compute += part.decode - part.hostFormatting;
        summary.hostFormatting += part.hostFormatting;
        summary.inference += part.conditioning + part.denoise + part.decode;
        summary.videoWriting += part.videoWriting;
    }
    summary.parts = std::move(parts);
}

namespace {

constexpr const char* partsKey = "parts";  // for runs that were resumed; none in timings of earlier
                                           // versions
constexpr const char* videoWritingKey = "video_writing";  // none in timings of earlier versions
constexpr const char* finishingKey = "finishing";         // where the project asks for a finished video
constexpr const char* fixedMKey = "fixed_m";              // where attention has fixed m
constexpr const char* sparseKey = "sparse_attention";     // where it leaves blocks out

struct FixedMRow {
    const char* key;
    std::int64_t FixedMCounts::*count;
};

constexpr std::array fixedMRows{
    FixedMRow{"bounded_heads", &FixedMCounts::boundedHeads},
    FixedMRow{"bound_too_large_heads", &FixedMCounts::boundTooLargeHeads},
    FixedMRow{"weights_lost_heads", &FixedMCounts::weightsLostHeads},
    FixedMRow{"bounded_blocks", &FixedMCounts::boundedBlocks},
    FixedMRow{"fallback_blocks", &FixedMCounts::fallbackBlocks},
};

}  // namespace

FixedMCounts& FixedMCounts::operator+=(const FixedMCounts& other) {
    for (const FixedMRow& row : fixedMRows)
        this->*row.count += other.*row.count;
    return *this;
}

nlohmann::ordered_json fixedMJson(const FixedMCounts& counts) {
    RecordJson json;
    for (const FixedMRow& row : fixedMRows)
        json[row.key] = counts.*row.count;
    json["fallback_heads"] = counts.fallbackHeads();
    return json;
}

FixedMCounts fixedMFrom(const nlohmann::ordered_json& json) {
    FixedMCounts counts;
    for (const FixedMRow& row : fixedMRows)
        counts.*row.count = json.at(row.key).get<std::int64_t>();
    return counts;
}

nlohmann::ordered_json partsJson(const std::vector<PartTimings>& parts) {
    RecordJson json = RecordJson::array();
    for (const PartTimings& part : parts)
        putFields(json.emplace_back(RecordJson::object()), part);
    return json;
}

std::vector<PartTimings> partsFrom(const nlohmann::ordered_json& json) {
    std::vector<PartTimings> parts;
    for (const RecordJson& part : json)
        parts.push_back(takeFields<PartTimings>(part));
    return parts;
}

void to_json(nlohmann::json& json, const TimingSummary& summary) {
    json = nlohmann::json::object();
    for (const Row& row : totalRows)
        json[std::string(row.key)] = summary.*row.seconds;
    if (summary.hasTrace)
        for (const Row& row : traceRows)
            json[std::string(row.key)] = summary.*row.seconds;
    if (summary.videoWriting > 0)
        json[videoWritingKey] = summary.videoWriting;
    if (summary.finishing > 0)
        json[finishingKey] = summary.finishing;
    if (!summary.parts.empty())
        json[partsKey] = nlohmann::json(partsJson(summary.parts));
    if (summary.fixedM)
        json[fixedMKey] = nlohmann::json(fixedMJson(*summary.fixedM));
    if (summary.sparse)
        json[sparseKey] = nlohmann::json(sparseJson(*summary.sparse));
}

void from_json(const nlohmann::json& json, TimingSummary& summary) {
    summary = {};
    for (const Row& row : totalRows)
        summary.*row.seconds = json.at(std::string(row.key)).get<double>();
    summary.hasTrace = json.contains(std::string(traceRows.front().key));
    if (summary.hasTrace)
        for (const Row& row : traceRows)
            summary.*row.seconds = json.at(std::string(row.key)).get<double>();
    summary.videoWriting = json.value(videoWritingKey, 0.0);
    summary.finishing = json.value(finishingKey, 0.0);
    if (json.contains(partsKey))
        summary.parts = partsFrom(RecordJson(json.at(partsKey)));
    if (json.contains(fixedMKey))
        summary.fixedM = fixedMFrom(RecordJson(json.at(fixedMKey)));
    if (json.contains(sparseKey))
        summary.sparse = sparseFrom(RecordJson(json.at(sparseKey)));
}

}  // namespace meshreel
