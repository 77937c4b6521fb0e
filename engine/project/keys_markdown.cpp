// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/keys_markdown.h"

#include <fmt/format.h>

#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

using Say = std::function<std::string(const Sentence&)>;

constexpr std::string_view origin =
    "<!-- Made from engine/project/keys/. To make it again: MESHREEL_UPDATE_DOCS=1 ctest --preset release -R "
    "KeysPage -->";

std::string introduction(const Say& say) {
    return fmt::format(
        "{}\n# {}\n\n{}\n\n{}\n", origin, say(sentence("Keys of a project file")),
        say(sentence(
            "A project is a YAML file: `version: 1`, then the keys below, each at most once; what is "
            "left out has its default. A dot in a key's name means a key inside a map. Numbers are "
            "decimal, and booleans are `true` or `false`. Anchors, aliases and tags are refused. "
            "MaxDiffusion's files can be used as they are: keys without meaning here are ignored with "
            "one warning.")),
        say(sentence("On the command line, `--set key=value` overrides the file: `--set "
                     "flash_block_sizes.block_q=256`.")));
}

Sentence code(const std::string& text) {
    return text.empty() ? sentence("(empty)") : Sentence(fmt::format("`{}`", text));
}

std::string choiceLines(const ProjectKey& key, const Say& say) {
    std::string lines;
    for (const Choice& choice : key.choices())
        lines += fmt::format("  - `{}`: {}\n", choice.name, say(tableText(choice.help)));
    return lines;
}

std::string entry(const ProjectKey& key, const Say& say) {
    const Sentence kind = sentence("{}; default {}", typeName(key), code(defaultText(key)));
    std::string text = fmt::format("- **`{}`** ({}): {}\n", key.name, say(kind), say(tableText(key.help)));
    if (key.choices != nullptr)
        text += choiceLines(key, say);
    else if (const Sentence legal = legalValuesText(key); !legal.empty())
        text += fmt::format("  {}\n", say(sentence("Legal: {}.", legal)));
    if (!key.inactive.empty())
        text +=
            fmt::format("  {}\n", say(sentence("Other values have no effect: {}.", tableText(key.inactive))));
    return text;
}

}  // namespace

std::string keysMarkdown(const Say& say) {
    std::string text = introduction(say);
    std::string_view section;
    for (const ProjectKey& key : projectKeys()) {
        if (key.section != section)
            text += fmt::format("\n## {}\n\n", say(tableText(key.section)));
        section = key.section;
        text += entry(key, say);
    }
    return text;
}

}  // namespace meshreel
