// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/json_file.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <iterator>
#include <set>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/limits.h"

namespace meshreel {
namespace {

Sentence fix() {
    return sentence("The file is damaged: download it again");
}

/// Goes through the text before a tree is made of it: nlohmann silently keeps the last of two equal keys and
/// accepts any depth. Its parser that asks about each value as it comes takes time quadratic in their number.
class StructureGuard : public nlohmann::json_sax<nlohmann::json> {
  public:
    StructureGuard(const std::string& where, int maxDepth) : m_where(where), m_maxDepth(maxDepth) {}

    bool null() override { return true; }
    bool boolean(bool /*value*/) override { return true; }
    bool number_integer(number_integer_t /*value*/) override { return true; }
    bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
    bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
    bool string(string_t& /*value*/) override { return true; }
    bool binary(binary_t& /*value*/) override { return true; }
    bool start_object(std::size_t /*elements*/) override { return open(); }
    bool start_array(std::size_t /*elements*/) override { return open(); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        if (!m_keys.back().insert(name).second)
            throw Error(ErrorKind::Input, sentence("the JSON key '{:.80}' is given twice", name), m_where,
                        fix());
        return true;
    }
    bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                     const nlohmann::detail::exception& error) override {
        const auto* parseError = dynamic_cast<const nlohmann::json::parse_error*>(&error);
        throw Error(ErrorKind::Input,
                    parseError != nullptr ? sentence("this is not valid JSON (byte {})", parseError->byte)
                                          : sentence("this is not valid JSON"),
                    m_where, fix());
    }

  private:
    bool open() {
        if (std::ssize(m_keys) >= m_maxDepth)
            throw Error(ErrorKind::Input, sentence("the JSON is nested deeper than {} levels", m_maxDepth),
                        m_where, fix());
        m_keys.emplace_back();
        return true;
    }
    bool close() {
        m_keys.pop_back();
        return true;
    }

    const std::string& m_where;
    int m_maxDepth;
    std::vector<std::set<std::string>> m_keys;  // for each open object; empty for lists
};

}  // namespace

nlohmann::json parseJsonObject(std::string_view text, const std::string& where, int maxDepth) {
    requireBoundedJson(text, where);
    StructureGuard guard(where, maxDepth);
    nlohmann::json::sax_parse(text, &guard);
    const nlohmann::json value = nlohmann::json::parse(text);
    if (!value.is_object())
        throw Error(ErrorKind::Input,
                    sentence("a JSON object was expected, this is of type {}", value.type_name()), where,
                    fix());
    return value;
}

nlohmann::json readJsonObject(const std::filesystem::path& file) {
    return parseJsonObject(readFile(file, Limit::Json), file.string());
}

}  // namespace meshreel
