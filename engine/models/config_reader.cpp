// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/config_reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {

Sentence useOriginal() {
    return sentence("Use the config.json that came with the weights");
}

bool ConfigReader::absent(std::string_view key) const {
    const auto found = m_json.find(key);
    return found == m_json.end() || found->is_null();
}

void ConfigReader::refuse(std::string_view key, Sentence message, Sentence hint) const {
    throw Error(ErrorKind::Input, std::move(message), place(key), std::move(hint));
}

std::string ConfigReader::place(std::string_view key) const {
    return fmt::format("{}, key {}", m_where, key);
}

std::int64_t ConfigReader::checkedSize(std::string_view key, const nlohmann::json& value,
                                       std::int64_t largest) const {
    const auto outOfRange = [&]() {
        refuse(key, sentence("The value {} is not a whole number from 1 to {}", value.dump(), largest),
               useOriginal());
    };
    if (!value.is_number_integer())
        outOfRange();
    const auto number = value.get<std::int64_t>();
    if (number < 1 || number > largest)
        outOfRange();
    return number;
}

std::int64_t ConfigReader::size(std::string_view key, std::optional<std::int64_t> fallback,
                                std::int64_t largest) const {
    if (!absent(key))
        return checkedSize(key, *m_json.find(key), largest);
    if (!fallback)
        refuse(key, sentence("The key is missing"), useOriginal());
    return *fallback;
}

std::vector<std::int64_t> ConfigReader::sizes(std::string_view key,
                                              std::vector<std::int64_t> fallback) const {
    if (absent(key))
        return fallback;
    const nlohmann::json& list = *m_json.find(key);
    if (!list.is_array() || list.size() != fallback.size())
        refuse(key, sentence("The value is not a list of {} numbers", fallback.size()), useOriginal());
    std::vector<std::int64_t> result;
    for (const nlohmann::json& value : list)
        result.push_back(checkedSize(key, value, largestSize));
    return result;
}

double ConfigReader::number(std::string_view key, double fallback) const {
    if (absent(key))
        return fallback;
    const nlohmann::json& value = *m_json.find(key);
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() <= 0.0)
        refuse(key, sentence("The value {} is not a positive number", value.dump()), useOriginal());
    return value.get<double>();
}

bool ConfigReader::flag(std::string_view key, bool fallback) const {
    if (absent(key))
        return fallback;
    const nlohmann::json& value = *m_json.find(key);
    if (!value.is_boolean())
        refuse(key, sentence("The value {} is neither true nor false", value.dump()), useOriginal());
    return value.get<bool>();
}

std::optional<std::string> ConfigReader::text(std::string_view key) const {
    if (absent(key))
        return std::nullopt;
    const nlohmann::json& value = *m_json.find(key);
    if (!value.is_string())
        refuse(key, sentence("The value {} is not a text", value.dump()), useOriginal());
    return value.get<std::string>();
}

}  // namespace meshreel
