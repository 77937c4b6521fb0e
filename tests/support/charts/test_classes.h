// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QTest>
#include <string>

namespace meshreel::testing {

/// A class of QtTest's in a program of several, which runs the one that its first argument names: that in
/// keyboard_test.cpp is "keyboard".
class TestClass {
  public:
    /// Makes an application, runs the tests, and returns what main() is to.
    using Run = int (*)(int count, char** arguments, const char* file);

    /// `file` is the source of the class. To be made before main() begins.
    TestClass(const char* file, Run runner);

    [[nodiscard]] const std::string& name() const { return m_name; }
    int run(int count, char** arguments) const { return m_run(count, arguments, m_file); }

  private:
    std::string m_name;
    const char* m_file;
    Run m_run;
};

/// As QTEST_MAIN() and QTEST_GUILESS_MAIN() do it.
template <typename Tests, typename Application>
int runTests(int count, char** arguments, const char* file) {
    QTest::Internal::callInitMain<Tests>();
    Application application(count, arguments);
    application.setAttribute(Qt::AA_Use96Dpi, true);
    Tests tests;
    QTest::setMainSourcePath(file);
    return QTest::qExec(&tests, count, arguments);
}

}  // namespace meshreel::testing

/// At the end of the source of a class, in place of QTEST_MAIN().
#define MESHREEL_TEST_CLASS(Tests)                               \
    static const meshreel::testing::TestClass registered##Tests( \
        __FILE__, meshreel::testing::runTests<Tests, QApplication>);

/// In place of QTEST_GUILESS_MAIN().
#define MESHREEL_TEST_CLASS_WITHOUT_WINDOWS(Tests)               \
    static const meshreel::testing::TestClass registered##Tests( \
        __FILE__, meshreel::testing::runTests<Tests, QCoreApplication>);
