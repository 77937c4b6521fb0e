// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace meshreel {

/// A member of a struct and its name in files.
template <typename Struct, typename Value>
struct RecordField {
    std::string_view name;
    Value Struct::*member;
    bool isLater = false;  ///< earlier versions did not write it: the struct's own value is used
};

template <typename Struct, typename Value>
constexpr RecordField<Struct, Value> field(std::string_view name, Value Struct::*member) {
    return {name, member};
}

template <typename Struct, typename Value>
constexpr RecordField<Struct, Value> laterField(std::string_view name, Value Struct::*member) {
    return {name, member, true};
}

/// A struct with a table of its fields, in the order of keys and columns. JSON (record_json.h), CSV
/// (csv.h) and tables of numbers are made from it and read by it:
///     static constexpr auto fields() { return std::tuple(field("step", &StepRecord::step), ...); }
template <typename Type>
concept Record = requires {
    std::tuple_size<decltype(Type::fields())>::value;
};

template <Record Type>
inline constexpr std::size_t fieldCount = std::tuple_size_v<decltype(Type::fields())>;

/// Calls `function` with each field, in order.
template <Record Type, typename Function>
constexpr void forEachField(Function&& function) {
    std::apply([&](const auto&... each) { (function(each), ...); }, Type::fields());
}

/// Returns the names of the fields.
template <Record Type>
constexpr auto fieldNames() {
    return std::apply(
        [](const auto&... each) { return std::array<std::string_view, sizeof...(each)>{each.name...}; },
        Type::fields());
}

/// The names in files of an enumeration's values 0, 1, 2, …: a specialisation has `static constexpr
/// std::array names`.
template <typename Enum>
struct EnumNames;

template <typename Type>
concept NamedEnum = std::is_enum_v<Type> && requires {
    EnumNames<Type>::names.size();
};

template <NamedEnum Enum>
constexpr std::string_view enumName(Enum value) {
    return EnumNames<Enum>::names.at(static_cast<std::size_t>(value));
}

/// Returns nothing for a name that the enumeration does not have.
template <NamedEnum Enum>
constexpr std::optional<Enum> enumNamed(std::string_view name) {
    for (std::size_t index = 0; index < EnumNames<Enum>::names.size(); ++index)
        if (EnumNames<Enum>::names.at(index) == name)
            return static_cast<Enum>(index);
    return std::nullopt;
}

}  // namespace meshreel
