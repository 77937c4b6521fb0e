// SPDX-License-Identifier: GPL-3.0-or-later
// What is written from the whole command line: completion scripts of shells, and the manual page.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/runner/command.h"
#include "engine/base/error.h"
#include "engine/base/version.h"
#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

void replaceMark(std::string& text, std::string_view mark, const std::string& value) {
    text.replace(text.find(mark), mark.size(), value);
}

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// The long names of a command's options but help, with what each does.
std::vector<std::pair<std::string, std::string>> longOptions(const CLI::App& command) {
    std::vector<std::pair<std::string, std::string>> options;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames())
            if (name != "help")
                options.emplace_back("--" + name, option->get_description());
    return options;
}

std::string joinedKeys() {
    std::string keys;
    for (const ProjectKey& key : projectKeys())
        keys.append(keys.empty() ? "" : " ").append(key.name);
    return keys;
}

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

std::string bashCompletion(const CLI::App& app) {
    std::string names;
    std::string options;
    for (const Command& command : commands()) {
        const std::string name(command.name);
        names += (names.empty() ? "" : " ") + name;
        std::string words;
        for (const auto& [option, help] : longOptions(*app.get_subcommand(name)))
            words += (words.empty() ? "" : " ") + option;
        options += fmt::format("        {}) options=\"{}\" ;;\n", name, words);
    }
    std::string script(bashTemplate);
    replaceMark(script, "@COMMANDS@", names);
    replaceMark(script, "@KEYS@", joinedKeys());
    replaceMark(script, "@OPTIONS@", options);
    return script;
}

/// Between single quotes, for zsh and fish.
std::string quoted(std::string text) {
    replaceAll(text, "'", "'\\''");
    return "'" + text + "'";
}

// @COMMANDS@: `'name:help'` a line; @OPTIONS@: a case for each command; @KEYS@ as above.
constexpr std::string_view zshTemplate =
    R"(#compdef meshreel
# zsh completion for meshreel; made by `meshreel completion zsh`
_meshreel() {
    local -a commands options keys
    commands=(
@COMMANDS@    )
    keys=(@KEYS@)
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    if [[ ${words[CURRENT-1]} == --set ]]; then
        compadd -S = -a keys
        return
    fi
    case ${words[2]} in
@OPTIONS@    esac
    if [[ ${words[CURRENT]} == -* ]]; then
        _describe option options
        return
    fi
    _files
}
_meshreel "$@"
)";

/// `'word:help'`, as _describe reads it.
std::string described(std::string word, const std::string& help) {
    replaceAll(word, ":", "\\:");
    return quoted(word + ":" + help);
}

std::string zshCompletion(const CLI::App& app) {
    std::string names;
    std::string options;
    for (const Command& command : commands()) {
        const std::string name(command.name);
        names += fmt::format("        {}\n", described(name, std::string(command.help)));
        options += fmt::format("        {}) options=(", name);
        for (const auto& [option, help] : longOptions(*app.get_subcommand(name)))
            options += fmt::format("\n            {}", described(option, help));
        options += ") ;;\n";
    }
    std::string script(zshTemplate);
    replaceMark(script, "@COMMANDS@", names);
    replaceMark(script, "@KEYS@", joinedKeys());
    replaceMark(script, "@OPTIONS@", options);
    return script;
}

std::string fishCompletion(const CLI::App& app) {
    std::string script = "# fish completion for meshreel; made by `meshreel completion fish`\n";
    for (const Command& command : commands()) {
        const std::string name(command.name);
        script += fmt::format("complete -c meshreel -f -n __fish_use_subcommand -a {} -d {}\n", name,
                              quoted(std::string(command.help)));
        for (const auto& [option, help] : longOptions(*app.get_subcommand(name)))
            script += fmt::format("complete -c meshreel -n '__fish_seen_subcommand_from {}' -l {} -d {}\n",
                                  name, option.substr(2), quoted(help));
    }
    return script;
}

struct Shell {
    std::string_view name;
    std::string (*complete)(const CLI::App& app);
};

constexpr std::array shells{Shell{"bash", bashCompletion}, Shell{"zsh", zshCompletion},
                            Shell{"fish", fishCompletion}};

/// Converts a line of text to roff, so that no letter of it is a request or an escape. A list without spaces
/// may be broken after its commas.
std::string roff(std::string text) {
    replaceAll(text, "\\", "\\e");
    replaceAll(text, ",", ",\\:");
    replaceAll(text, ",\\: ", ", ");
    replaceAll(text, "-", "\\-");
    replaceAll(text, "\n", "\n.br\n");
    if (text.starts_with('.') || text.starts_with('\''))
        text.insert(0, "\\&");
    return text;
}

std::string optionsPage(const CLI::App& command) {
    std::string page;
    for (const CLI::Option* option : command.get_options()) {
        const bool word = option->get_positional();
        std::string value = option->get_items_expected_max() > 0 ? option->get_type_name() : "";
        if (word)
            value.clear();
        page +=
            fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(option->get_name(word)),
                        value.empty() ? "" : " \\fI" + roff(value) + "\\fR", roff(option->get_description()));
    }
    return page;
}

struct ExitReason {
    ErrorKind kind;
    std::string_view meaning;
};

constexpr std::array exitReasons{
    ExitReason{ErrorKind::Internal, "A defect of Meshreel."},
    ExitReason{ErrorKind::Project, "The project or the command line is wrong."},
    ExitReason{ErrorKind::Input, "Something that the project points to is missing or damaged."},
    ExitReason{ErrorKind::Resources, "There is not enough memory or disk."},
    ExitReason{ErrorKind::Device, "A device, a rank or a transport failed."},
    ExitReason{ErrorKind::Mismatch, "A verification found a difference."},
    ExitReason{ErrorKind::Cancelled, "The work was stopped."},
};

std::string manualPage(const CLI::App& app) {
    std::string page = fmt::format(
        ".\\\" Made by `meshreel manual`.\n.TH MESHREEL 1 \"\" \"Meshreel {}\" \"User Commands\"\n"
        ".nh\n.ad l\n"  // long lists are neither hyphenated nor spread over a line
        ".SH NAME\nmeshreel \\- {}\n.SH SYNOPSIS\n.B meshreel\n.I COMMAND\n[\\fIOPTIONS\\fR]\n"
        ".SH DESCRIPTION\n"
        "Runs Wan video generation from a project file, and plans, measures and compares runs.\n",
        versionNumber(), roff(app.get_description()));
    std::string_view group;
    for (const Command& command : commands()) {
        if (command.group != group)
            page += fmt::format(".SH {} COMMANDS\n", roff(std::string(command.group)));
        group = command.group;
        const CLI::App& declared = *app.get_subcommand(std::string(command.name));
        page += fmt::format(".SS meshreel {}\n{}.\n", command.name, roff(std::string(command.help)));
        page += optionsPage(declared);
    }
    page +=
        ".SH PROJECT KEYS\nA project file is YAML with these keys; \\fB\\-\\-set\\fR \\fIKEY=VALUE\\fR "
        "takes them too.\n";
    for (const ProjectKey& key : projectKeys())
        page +=
            fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(std::string(key.name)), roff(std::string(key.help)));
    page += ".SH EXIT STATUS\n.TP\n0\nDone.\n";
    for (const ExitReason& row : exitReasons)
        page += fmt::format(".TP\n{}\n{}\n", exitCode(row.kind), row.meaning);
    return page + ".SH SEE ALSO\n.BR meshreel\\-studio (1)\n";
}

}  // namespace

Action declareCompletion(CLI::App& app) {
    const auto shell = std::make_shared<std::string>("bash");
    std::vector<std::string> names;
    for (const Shell& row : shells)
        names.emplace_back(row.name);
    app.add_option("SHELL", *shell, "Which shell")
        ->check(CLI::IsMember(names))
        ->default_str("bash")
        ->type_name("TEXT");
    return [shell] {
        CLI::App whole;
        declareCommands(whole, DeclaredOptions::OfAll);
        say("{}", std::ranges::find(shells, *shell, &Shell::name)->complete(whole));
        return 0;
    };
}

Action declareManual(CLI::App& /*app*/) {
    return [] {
        CLI::App whole;
        declareCommands(whole, DeclaredOptions::OfAll);
        say("{}", manualPage(whole));
        return 0;
    };
}

}  // namespace meshreel
