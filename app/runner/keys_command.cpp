// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <memory>
#include <string>

#include "app/runner/command.h"
#include "engine/base/error.h"
#include "engine/project/project_keys.h"
#include "engine/project/sampling_preset.h"

namespace meshreel {
namespace {

void printKey(const ProjectKey& key) {
    fmt::print("{} ({}{}{}), default {}\n    {}\n", key.name, typeName(key), key.unit.empty() ? "" : ", ",
               key.unit, defaultText(key).empty() ? "empty" : defaultText(key), key.help);
    if (const Sentence legal = legalValuesText(key); !legal.empty())
        fmt::print("    Legal: {}\n", legal);
    if (!key.inactive.empty())
        fmt::print("    {}\n", key.inactive);
}

void printChoices(const ProjectKey& key) {
    if (key.choices == nullptr)
        return;
    for (const Choice& choice : key.choices())
        fmt::print("    {}: {}\n", choice.name, choice.help);
}

void printPresets() {
    for (const SamplingPreset& preset : samplingPresets()) {
        if (preset.values.empty())
            continue;
        fmt::print("    {} sets:\n", preset.name);
        for (const PresetValue& value : preset.values)
            fmt::print("        {}: {}\n", value.key, value.value);
    }
}

}  // namespace

Action declareKeys(CLI::App& app) {
    const auto wanted = std::make_shared<std::string>();
    app.add_option("KEY", *wanted, "Only this key");
    return [wanted] {
        if (!wanted->empty()) {
            const ProjectKey* key = findProjectKey(*wanted);
            if (!key)
                throw Error(ErrorKind::Project, "there is no key of this name", *wanted,
                            "meshreel keys lists them all");
            printKey(*key);
            printChoices(*key);
            if (key == findProjectKey("preset"))
                printPresets();
            return 0;
        }
        std::string_view section;
        for (const ProjectKey& key : projectKeys()) {
            if (key.section != section)
                fmt::print("{}[{}]\n", section.empty() ? "" : "\n", key.section);
            section = key.section;
            printKey(key);
        }
        return 0;
    };
}

}  // namespace meshreel
