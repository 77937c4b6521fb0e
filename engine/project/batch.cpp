// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/batch.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <variant>

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

std::vector<Seed> seedsOf(const Project& project) {
    const auto read = parseSeeds(project.batchSeeds);
    const auto* seeds = std::get_if<std::vector<Seed>>(&read);
    return seeds == nullptr || seeds->empty() ? std::vector{project.seed} : *seeds;
}

}  // namespace

std::vector<BatchItem> batchItems(const Project& project) {
    std::vector<std::string> prompts = promptLines(project.batchPrompts);
    if (prompts.empty())
        prompts.push_back(project.prompt);
    std::vector<BatchItem> items;
    for (const std::string& prompt : prompts)
        for (const Seed& seed : seedsOf(project))
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

Project withDrawnSeeds(Project project) {
    const auto draw = [](Seed& seed) {
        if (!seed)
            seed = drawSeed();
    };
    draw(project.seed);
    auto read = parseSeeds(project.batchSeeds);
    auto* seeds = std::get_if<std::vector<Seed>>(&read);
    if (seeds != nullptr && std::ranges::find(*seeds, Seed()) != seeds->end()) {
        std::ranges::for_each(*seeds, draw);
        project.batchSeeds = seedsText(*seeds);
    }
    return project;
}

std::vector<ProjectProblem> batchProblems(const Project& project) {
    std::vector<ProjectProblem> problems;
    const auto read = parseSeeds(project.batchSeeds);
    if (const auto* problem = std::get_if<NumberProblem>(&read))
        problems.push_back({.key = "batch_seeds",
                            .message = sentence("{}: {}", "batch_seeds", problem->message),
                            .hint = problem->hint});
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
