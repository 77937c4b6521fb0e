// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/batch.h"

#include <sstream>
#include <string_view>
#include <variant>

#include "engine/project/number_list.h"

namespace meshreel {
namespace {

constexpr std::size_t mostVideos = 1000;
constexpr std::string_view promptBlanks = " \t\r";

std::vector<std::string> promptLines(const std::string& text) {
    std::vector<std::string> prompts;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find_first_not_of(promptBlanks);
        if (first != std::string::npos)
            prompts.push_back(line.substr(first, line.find_last_not_of(promptBlanks) + 1 - first));
    }
    return prompts;
}

bool isSeed(double number) {
    constexpr double exactlyHeld = 9007199254740992.0;  // 2^53: whole numbers up to it survive a double
    return number >= 0 && number <= exactlyHeld &&
           number == static_cast<double>(static_cast<std::int64_t>(number));
}

std::vector<std::int64_t> seedsOf(const Project& project) {
    const auto read = parseNumbers(project.batchSeeds);
    const auto* numbers = std::get_if<std::vector<double>>(&read);
    if (numbers == nullptr || numbers->empty())
        return {project.seed};
    std::vector<std::int64_t> seeds;
    for (const double number : *numbers)
        seeds.push_back(isSeed(number) ? static_cast<std::int64_t>(number) : 0);
    return seeds;
}

}  // namespace

std::vector<BatchItem> batchItems(const Project& project) {
    std::vector<std::string> prompts = promptLines(project.batchPrompts);
    if (prompts.empty())
        prompts.push_back(project.prompt);
    std::vector<BatchItem> items;
    for (const std::string& prompt : prompts)
        for (const std::int64_t seed : seedsOf(project))
            items.push_back({.prompt = prompt, .seed = seed});
    return items;
}

Project projectOf(const Project& batch, const BatchItem& item) {
    Project project = batch;
    project.prompt = item.prompt;
    project.seed = item.seed;
    project.batchPrompts.clear();
    project.batchSeeds.clear();
    return project;
}

std::vector<ProjectProblem> batchProblems(const Project& project) {
    std::vector<ProjectProblem> problems;
    const auto read = parseNumbers(project.batchSeeds);
    if (const auto* problem = std::get_if<NumberProblem>(&read))
        problems.push_back({.key = "batch_seeds",
                            .message = sentence("{}: {}", "batch_seeds", problem->message),
                            .hint = problem->hint});
    else
        for (const double number : std::get<std::vector<double>>(read))
            if (!isSeed(number))
                problems.push_back({.key = "batch_seeds",
                                    .message = sentence("{} holds {}", "batch_seeds", number),
                                    .hint = sentence("Write whole numbers from 0 on")});
    if (!problems.empty())
        return problems;
    const std::size_t videos = batchItems(project).size();
    if (videos > mostVideos)
        problems.push_back({.key = "batch_prompts",
                            .message = sentence("the batch is of {} videos", videos),
                            .hint = sentence("Make {} at most in one run", mostVideos)});
    if (videos > 1 && project.useFirstBlockCache)
        problems.push_back(
            {.key = "use_first_block_cache",
             .message = sentence("the first-block cache decides for one video, and the batch has several"),
             .hint = sentence("Write false, or make one video in a run")});
    return problems;
}

}  // namespace meshreel
