// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/charts/test_classes.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <vector>

namespace meshreel::testing {

namespace {

std::vector<const TestClass*>& testClasses() {
    static std::vector<const TestClass*> classes;
    return classes;
}

std::string nameOf(const char* file) {
    constexpr std::string_view ending = "_test";
    const std::string stem = std::filesystem::path(file).stem().string();
    return stem.ends_with(ending) ? stem.substr(0, stem.size() - ending.size()) : stem;
}

}  // namespace

TestClass::TestClass(const char* file, Run runner) : m_name(nameOf(file)), m_file(file), m_run(runner) {
    testClasses().push_back(this);
}

}  // namespace meshreel::testing

int main(int count, char** arguments) {
    using meshreel::testing::TestClass;
    const std::vector<const TestClass*>& classes = meshreel::testing::testClasses();
    const std::string wanted = count > 1 ? arguments[1] : "";
    const auto found = std::ranges::find(classes, wanted, &TestClass::name);
    if (found == classes.end()) {
        std::fprintf(stderr, "usage: %s CLASS [QtTest's arguments]\nCLASS is one of:\n", arguments[0]);
        for (const TestClass* one : classes)
            std::fprintf(stderr, "  %s\n", one->name().c_str());
        return 2;
    }
    arguments[1] = arguments[0];
    return (*found)->run(count - 1, arguments + 1);
}
