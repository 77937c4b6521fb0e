// SPDX-License-Identifier: GPL-3.0-or-later
// ptx-trial [--small]: lists questions. ptx-trial [--small] QUESTION: asks a card of NVIDIA, and prints the
// answer as a line of JSON. A question a process: what a kernel breaks, the next question does not see.
// tools/gpu-trial --ptx asks all of them.
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "tools/ptx-trial/trial_fact.h"

namespace meshreel {
namespace {

FactJson answer(const TrialFact& fact) {
    try {
        if (!fact.ask)
            return fact.askWithout();
        return fact.ask(CudaGpu(std::make_shared<const CudaLibrary>(), 0));
    } catch (const Error& error) {
        return {{"ok", false}, {"why", error.what()}};
    }
}

int runTrial(const std::vector<std::string_view>& words) {
    bool small = false;
    std::string_view question;
    for (const std::string_view word : words)
        if (word == "--small")
            small = true;
        else
            question = word;
    std::vector<TrialFact> facts = driverFacts();
    for (std::vector<TrialFact> more : {vulkanFacts(), kernelFacts(small)})
        for (TrialFact& fact : more)
            facts.push_back(std::move(fact));
    for (const TrialFact& fact : facts) {
        if (question.empty())
            std::puts(fact.name.c_str());
        if (fact.name != question)
            continue;
        FactJson line{{"fact", fact.name}};
        line.update(answer(fact));
        std::puts(line.dump().c_str());
        return 0;
    }
    if (question.empty())
        return 0;
    std::fputs("ptx-trial: there is no such question; without one, it lists them\n", stderr);
    return exitCode(ErrorKind::Project);
}

}  // namespace
}  // namespace meshreel

int main(int argc, char** argv) try {
    return meshreel::runTrial({argv + 1, argv + argc});
} catch (const std::exception& error) {
    std::fprintf(stderr, "ptx-trial: %s\n", error.what());
    return 1;
}
