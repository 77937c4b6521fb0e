// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {

/// Returns the fix for a config.json that is not as it came.
Sentence useOriginal();

/// Reads a model's config.json with checks; every Error{Input} names the file and the key.
class ConfigReader {
  public:
    /// `json` must outlive the reader; `where` is the file's path.
    ConfigReader(const nlohmann::json& json, std::string where) : m_json(json), m_where(std::move(where)) {}

    /// Absent, or null, which upstream treats alike.
    [[nodiscard]] bool absent(std::string_view key) const;

    /// Returns a whole number from 1 to `largest`; the fallback when absent, an error without one.
    [[nodiscard]] std::int64_t size(std::string_view key, std::optional<std::int64_t> fallback = {},
                                    std::int64_t largest = largestSize) const;
    /// Returns a positive finite number.
    [[nodiscard]] double number(std::string_view key, double fallback) const;
    [[nodiscard]] bool flag(std::string_view key, bool fallback) const;
    [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
    /// Returns as many whole numbers above 0 as the fallback has.
    [[nodiscard]] std::vector<std::int64_t> sizes(std::string_view key,
                                                  std::vector<std::int64_t> fallback) const;

    /// Returns the file and the key, as errors name them.
    [[nodiscard]] std::string place(std::string_view key) const;

    /// Throws Error{Input} saying what this version does not support, and what to use instead.
    [[noreturn]] void refuse(std::string_view key, Sentence message, Sentence hint) const;

  private:
    /// Beyond any real model, and small enough that products of three sizes do not overflow.
    static constexpr std::int64_t largestSize = 1 << 20;

    [[nodiscard]] std::int64_t checkedSize(std::string_view key, const nlohmann::json& value,
                                           std::int64_t largest) const;

    const nlohmann::json& m_json;
    std::string m_where;
};

}  // namespace meshreel
