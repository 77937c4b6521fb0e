// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/pasted_summary.h"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <set>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::string_view rule = "=====";  // the beginning of one

struct Figure {
    std::string_view label;
    double TimingSummary::*seconds;
    bool always;  ///< stands in blocks without a trace too
};

constexpr std::array figures{
    Figure{"Load (checkpoint)", &TimingSummary::load, true},
    Figure{"Compile", &TimingSummary::compile, true},
    Figure{"Inference", &TimingSummary::inference, true},
    Figure{"Conditioning", &TimingSummary::conditioning, false},
    Figure{"VAE Encode", &TimingSummary::vaeEncode, false},
    Figure{"Denoise Total", &TimingSummary::denoiseTotal, false},
    Figure{"VAE Decode", &TimingSummary::vaeDecode, false},
    Figure{"TPU Compute", &TimingSummary::compute, false},
    Figure{"Compute", &TimingSummary::compute, false},
    Figure{"Host Formatting", &TimingSummary::hostFormatting, false},
};

struct Block {
    PastedSummary summary;
    std::set<std::string_view> labels;
    bool isOpen = true;
};

/// "2D Ring, U=2, R=2" of "TIMING SUMMARY (2D Ring, U=2, R=2)".
std::string titleOf(const std::string& line) {
    static const std::regex pattern(R"(TIMING SUMMARY\s*\(([^)]*)\))");
    std::smatch match;
    return std::regex_search(line, match, pattern) ? match[1].str() : std::string();
}

/// The figure whose line this is: its label, spaces, and seconds at the end.
void read(const std::string& line, Block& block) {
    if (line.find(rule) != std::string::npos && !block.labels.empty())
        block.isOpen = false;
    static const std::regex pattern(
        R"((?:^|[\s\-])([A-Z][A-Za-z ]*(?:\(checkpoint\))?):\s*([0-9]+(?:\.[0-9]+)?)\s*s\s*$)");
    std::smatch match;
    if (!std::regex_search(line, match, pattern))
        return;
    const std::string label = " " + match[1].str();
    const auto figure = std::ranges::find_if(
        figures, [&](const Figure& row) { return label.ends_with(" " + std::string(row.label)); });
    if (figure == figures.end())
        return;
    block.summary.timings.*(figure->seconds) = std::stod(match[2].str());
    block.labels.insert(figure->label);
}

void check(Block& block) {
    for (const Figure& figure : figures)
        if (figure.always && !block.labels.contains(figure.label))
            throw Error(ErrorKind::Input,
                        "a TIMING SUMMARY block lacks its line \"" + std::string(figure.label) + "\"", {},
                        "Copy the whole block, from its title to the closing rule");
    block.summary.timings.hasTrace = block.labels.contains("Denoise Total");
}

}  // namespace

std::vector<PastedSummary> parseTimingSummaries(std::string_view text) {
    std::vector<Block> blocks;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line(text.substr(begin, end - begin));
        begin = end + 1;
        if (line.find("TIMING SUMMARY") != std::string::npos)
            blocks.push_back(
                {.summary = {.title = titleOf(line), .timings = {}}, .labels = {}, .isOpen = true});
        else if (!blocks.empty() && blocks.back().isOpen)
            read(line, blocks.back());
    }
    if (blocks.empty())
        throw Error(ErrorKind::Input, "the text holds no TIMING SUMMARY block", {},
                    "Copy the block that a run prints at its end");
    std::vector<PastedSummary> summaries;
    for (Block& block : blocks) {
        check(block);
        summaries.push_back(std::move(block.summary));
    }
    return summaries;
}

}  // namespace meshreel
