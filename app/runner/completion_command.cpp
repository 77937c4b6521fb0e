// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <string>

#include "app/runner/command.h"
#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

// @COMMANDS@: the sub-commands; @OPTIONS@: a case line for each of them; @KEYS@: project keys, for --set.
constexpr std::string_view bashTemplate =
    R"(# bash completion for meshreel; made by `meshreel completion bash`
_meshreel() {
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" command="${COMP_WORDS[1]}" options=""
    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W "@COMMANDS@ --help --version" -- "$current"))
        return
    fi
    if [[ $previous == --set ]]; then
        COMPREPLY=($(compgen -S = -W "@KEYS@" -- "$current"))
        type compopt &>/dev/null && compopt -o nospace
        return
    fi
    case "$command" in
@OPTIONS@    esac
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options --isa --help" -- "$current"))
        return
    fi
    COMPREPLY=($(compgen -f -- "$current"))
    type compopt &>/dev/null && compopt -o filenames
}
complete -F _meshreel meshreel
)";

void replaceMark(std::string& text, std::string_view mark, const std::string& value) {
    text.replace(text.find(mark), mark.size(), value);
}

std::string longOptions(const CLI::App& command) {
    std::string text;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames())
            if (name != "help")
                text += (text.empty() ? "--" : " --") + name;
    return text;
}

std::string bashCompletion() {
    CLI::App app;
    declareCommands(app);
    std::string names;
    std::string options;
    for (const Command& command : commands()) {
        const std::string name(command.name);
        names += (names.empty() ? "" : " ") + name;
        options +=
            fmt::format("        {}) options=\"{}\" ;;\n", name, longOptions(*app.get_subcommand(name)));
    }
    std::string keys;
    for (const ProjectKey& key : projectKeys())
        keys.append(keys.empty() ? "" : " ").append(key.name);
    std::string script(bashTemplate);
    replaceMark(script, "@COMMANDS@", names);
    replaceMark(script, "@KEYS@", keys);
    replaceMark(script, "@OPTIONS@", options);
    return script;
}

}  // namespace

Action declareCompletion(CLI::App& app) {
    app.add_option("SHELL", "Which shell")
        ->check(CLI::IsMember({"bash"}))
        ->default_str("bash")
        ->type_name("TEXT");
    return [] {
        fmt::print("{}", bashCompletion());
        return 0;
    };
}

}  // namespace meshreel
