// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/number_list.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace meshreel {
namespace {

constexpr char separator = ',';
constexpr double timestepsInAll = 1000;
constexpr double mostControl = 100;

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

ProjectProblem problemAt(std::string_view key, Sentence message, Sentence hint) {
    return {.key = std::string(key), .message = std::move(message), .hint = std::move(hint)};
}

/// Numbers of a key, each accepted by `isLegal`; reports at the key.
std::vector<double> checkedNumbers(std::string_view key, const std::string& text,
                                   const std::function<bool(double)>& isLegal, const Sentence& hint,
                                   std::vector<ProjectProblem>& problems) {
    auto read = parseNumbers(text);
    if (auto* problem = std::get_if<NumberProblem>(&read)) {
        problems.push_back(problemAt(key, sentence("{}: {}", key, problem->message), problem->hint));
        return {};
    }
    std::vector<double> numbers = std::get<std::vector<double>>(std::move(read));
    for (const double number : numbers)
        if (!isLegal(number))
            problems.push_back(problemAt(key, sentence("{} holds {}", key, number), hint));
    return numbers;
}

/// Noise levels: descending, above 0 and up to `most`.
void checkLevels(std::string_view key, const std::string& text, double most,
                 std::vector<ProjectProblem>& problems) {
    const std::vector<double> levels = checkedNumbers(
        key, text, [most](double level) { return level > 0 && level <= most; },
        sentence("Write numbers above 0, up to {}", most), problems);
    if (std::ranges::adjacent_find(levels, std::less_equal<>()) != levels.end())
        problems.push_back(
            problemAt(key, sentence("{} do not descend", key), sentence("Write each once, largest first")));
}

}  // namespace

std::variant<std::vector<double>, NumberProblem> parseNumbers(std::string_view text) {
    std::vector<double> numbers;
    if (trimmed(text).empty())
        return numbers;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        auto number = parseReal(trimmed(text.substr(begin, end - begin)));
        if (auto* problem = std::get_if<NumberProblem>(&number))
            return NumberProblem{problem->message, sentence("Write numbers separated by commas")};
        numbers.push_back(std::get<double>(number));
        begin = end + 1;
    }
    return numbers;
}

std::vector<double> givenSigmas(const Project& project) {
    const bool asTimesteps = project.sigmas.empty();
    auto read = parseNumbers(asTimesteps ? project.timesteps : project.sigmas);
    if (std::holds_alternative<NumberProblem>(read))
        return {};
    std::vector<double> sigmas = std::get<std::vector<double>>(std::move(read));
    if (asTimesteps)
        for (double& sigma : sigmas)
            sigma /= timestepsInAll;
    return sigmas;
}

std::vector<ProjectProblem> numberListProblems(const Project& project) {
    std::vector<ProjectProblem> problems;
    checkLevels("sigmas", project.sigmas, 1, problems);
    checkLevels("timesteps", project.timesteps, timestepsInAll, problems);
    if (!project.sigmas.empty() && !project.timesteps.empty())
        problems.push_back(problemAt("timesteps", sentence("{} and {} are both given", "sigmas", "timesteps"),
                                     sentence("Remove one of them")));
    const std::vector<double> scales = checkedNumbers(
        "conditioning_scale", project.conditioningScale,
        [](double scale) { return scale >= 0 && scale <= mostControl; },
        sentence("Write numbers from 0 to 100"), problems);
    if (scales.empty() && problems.empty())
        problems.push_back(problemAt("conditioning_scale", sentence("conditioning_scale is empty"),
                                     sentence("Write {}", 1)));
    return problems;
}

}  // namespace meshreel
