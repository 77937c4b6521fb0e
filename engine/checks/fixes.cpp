// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/fixes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "engine/attention/attention_settings.h"
#include "engine/attention/block_sizes.h"
#include "engine/base/strings.h"
#include "engine/checks/project_check.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/project/attention_check.h"
#include "engine/project/numbers.h"
#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

/// Legal integers around `wanted`, the nearest first: its neighbours on the grid, and its halves and doubles.
std::vector<std::string> integersAround(const IntegerRange& range, double wanted) {
    constexpr int neighbours = 64;
    constexpr int powers = 12;
    std::set<std::int64_t> values;
    const auto low = static_cast<double>(range.minimum);
    const auto high = static_cast<double>(range.maximum);
    const auto step = static_cast<double>(range.step);
    const auto add = [&](double value) {
        const double onGrid = low + std::round((std::clamp(value, low, high) - low) / step) * step;
        if (onGrid <= high)
            values.insert(static_cast<std::int64_t>(onGrid));
    };
    for (int i = -neighbours; i <= neighbours; ++i)
        add(wanted + i * step);
    for (int i = -powers; i <= powers; ++i)
        add(std::ldexp(wanted, i));
    std::vector<std::int64_t> sorted(values.begin(), values.end());
    std::ranges::stable_sort(
        sorted, {}, [wanted](std::int64_t value) { return std::abs(static_cast<double>(value) - wanted); });
    std::vector<std::string> texts;
    std::ranges::transform(sorted, std::back_inserter(texts),
                           [](std::int64_t value) { return std::to_string(value); });
    if (range.automatic)
        texts.push_back(std::to_string(*range.automatic));
    return texts;
}

std::vector<std::string> choicesNear(const ProjectKey& key, const std::string& typed) {
    std::vector<std::string> texts;
    for (const Choice& choice : key.choices())
        texts.emplace_back(choice.name);
    std::ranges::stable_sort(texts, {}, [&](const std::string& text) { return editDistance(text, typed); });
    return texts;
}

/// What an automatic block size (0) comes to.
std::int64_t resolvedBlock(const ProjectKey& key, const Project& project) {
    const FlashBlockSizes blocks = resolveFlashBlocks({});
    if (key.member == ProjectMember(&FlashBlockSizes::blockQ))
        return blocks.blockQ;
    if (key.member == ProjectMember(&FlashBlockSizes::blockKv))
        return blocks.blockKv;
    if (key.member == ProjectMember(&FlashBlockSizes::blockKvCompute))
        return nearestKvCompute(project.blockKv > 0 ? project.blockKv : blocks.blockKv,
                                blocks.blockKvCompute);
    return 0;
}

std::optional<double> readNumber(std::string_view text) {
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

/// The number that legal ones should be near to: what was typed, else what the project has.
double wantedNumber(const ProjectKey& key, const std::string& typed, const Project& project) {
    const double number = readNumber(typed).value_or(readNumber(valueText(project, key)).value_or(0));
    return number == 0 ? static_cast<double>(resolvedBlock(key, project)) : number;
}

/// Texts worth trying in place of `typed`, the likeliest first: for numbers the nearest legal ones.
std::vector<std::string> nearValues(const ProjectKey& key, const std::string& typed, const Project& project) {
    if (key.choices != nullptr)
        return choicesNear(key, typed);
    if (std::holds_alternative<bool Project::*>(key.member))
        return {"true", "false"};
    if (std::holds_alternative<Seed Project::*>(key.member))
        return {defaultText(key), seedText({})};
    const double number = wantedNumber(key, typed, project);
    if (const auto* integers = std::get_if<IntegerRange>(&key.range))
        return integersAround(*integers, number);
    if (const auto* reals = std::get_if<RealRange>(&key.range))
        return {fmt::format("{:g}", std::clamp(number, reals->minimum, reals->maximum))};
    return {defaultText(key)};
}

/// The typed number, else the project's, halved so often and put on the grid of the key; an automatic block
/// size counts as what it comes to. Nothing for keys of no integers, and outside their range.
std::optional<std::int64_t> halvedValue(const ProjectKey& key, const std::string& typed,
                                        const Project& project, int times) {
    const auto* range = std::get_if<IntegerRange>(&key.range);
    if (range == nullptr)
        return std::nullopt;
    const double number = std::ldexp(wantedNumber(key, typed, project), -times);
    if (number < static_cast<double>(range->minimum) || number > static_cast<double>(range->maximum))
        return std::nullopt;
    const auto steps = (static_cast<std::int64_t>(number) - range->minimum) / range->step;
    return range->minimum + steps * range->step;
}

constexpr std::size_t fixesOffered = 3;

std::ptrdiff_t errorsIn(const std::vector<Problem>& problems) {
    return std::ranges::count(problems, Severity::Error, &Problem::severity);
}

/// What is tried on another model cannot be judged by the facts of this one.
bool changesModel(const KeyChanges& fix) {
    return std::ranges::any_of(fix, [](const KeyChange& change) {
        const ProjectKey* key = findProjectKey(change.key);
        return key != nullptr && key->form == TextForm::Model;
    });
}

/// Tries changes on copies of the project.
class Trial {
  public:
    Trial(const Problem& problem, const EditedProject& edited, const ModelFacts* model)
        : m_problem(problem), m_project(edited.project), m_model(model) {
        if (m_problem.key != "prompt" && m_project.prompt.empty())
            m_project.prompt = "-";  // one error less to hide what the model has to say
        const std::vector<Problem> problems = check(m_project, m_model, 1);
        m_errors = errorsIn(problems);
        m_inProject = hasFault(problems, m_problem);
        m_canTell = m_inProject || hasFault(edited.problems, m_problem);
    }

    /// Whether the problem comes from the project and its model, and not from the machine or an adapter.
    [[nodiscard]] bool canTell() const { return m_canTell; }

    [[nodiscard]] bool ends(const KeyChanges& fix) const {
        if (changesModel(fix))
            return true;
        Project changed = m_project;
        for (const KeyChange& change : fix)
            if (trySetFromText(changed, *findProjectKey(change.key), change.value))
                return false;
        const std::vector<Problem> left = check(changed, m_model, 1);
        const bool fewer = m_inProject && m_problem.severity == Severity::Error;
        return !hasFault(left, m_problem) && errorsIn(left) <= m_errors - (fewer ? 1 : 0);
    }

  private:
    const Problem& m_problem;
    Project m_project;
    const ModelFacts* m_model;
    std::ptrdiff_t m_errors = 0;
    bool m_canTell = false;
    bool m_inProject = false;  ///< otherwise a text was refused, and the project never had it
};

/// What only bounds what others ask for, and is raised last.
bool isLimit(const ProjectKey& key) {
    return key.member == ProjectMember(&FlashBlockSizes::vmemLimitBytes);
}

using Keys = std::vector<const ProjectKey*>;

/// A text is a person's to write, unless it is one of some; so is a list of adapters.
bool isWritten(const ProjectKey& key) {
    return key.choices == nullptr && (isText(key) || isListOfMaps(key));
}

/// The key to blame, then those that take part; of each kind those first that the project sets, limits last.
Keys keysToTurn(const Problem& problem, const EditedProject& edited) {
    Keys keys;
    const auto add = [&keys](std::string_view name) {
        if (const ProjectKey* key = findProjectKey(name); key != nullptr && !isWritten(*key))
            keys.push_back(key);
    };
    add(problem.key);
    std::ranges::for_each(problem.involved, add);
    std::ranges::stable_sort(keys, {}, [&](const ProjectKey* key) {
        return std::tuple(isLimit(*key), key->name != problem.key, edited.isDefault(*key));
    });
    return keys;
}

/// Looks for the changes that end a problem.
class FixSearch {
  public:
    FixSearch(const Trial& trial, const EditedProject& edited) : m_trial(trial), m_edited(edited) {}

    /// A fix that the problem brings along; whether it was taken.
    bool offer(const KeyChanges& fix) { return !fix.empty() && add(fix); }

    /// Adds the nearest legal values of one key, at most so many.
    void turn(const ProjectKey& key, std::size_t most) {
        const std::string now = m_edited.text(key);
        const std::size_t all = std::min(fixesOffered, m_found.size() + most);
        for (const std::string& text : nearValues(key, now, m_edited.project)) {
            if (m_found.size() >= all)
                return;
            if (text != now)
                add({{std::string(key.name), text}});
        }
    }

    /// Several numbers, each halved as often as it takes: two of them, or else all.
    void halveTogether(const Keys& keys) {
        for (std::size_t first = 0; first < keys.size(); ++first)
            for (std::size_t second = first + 1; second < keys.size(); ++second)
                halve({keys[first], keys[second]});
        if (m_found.empty() && keys.size() > 2)
            halve(keys);
    }

    [[nodiscard]] bool foundNothing() const { return m_found.empty(); }
    [[nodiscard]] std::vector<KeyChanges> take() { return std::move(m_found); }

  private:
    bool add(KeyChanges fix) {
        const bool ends = m_found.size() < fixesOffered && std::ranges::find(m_found, fix) == m_found.end() &&
                          m_trial.ends(fix);
        if (ends)
            m_found.push_back(std::move(fix));
        return ends;
    }

    void halve(const Keys& keys) {
        constexpr int most = 12;  // halvings
        for (int times = 1; times <= most; ++times) {
            KeyChanges fix;
            for (const ProjectKey* key : keys) {
                const auto number = halvedValue(*key, m_edited.text(*key), m_edited.project, times);
                if (!number)
                    return;
                fix.push_back({std::string(key->name), std::to_string(*number)});
            }
            if (add(std::move(fix)))
                return;
        }
    }

    const Trial& m_trial;
    const EditedProject& m_edited;
    std::vector<KeyChanges> m_found;
};

/// Returns the problem's own fixes, when they cannot be tried.
std::vector<KeyChanges> broughtFixes(const Problem& problem) {
    std::vector<KeyChanges> fixes;
    for (const Fix& fix : problem.fixes)
        if (!fix.changes.empty() && fixes.size() < fixesOffered)
            fixes.push_back(fix.changes);
    return fixes;
}

}  // namespace

std::string EditedProject::text(const ProjectKey& key) const {
    const auto found = refused.find(&key);
    return found != refused.end() ? found->second : valueText(project, key);
}

bool EditedProject::isDefault(const ProjectKey& key) const {
    return !refused.contains(&key) && meshreel::isDefault(project, key);
}

EditedProject editedProject(const LoadedProject& loaded) {
    return {.project = loaded.project, .refused = refusedTexts(loaded), .problems = loaded.problems};
}

std::string commandLineText(const KeyChanges& changes) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./,:=+";
    std::string text;
    for (const KeyChange& change : changes) {
        std::string setting = change.key + "=" + change.value;
        if (setting.find_first_not_of(plain) != std::string::npos) {
            for (std::size_t at = setting.find('\''); at != std::string::npos;
                 at = setting.find('\'', at + 4))
                setting.replace(at, 1, "'\\''");
            setting = "'" + setting + "'";
        }
        text += (text.empty() ? "--set " : " --set ") + setting;
    }
    return text;
}

std::vector<KeyChanges> findFixes(const Problem& problem, const EditedProject& edited,
                                  const ModelFacts* model) {
    const Trial trial(problem, edited, model);
    if (!trial.canTell())
        return broughtFixes(problem);
    FixSearch search(trial, edited);
    bool brought = false;
    for (const Fix& fix : problem.fixes)
        brought = search.offer(fix.changes) || brought;
    Keys keys = keysToTurn(problem, edited);
    const auto limits = std::ranges::find_if(keys, [](const ProjectKey* key) { return isLimit(*key); });
    const Keys last(limits, keys.end());
    keys.erase(limits, keys.end());
    for (const ProjectKey* key : keys)
        if (key->name != problem.key)
            search.turn(*key, 1);
        else if (!brought)
            search.turn(*key, fixesOffered - 1);
    if (search.foundNothing())
        search.halveTogether(keys);
    for (const ProjectKey* key : last)
        search.turn(*key, 1);
    return search.take();
}

std::vector<ListedProblem> withFixes(std::span<const Problem> problems, const EditedProject& edited,
                                     const ModelFacts* model) {
    std::vector<ListedProblem> listed = withoutFixes(problems);
    for (std::size_t index = 0; index < problems.size(); ++index)
        listed[index].fixes = findFixes(problems[index], edited, model);
    return listed;
}

std::vector<ListedProblem> withoutFixes(std::span<const Problem> problems) {
    std::vector<ListedProblem> listed;
    for (const Problem& problem : problems)
        listed.push_back({.id = std::string(problem.id.name()),
                          .severity = problem.severity,
                          .key = problem.key,
                          .line = problem.place.line,
                          .text = problem.asSentence()});
    return listed;
}

}  // namespace meshreel
