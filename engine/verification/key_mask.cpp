// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/key_mask.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::array countedMasks{
    std::pair{std::string_view("tail"), KeyMask::Kind::Tail},
    std::pair{std::string_view("head"), KeyMask::Kind::Head},
    std::pair{std::string_view("row"), KeyMask::Kind::Row},
};

template <typename Number>
std::optional<Number> parseNumber(std::string_view text) {
    Number number{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

}  // namespace

std::string KeyMask::text() const {
    for (const auto& [name, countedKind] : countedMasks)
        if (countedKind == kind)
            return fmt::format("{}:{}", name, count);
    return kind == Kind::Random ? fmt::format("random:{}", probability) : "none";
}

KeyMask parseKeyMask(std::string_view text) {
    if (text == "none")
        return {};
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
        const std::string_view name = text.substr(0, colon);
        const std::string_view number = text.substr(colon + 1);
        for (const auto& [counted, kind] : countedMasks)
            if (counted == name)
                if (const auto count = parseNumber<std::int64_t>(number))
                    return {.kind = kind, .count = *count};
        if (name == "random")
            if (const auto probability = parseNumber<double>(number))
                return {.kind = KeyMask::Kind::Random, .probability = *probability};
    }
    throw Error(
        ErrorKind::Project, sentence("There is no mask '{}'", text), "mask",
        sentence("Use none, tail:K or head:K (the last or first K keys), row:B (all keys of batch row B) or "
                 "random:P (each key with probability P)"));
}

}  // namespace meshreel
