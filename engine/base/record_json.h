// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/record.h"

namespace meshreel {

/// Returns what a sentence was made of, for a file or another process: {"pattern": "{} failed", "parts":
/// ["rank 1"]}, where a part that has a pattern is such an object itself. Null for one that is the same in
/// every language.
nlohmann::json sentencePartsJson(const Sentence& sentence);

/// Returns the sentence that says `text` in English and was made of `parts`. Untranslated when they are null,
/// malformed or make another text.
Sentence sentenceFrom(std::string text, const nlohmann::json& parts);

/// Returns the English texts, for callers that do not translate.
std::vector<std::string> toTexts(const std::vector<Sentence>& sentences);

namespace detail {

inline std::string partsKey(const std::string& key) {
    return key + "_parts";
}

}  // namespace detail

/// Adds a sentence to an object: in English as `key`, and what it was made of as "<key>_parts" unless it is
/// the same in every language.
template <typename Json>
void putSentence(Json& object, const std::string& key, const Sentence& sentence) {
    object[key] = sentence.text();
    if (!sentence.pattern().empty())
        object[detail::partsKey(key)] = sentencePartsJson(sentence);
}

/// Reads what putSentence() added; English if only that is there, empty without any. Throws Json::exception
/// when `key` is not a string.
template <typename Json>
Sentence sentenceAt(const Json& object, const std::string& key) {
    return sentenceFrom(object.value(key, std::string()), object.value(detail::partsKey(key), Json()));
}

/// Keys stay in the order of the fields.
using RecordJson = nlohmann::ordered_json;

/// How a value is stored in an object of JSON: specialise for a type that nlohmann::json does not know, or
/// that takes several keys. `take` throws RecordJson::exception for what `put` does not write.
template <typename Value>
struct JsonValue {
    static void put(RecordJson& object, const std::string& key, const Value& value) { object[key] = value; }
    static Value take(const RecordJson& object, const std::string& key) {
        return object.at(key).get<Value>();
    }
};

/// Adds the fields of a record to an object.
template <Record Type>
void putFields(RecordJson& object, const Type& record) {
    forEachField<Type>([&]<typename Value>(const RecordField<Type, Value>& each) {
        JsonValue<Value>::put(object, std::string(each.name), record.*each.member);
    });
}

/// Reads back what putFields() added, and passes over other keys. Throws RecordJson::exception when a field
/// lacks that no version left out, or has another type.
template <Record Type>
Type takeFields(const RecordJson& object) {
    Type record;
    forEachField<Type>([&]<typename Value>(const RecordField<Type, Value>& each) {
        const std::string key(each.name);
        if (!each.isLater || object.contains(key))
            record.*each.member = JsonValue<Value>::take(object, key);
    });
    return record;
}

template <>
struct JsonValue<Sentence> {
    static void put(RecordJson& object, const std::string& key, const Sentence& value) {
        putSentence(object, key, value);
    }
    static Sentence take(const RecordJson& object, const std::string& key) { return sentenceAt(object, key); }
};

template <>
struct JsonValue<std::filesystem::path> {
    static void put(RecordJson& object, const std::string& key, const std::filesystem::path& value) {
        object[key] = value.string();
    }
    static std::filesystem::path take(const RecordJson& object, const std::string& key) {
        return object.at(key).get<std::string>();
    }
};

/// Stored by name. A name that only a newer version knows reads as the first value.
template <NamedEnum Enum>
struct JsonValue<Enum> {
    static void put(RecordJson& object, const std::string& key, Enum value) { object[key] = enumName(value); }
    static Enum take(const RecordJson& object, const std::string& key) {
        return enumNamed<Enum>(object.at(key).get<std::string>()).value_or(Enum{});
    }
};

/// An absent value is null.
template <typename Value>
struct JsonValue<std::optional<Value>> {
    static void put(RecordJson& object, const std::string& key, const std::optional<Value>& value) {
        if (value)
            JsonValue<Value>::put(object, key, *value);
        else
            object[key] = nullptr;
    }
    static std::optional<Value> take(const RecordJson& object, const std::string& key) {
        if (object.at(key).is_null())
            return std::nullopt;
        return JsonValue<Value>::take(object, key);
    }
};

/// An array of objects: {KEY: VALUE} of each key that changes.
template <>
struct JsonValue<std::vector<KeyChanges>> {
    static void put(RecordJson& object, const std::string& key, const std::vector<KeyChanges>& value) {
        RecordJson& array = object[key] = RecordJson::array();
        for (const KeyChanges& changes : value) {
            RecordJson& each = array.emplace_back(RecordJson::object());
            for (const KeyChange& change : changes)
                each[change.key] = change.value;
        }
    }
    static std::vector<KeyChanges> take(const RecordJson& object, const std::string& key) {
        std::vector<KeyChanges> value;
        for (const RecordJson& each : object.at(key)) {
            KeyChanges& changes = value.emplace_back();
            for (const auto& [changed, to] : each.items())
                changes.push_back({.key = changed, .value = to.get<std::string>()});
        }
        return value;
    }
};

/// An array of objects.
template <Record Type>
struct JsonValue<std::vector<Type>> {
    static void put(RecordJson& object, const std::string& key, const std::vector<Type>& values) {
        RecordJson& array = object[key] = RecordJson::array();
        for (const Type& value : values)
            putFields(array.emplace_back(RecordJson::object()), value);
    }
    static std::vector<Type> take(const RecordJson& object, const std::string& key) {
        std::vector<Type> values;
        for (const RecordJson& value : object.at(key))
            values.push_back(takeFields<Type>(value));
        return values;
    }
};

}  // namespace meshreel
