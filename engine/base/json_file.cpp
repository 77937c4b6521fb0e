// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/json_file.h"

#include <nlohmann/json.hpp>

#include <set>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/limits.h"

namespace meshreel {
namespace {

Sentence fix() {
    return sentence("The file is damaged: download it again");
}

/// Watches the parser: nlohmann keeps the last of two equal keys in silence and accepts any depth.
class StructureGuard {
  public:
    StructureGuard(const std::string& where, int maxDepth) : m_where(where), m_maxDepth(maxDepth) {}

    void see(int depth, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
        using Event = nlohmann::json::parse_event_t;
        if (event == Event::object_start || event == Event::array_start) {
            if (depth >= m_maxDepth)
                throw Error(ErrorKind::Input,
                            sentence("the JSON is nested deeper than {} levels", m_maxDepth), m_where, fix());
            if (event == Event::object_start)
                m_keys.emplace_back();
        } else if (event == Event::object_end) {
            m_keys.pop_back();
        } else if (event == Event::key && !m_keys.back().insert(value.get<std::string>()).second) {
            throw Error(ErrorKind::Input,
                        sentence("the JSON key '{:.80}' is given twice", value.get<std::string>()), m_where,
                        fix());
        }
    }

  private:
    const std::string& m_where;
    int m_maxDepth;
    std::vector<std::set<std::string>> m_keys;
};

}  // namespace

nlohmann::json parseJsonObject(std::string_view text, const std::string& where, int maxDepth) {
    requireBoundedJson(text, where);
    StructureGuard guard(where, maxDepth);
    nlohmann::json value;
    try {
        value = nlohmann::json::parse(text, [&guard](int depth, auto event, const nlohmann::json& parsed) {
            guard.see(depth, event, parsed);
            return true;
        });
    } catch (const nlohmann::json::exception& error) {
        const auto* parseError = dynamic_cast<const nlohmann::json::parse_error*>(&error);
        throw Error(ErrorKind::Input,
                    parseError != nullptr ? sentence("this is not valid JSON (byte {})", parseError->byte)
                                          : sentence("this is not valid JSON"),
                    where, fix());
    }
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
