// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/gpu_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>

namespace meshreel {
namespace {

std::optional<int> readGpuNumber(std::string_view text) {
    int number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() && end == text.data() + text.size() && number >= 0 ? std::optional(number)
                                                                                     : std::nullopt;
}

Problem malformedGpus(std::string_view text) {
    const std::string key(GpuChoice::key);
    return {
        .id = "gpus-malformed",
        .key = key,
        .message = sentence("gpus is \"{}\"", std::string(text)),
        .fixes = setKey(sentence("Use none, auto, or the number of a GPU: 0 is the first that meshreel "
                                 "devices lists"),
                        key, {std::string(GpuChoice::noneName), std::string(GpuChoice::automaticName), "0"})};
}

}  // namespace

std::string GpuChoice::text() const {
    if (automatic)
        return std::string(automaticName);
    return numbers.empty() ? std::string(noneName) : fmt::format("{}", fmt::join(numbers, ","));
}

std::variant<GpuChoice, Problem> parseGpuChoice(std::string_view text) {
    if (text == GpuChoice::automaticName)
        return GpuChoice::anyReal();
    if (text == GpuChoice::noneName)
        return GpuChoice::none();
    GpuChoice choice;
    std::string_view rest = text;
    while (true) {
        const std::size_t comma = rest.find(',');
        const std::optional<int> number = readGpuNumber(rest.substr(0, comma));
        if (!number)
            return malformedGpus(text);
        choice.numbers.push_back(*number);
        if (comma == std::string_view::npos)
            return choice;
        rest.remove_prefix(comma + 1);
    }
}

}  // namespace meshreel
