// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/cures.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/attention/flash_blocks.h"
#include "engine/base/strings.h"
#include "engine/planning/project_check.h"
#include "engine/project/project_keys.h"
#include "ui/models/key_texts.h"
#include "ui/models/project_document.h"

namespace meshreel {

namespace {

constexpr std::size_t curesOffered = 3;
constexpr const char* examplePrompt = "a red ball moving right on a black background";

struct Cures {
    Q_DECLARE_TR_FUNCTIONS(meshreel::Cures)
};

bool holds(const std::vector<ProjectProblem>& problems, const ProjectProblem& problem) {
    return std::ranges::any_of(problems, [&](const ProjectProblem& known) {
        return known.key == problem.key && known.message == problem.message;
    });
}

std::vector<ProjectProblem> problemsOf(const Project& project, const ModelFacts* model) {
    std::vector<ProjectProblem> problems = validate(project);
    if (model != nullptr && !hasErrors(problems))
        std::ranges::move(modelProblems(project, *model, 1), std::back_inserter(problems));
    return problems;
}

std::ptrdiff_t errorsIn(const std::vector<ProjectProblem>& problems) {
    return std::ranges::count(problems, Severity::Error, &ProjectProblem::severity);
}

/// Tries changes on copies of the project.
class Trial {
  public:
    Trial(const ProjectProblem& problem, const ProjectDocument& document, const ModelFacts* model)
        : m_problem(problem), m_project(document.project()), m_model(model) {
        if (m_problem.key != "prompt" && m_project.prompt.empty())
            m_project.prompt = "-";  // one error less to hide what the model has to say
        const std::vector<ProjectProblem> problems = problemsOf(m_project, m_model);
        m_errors = errorsIn(problems);
        m_inProject = holds(problems, m_problem);
        m_canTell = m_inProject || holds(document.problems(), m_problem);
    }

    /// Whether the problem comes from the project and its model, and not from the machine or an adapter.
    [[nodiscard]] bool canTell() const { return m_canTell; }

    [[nodiscard]] bool ends(const ProjectKey& key, const std::string& text) const {
        Project changed = m_project;
        if (trySetFromText(changed, key, text))
            return false;
        const std::vector<ProjectProblem> left = problemsOf(changed, m_model);
        const bool fewer = m_inProject && m_problem.severity == Severity::Error;
        return !holds(left, m_problem) && errorsIn(left) <= m_errors - (fewer ? 1 : 0);
    }

  private:
    const ProjectProblem& m_problem;
    Project m_project;
    const ModelFacts* m_model;
    std::ptrdiff_t m_errors = 0;
    bool m_canTell = false;
    bool m_inProject = false;  ///< otherwise a text was refused, and the project never had it
};

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
    if (key.member == ProjectMember(&Project::blockQ))
        return blocks.blockQ;
    if (key.member == ProjectMember(&Project::blockKv))
        return blocks.blockKv;
    if (key.member == ProjectMember(&Project::blockKvCompute))
        return nearestKvCompute(project.blockKv > 0 ? project.blockKv : blocks.blockKv,
                                blocks.blockKvCompute);
    return 0;
}

/// The number that legal ones should be near to: what was typed, else what the project has.
double wantedNumber(const ProjectKey& key, const std::string& typed, const Project& project) {
    bool readable = false;
    double number = QString::fromStdString(typed).toDouble(&readable);
    if (!readable)
        number = QString::fromStdString(valueText(project, key)).toDouble();
    return number == 0 ? static_cast<double>(resolvedBlock(key, project)) : number;
}

/// Texts worth trying in place of `typed`, the likeliest first.
std::vector<std::string> candidates(const ProjectKey& key, const std::string& typed, const Project& project) {
    if (key.choices != nullptr)
        return choicesNear(key, typed);
    if (std::holds_alternative<bool Project::*>(key.member))
        return {"true", "false"};
    const double number = wantedNumber(key, typed, project);
    if (const auto* integers = std::get_if<IntegerRange>(&key.range))
        return integersAround(*integers, number);
    if (const auto* reals = std::get_if<RealRange>(&key.range))
        return {QString::number(std::clamp(number, reals->minimum, reals->maximum)).toStdString()};
    return {key.name == "prompt" ? examplePrompt : defaultText(key)};
}

bool isWordPart(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Whether the text names the key, in full or by its last part. Names that are plain words, as "devices",
/// have to be followed by a colon.
bool names(const std::string& text, const ProjectKey& key) {
    std::string name(key.name.substr(key.name.rfind('.') + 1));
    if (name.find('_') == std::string::npos)
        name += ':';
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !isWordPart(text[at - 1])) && (end == text.size() || !isWordPart(text[end])))
            return true;
    }
    return false;
}

/// The key to blame, then those that the problem names. A text is a person's to write; a prompt may be tried.
std::vector<const ProjectKey*> keysToTurn(const ProjectProblem& problem) {
    std::vector<const ProjectKey*> keys;
    if (const ProjectKey* blamed = findProjectKey(problem.key))
        keys.push_back(blamed);
    for (const ProjectKey& key : projectKeys())
        if (names(problem.message.text() + " " + problem.hint.text(), key) && !std::ranges::count(keys, &key))
            keys.push_back(&key);
    std::erase_if(keys, [](const ProjectKey* key) {
        return key->choices == nullptr && std::holds_alternative<std::string Project::*>(key->member) &&
               key->name != "prompt";
    });
    return keys;
}

}  // namespace

QString cureLabel(const Cure& cure) {
    return Cures::tr("Set %1 to %2", "title of a setting, value").arg(engineText(cure.key->title), cure.text);
}

std::vector<Cure> curesOf(const ProjectProblem& problem, const ProjectDocument& document,
                          const ModelFacts* model) {
    std::vector<Cure> cures;
    for (const KeyChange& change : problem.changes)
        if (cures.size() < curesOffered)
            cures.push_back({findProjectKey(change.key), QString::fromStdString(change.value)});
    if (!cures.empty())
        return cures;
    const Trial trial(problem, document, model);
    if (!trial.canTell())
        return cures;
    const std::vector<const ProjectKey*> keys = keysToTurn(problem);
    for (const ProjectKey* key : keys) {
        const std::string now = document.text(*key).toStdString();
        const std::size_t ofOneKey = key == keys.front() ? curesOffered - 1 : 1;
        std::size_t found = 0;
        for (const std::string& text : candidates(*key, now, document.project())) {
            if (found == ofOneKey || cures.size() == curesOffered)
                break;
            if (text == now || !trial.ends(*key, text))
                continue;
            cures.push_back({key, QString::fromStdString(text)});
            ++found;
        }
    }
    return cures;
}

std::vector<ProjectProblem> joined(std::vector<ProjectProblem> known,
                                   const std::vector<ProjectProblem>& more) {
    for (const ProjectProblem& problem : more)
        if (problem.key != "prompt" && !holds(known, problem))
            known.push_back(problem);
    return known;
}

std::vector<Diagnosis> diagnose(const ProjectDocument& document, const std::vector<ProjectProblem>& more,
                                const ModelFacts* model) {
    std::vector<ProjectProblem> problems = joined(document.problems(), more);
    putErrorsFirst(problems);
    std::vector<Diagnosis> diagnoses;
    for (ProjectProblem& problem : problems) {
        std::vector<Cure> cures = curesOf(problem, document, model);
        diagnoses.push_back({std::move(problem), std::move(cures)});
    }
    return diagnoses;
}

}  // namespace meshreel
