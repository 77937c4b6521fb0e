// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/capabilities.h"

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "engine/base/overloaded.h"
#include "engine/base/version.h"
#include "engine/catalogue/model_library.h"
#include "engine/models/finish/finish_names.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/serve/video_order.h"

namespace meshreel {
namespace {

std::string_view nameOf(KeyFromNetwork rule) {
    switch (rule) {
        case KeyFromNetwork::Value:
            return "value";
        case KeyFromNetwork::Installed:
            return "installed";
        case KeyFromNetwork::Upload:
            return "upload";
        case KeyFromNetwork::Word:
            return "word";
        case KeyFromNetwork::Refused:
            break;
    }
    return "refused";
}

void putRange(nlohmann::ordered_json& json, const KeyRange& range) {
    std::visit(Overloaded{[](const std::monostate&) {},
                          [&json](const IntegerRange& integers) {
                              if (integers.minimum != IntegerRange().minimum)
                                  json["minimum"] = integers.minimum;
                              if (integers.maximum != IntegerRange().maximum)
                                  json["maximum"] = integers.maximum;
                              if (integers.step != 1)
                                  json["step"] = integers.step;
                          },
                          [&json](const RealRange& reals) {
                              if (reals.minimum != RealRange().minimum)
                                  json["minimum"] = reals.minimum;
                              if (reals.maximum != RealRange().maximum)
                                  json["maximum"] = reals.maximum;
                          }},
               range);
}

nlohmann::ordered_json keyJson(const ProjectKey& key) {
    nlohmann::ordered_json json;
    json["name"] = std::string(key.name);
    json["title"] = std::string(key.title);
    json["help"] = std::string(key.help);
    json["section"] = std::string(key.section);
    json["type"] = typeName(key).text();
    json["unit"] = std::string(key.unit);
    json["default"] = defaultText(key);
    putRange(json, key.range);
    if (key.choices != nullptr) {
        nlohmann::ordered_json choices = nlohmann::ordered_json::array();
        for (const Choice& choice : key.choices()) {
            nlohmann::ordered_json entry;
            entry["name"] = std::string(choice.name);
            entry["help"] = std::string(choice.help);
            choices.push_back(std::move(entry));
        }
        json["choices"] = std::move(choices);
    }
    json["basic"] = key.level == KeyLevel::Basic;
    json["from_network"] = std::string(nameOf(findNetworkRule(key)));
    if (const std::string_view word = finishWord(key.name); !word.empty())
        json["word"] = std::string(word);
    return json;
}

}  // namespace

nlohmann::ordered_json capabilitiesJson() {
    nlohmann::ordered_json json;
    json["version"] = std::string(versionNumber());
    json["default_model"] = Project().model;
    json["fields"] = nlohmann::ordered_json::array();
    for (const std::span<const VideoField> fields : {videoFields(), referenceFields()})
        for (const VideoField& field : fields) {
            nlohmann::ordered_json entry;
            entry["field"] = std::string(field.field);
            entry["key"] = std::string(field.key);
            json["fields"].push_back(std::move(entry));
        }
    json["keys"] = nlohmann::ordered_json::array();
    for (const ProjectKey& key : projectKeys())
        json["keys"].push_back(keyJson(key));
    return json;
}

nlohmann::ordered_json modelsJson() {
    nlohmann::ordered_json json;
    json["object"] = "list";
    json["data"] = nlohmann::ordered_json::array();
    for (const ModelInfo& model : installedModels()) {
        nlohmann::ordered_json entry;
        entry["id"] = model.name;
        entry["object"] = "model";
        entry["created"] = 0;  // nobody asks when its files were written
        entry["owned_by"] = model.embedded ? "meshreel" : "user";
        json["data"].push_back(std::move(entry));
    }
    return json;
}

}  // namespace meshreel
