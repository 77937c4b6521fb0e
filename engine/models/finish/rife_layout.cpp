// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/finish/rife_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "engine/base/numbers.h"
#include "engine/base/sentence.h"
#include "engine/tensor/shape.h"

namespace meshreel {
namespace {

constexpr std::array<std::int64_t, 4> fourScales{8, 4, 2, 1};
constexpr std::array<std::int64_t, 5> fiveScales{16, 8, 4, 2, 1};
constexpr std::array<std::int64_t, 5> liteScales{32, 16, 8, 4, 1};
constexpr std::array<std::int64_t, 5> liteWidths{192, 128, 96, 64, 24};

// The first that fits is taken: a form with widths stands before those of any width.
constexpr std::array rifeFormTable{
    RifeForm{.versions = "4.5", .outs = 5, .addsMask = true, .scales = fourScales},
    RifeForm{.versions = "4.6", .outs = 6, .addsMask = true, .scales = fourScales},
    RifeForm{
        .versions = "4.7 to 4.9", .head = RifeHead::Plain, .features = 4, .outs = 6, .scales = fourScales},
    RifeForm{
        .versions = "4.21, 4.22", .head = RifeHead::Deep, .features = 8, .outs = 13, .scales = fourScales},
    RifeForm{
        .versions = "4.22 lite", .head = RifeHead::Deep, .features = 4, .outs = 13, .scales = fourScales},
    RifeForm{.versions = "4.25 lite",
             .head = RifeHead::Deep,
             .features = 4,
             .outs = 13,
             .scales = liteScales,
             .widths = liteWidths},
    RifeForm{
        .versions = "4.25, 4.26", .head = RifeHead::Deep, .features = 4, .outs = 13, .scales = fiveScales},
    RifeForm{.versions = "4.25 heavy, 4.26 heavy",
             .head = RifeHead::Deep,
             .features = 16,
             .outs = 13,
             .scales = fiveScales},
};

constexpr std::string_view comfyBlocks = "blocks.";

/// ComfyUI counts the blocks in a list; teachers and what measures time are of training.
std::string rifeName(std::string_view name) {
    if (name.starts_with("teacher.") || name.starts_with("caltime."))
        return {};
    if (name.starts_with(comfyBlocks))
        return "block" + std::string(name.substr(comfyBlocks.size()));
    return std::string(name);
}

std::string blockTensor(std::size_t block, std::string_view name) {
    return fmt::format("block{}.{}", block, name);
}

/// What the shapes of a file say.
struct FoundRife {
    RifeHead head = RifeHead::None;
    std::int64_t headWidth = 0;
    std::int64_t features = 0;
    std::int64_t outs = 0;
    std::int64_t firstIns = 0;
    std::int64_t ins = 0;
    std::vector<std::int64_t> widths;
};

/// Extent of a tensor's axis; 0 where there is none.
std::int64_t rifeExtent(const NetworkTensors& tensors, std::string_view name, std::size_t axis) {
    const Shape shape = tensors.shape(name);
    return axis < shape.rank() ? shape[axis] : 0;
}

FoundRife readShapes(const NetworkTensors& tensors) {
    FoundRife found;
    if (tensors.has("encode.cnn3.weight")) {
        found.head = RifeHead::Deep;
        found.headWidth = rifeExtent(tensors, "encode.cnn3.weight", 0);
        found.features = rifeExtent(tensors, "encode.cnn3.weight", 1);
    } else if (tensors.has("encode.1.weight")) {
        found.head = RifeHead::Plain;
        found.headWidth = rifeExtent(tensors, "encode.1.weight", 0);
        found.features = rifeExtent(tensors, "encode.1.weight", 1);
    }
    while (tensors.has(blockTensor(found.widths.size(), "conv0.1.0.weight")))
        found.widths.push_back(rifeExtent(tensors, blockTensor(found.widths.size(), "conv0.1.0.weight"), 0));
    found.outs = rifeExtent(tensors, blockTensor(0, "lastconv.0.weight"), 1) / 4;
    found.firstIns = rifeExtent(tensors, blockTensor(0, "conv0.0.0.weight"), 1);
    found.ins = rifeExtent(tensors, blockTensor(1, "conv0.0.0.weight"), 1);
    return found;
}

bool fitsForm(const RifeForm& form, const FoundRife& found) {
    return form.head == found.head && form.features == found.features && form.outs == found.outs &&
           form.scales.size() == found.widths.size() && form.firstIns() == found.firstIns &&
           form.ins() == found.ins && (form.widths.empty() || std::ranges::equal(form.widths, found.widths));
}

Sentence knownVersions() {
    std::string versions;
    for (const RifeForm& form : rifeFormTable)
        versions += (versions.empty() ? "" : ", ") + std::string(form.versions);
    return sentence("Use RIFE {}", versions);
}

}  // namespace

std::span<const RifeForm> rifeForms() {
    return rifeFormTable;
}

NetworkTensors openRife(const std::filesystem::path& file) {
    return NetworkTensors::open(file, rifeName);
}

bool looksLikeRife(const NetworkTensors& tensors) {
    return tensors.has(blockTensor(0, "conv0.0.0.weight"));
}

RifeLayout rifeLayout(const NetworkTensors& tensors) {
    if (!looksLikeRife(tensors)) {
        const std::vector<std::string> names = tensors.names();
        const bool isFilm = std::ranges::any_of(names, [](const std::string& name) {
            return name.starts_with("extract.") || name.starts_with("predict_flow.");
        });
        tensors.refuse(isFilm ? sentence("this is FILM, which Meshreel does not compute")
                              : sentence("this is no network that makes frames between two others"),
                       knownVersions());
    }
    // Before 4.5 the blocks were of another kind: there is no factor for what they add.
    if (!tensors.has(blockTensor(0, "convblock.0.beta")) || tensors.has("contextnet.conv1.conv1.weight"))
        tensors.refuse(sentence("this is RIFE from before 4.5, which Meshreel does not compute"),
                       knownVersions());
    FoundRife found = readShapes(tensors);
    const auto* const form =
        std::ranges::find_if(rifeFormTable, [&](const RifeForm& row) { return fitsForm(row, found); });
    if (form == rifeFormTable.end())
        tensors.refuse(
            sentence("this form of RIFE is not among those that Meshreel computes, as 4.10 to 4.20 are not: "
                     "{} blocks that take {} and make {} channels",
                     found.widths.size(), found.ins, found.outs),
            knownVersions());
    return {.form = form, .headWidth = found.headWidth, .widths = std::move(found.widths)};
}

double RifeLayout::operations(std::int64_t height, std::int64_t width) const {
    constexpr double taps3 = 9.0;
    constexpr double taps4 = 4.0;  // of a transposed convolution, that an output pixel reads
    const double pixels = real(height * width);
    const auto multiplied = [](double of, double taps, std::int64_t ins, std::int64_t outs) {
        return 2.0 * of * taps * real(ins) * real(outs);
    };
    double total = 0.0;
    if (form->head != RifeHead::None)
        total += 2.0 * (multiplied(pixels / 4.0, taps3, 3, headWidth) +
                        multiplied(pixels, taps4, headWidth, form->features));
    if (form->head == RifeHead::Deep)
        total += 4.0 * multiplied(pixels / 4.0, taps3, headWidth, headWidth);
    for (std::size_t block = 0; block < widths.size(); ++block) {
        const double scaled = pixels / real(form->scales[block] * form->scales[block]);
        const std::int64_t ins = block == 0 ? form->firstIns() : form->ins();
        total += multiplied(scaled / 4.0, taps3, ins, widths[block] / 2) +
                 multiplied(scaled / 16.0, taps3, widths[block] / 2, widths[block]) +
                 8.0 * multiplied(scaled / 16.0, taps3, widths[block], widths[block]) +
                 multiplied(scaled / 4.0, taps4, widths[block], 4 * form->outs);
    }
    return total;
}

std::int64_t RifeLayout::workBytes(std::int64_t height, std::int64_t width) const {
    // Numbers of a pixel, in floats: both frames with their features; what blocks take, in full size and in
    // the block's own; flow, its change, mask and its change; two warped frames and the result.
    const std::int64_t frames = 2 * (3 + form->features);
    const std::int64_t kept = form->ins() + 4 + 4 + 1 + 1 + 3 * 3;
    // The largest block: the last, which is of full size.
    const std::int64_t block =
        form->ins() + ceilDivide(widths.back(), 8) + ceilDivide(2 * widths.back(), 16) + 2 * form->outs;
    const std::int64_t head = ceilDivide(2 * headWidth, 4);
    return height * width * static_cast<std::int64_t>(sizeof(float)) *
           (frames + kept + std::max(block, head));
}

}  // namespace meshreel
