// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/keys_markdown.h"

#include <fmt/format.h>

#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

constexpr std::string_view introduction =
    R"(<!-- Made from engine/project/keys/. To make it again: MESHREEL_UPDATE_DOCS=1 ctest --preset release -R KeysPage -->
# Keys of a project file

A project is a YAML file: `version: 1`, then the keys below, each at most once; what is left out has its default. A dot
in a key's name means a key inside a map. Numbers are decimal, and booleans are `true` or `false`. Anchors, aliases and tags are
refused. MaxDiffusion's files can be used as they are: keys without meaning here are ignored with one warning.

On the command line, `--set key=value` overrides the file: `--set flash_block_sizes.block_q=256`.
)";

std::string code(const std::string& text) {
    return text.empty() ? "(empty)" : fmt::format("`{}`", text);
}

std::string choiceLines(const ProjectKey& key) {
    std::string lines;
    for (const Choice& choice : key.choices())
        lines += fmt::format("  - `{}`: {}\n", choice.name, choice.help);
    return lines;
}

std::string entry(const ProjectKey& key) {
    std::string text = fmt::format("- **`{}`** ({}; default {}): {}\n", key.name, typeName(key),
                                   code(defaultText(key)), key.help);
    if (key.choices != nullptr)
        text += choiceLines(key);
    else if (const std::string legal = legalValuesText(key); !legal.empty())
        text += fmt::format("  Legal: {}.\n", legal);
    if (!key.inactive.empty())
        text += fmt::format("  Other values have no effect: {}.\n", key.inactive);
    return text;
}

}  // namespace

std::string keysMarkdown() {
    std::string text(introduction);
    std::string_view section;
    for (const ProjectKey& key : projectKeys()) {
        if (key.section != section)
            text += fmt::format("\n## {}\n\n", key.section);
        section = key.section;
        text += entry(key);
    }
    return text;
}

}  // namespace meshreel
