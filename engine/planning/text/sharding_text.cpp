// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/base/strings.h"
#include "engine/planning/text/sharding_table.h"

namespace meshreel {
namespace {

constexpr std::size_t columns = 5;
using Row = std::array<std::string, columns>;

template <typename Extent>
std::string shapeText(const TensorSharding& tensor, const Extent& extentOf) {
    std::vector<std::int64_t> extents;
    std::ranges::transform(tensor.axes, std::back_inserter(extents), extentOf);
    const std::string shape = fmt::format("[{}]", fmt::join(extents, ", "));
    return tensor.copies == 1 ? shape : fmt::format("{} x {}", tensor.copies, shape);
}

std::string overText(const TensorSharding& tensor) {
    std::vector<std::string> parts;
    for (const ShardedAxis& axis : tensor.axes)
        if (!axis.over.empty())
            parts.push_back(axis.name.empty() ? axis.over : fmt::format("{}: {}", axis.name, axis.over));
    if (tensor.flatParts > 1)
        parts.push_back(fmt::format("fsdp {}", tensor.flatParts));
    return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string typeText(DType type) {
    return type == DType::BF16 ? "bf16" : "f32";
}

Row tableRowOf(const TensorSharding& tensor) {
    const std::string note = tensor.note.empty() ? std::string() : fmt::format(" ({})", tensor.note);
    return {fmt::format("{} ({})", tensor.tensor, typeText(tensor.type)),
            shapeText(tensor, &ShardedAxis::extent), overText(tensor),
            shapeText(tensor, &ShardedAxis::perDevice), formatBytes(tensor.bytesPerDevice()) + note};
}

}  // namespace

std::string describeSharding(const RunPlan& plan) {
    std::vector<Row> rows{{"tensor", "whole", "shared out over", "one device", "bytes of one device"}};
    std::ranges::transform(shardingTable(plan), std::back_inserter(rows), tableRowOf);
    std::array<std::size_t, columns> widths{};
    for (const Row& row : rows)
        for (std::size_t column = 0; column < columns; ++column)
            widths[column] = std::max(widths[column], row[column].size());
    std::string text;
    for (const Row& row : rows) {
        text += "  ";
        for (std::size_t column = 0; column + 1 < columns; ++column)
            text += fmt::format("{:<{}}  ", row[column], widths[column]);
        text += row.back() + "\n";
    }
    return text;
}

}  // namespace meshreel
