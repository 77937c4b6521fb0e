// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QCommandLineParser>
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/standard_streams.h"
#include "ui/theme/appearance.h"
#include "ui/window/application.h"
#include "ui/window/main_window.h"
#include "ui/window/tour.h"

namespace {

/// What Qt said while it looked for a display. It ends the program when it finds none, so this is global.
QString firstWarning;

/// Ends the program with one sentence where Qt would abort it.
void sayThatThereIsNoDisplay(QtMsgType type, const QMessageLogContext& /*place*/, const QString& text) {
    if (type != QtFatalMsg) {
        if (firstWarning.isEmpty())
            firstWarning = text;
        return;
    }
    const QString reason = firstWarning.isEmpty() ? text.section(QLatin1Char('\n'), 0, 0) : firstWarning;
    std::fprintf(
        stderr,
        "meshreel-studio: no window can be opened (%s). Set DISPLAY or WAYLAND_DISPLAY, or use the runner, "
        "which needs no display: meshreel run PROJECT\n",
        qPrintable(reason.trimmed()));
    std::_Exit(meshreel::exitCode(meshreel::ErrorKind::Device));
}

constexpr QLatin1String runQueueOption("run-queue");

void declareCommandLine(QCommandLineParser& parser) {
    parser.setApplicationDescription(QCoreApplication::translate("main", "Studio for Wan video generation."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addOption({runQueueOption, QCoreApplication::translate(
                                          "main", "Go on at once with the runs that wait in the queue.")});
    parser.addPositionalArgument(
        QStringLiteral("path"),
        QCoreApplication::translate("main", "Project file, run folder or video to open."),
        QStringLiteral("[PROJECT|RUN|VIDEO]"));
}

/// What is printed needs no display; a program for windows would ask for one first.
void answerWithoutDisplay(int argc, char** argv) {
    if (std::none_of(argv + 1, argv + argc, [](const char* word) { return *word == '-'; }))
        return;
    QCoreApplication application(argc, argv);
    meshreel::setUpApplication(application);
    QCommandLineParser parser;
    declareCommandLine(parser);
    if (parser.parse(QCoreApplication::arguments()) &&
        (parser.isSet(QStringLiteral("help")) || parser.isSet(QStringLiteral("version"))))
        parser.process(application);  // prints, and ends the program
}

}  // namespace

int main(int argc, char* argv[]) {
    meshreel::fillStandardStreams();
    try {
        meshreel::requireStack();
    } catch (const meshreel::Error& failure) {
        std::fprintf(stderr, "meshreel-studio: %s\n", failure.what());
        return meshreel::exitCode(failure.kind());
    }
    answerWithoutDisplay(argc, argv);
    const QtMessageHandler usual = qInstallMessageHandler(sayThatThereIsNoDisplay);
    QApplication application(argc, argv);
    qInstallMessageHandler(usual);
    if (!firstWarning.isEmpty())
        qWarning("%s", qPrintable(firstWarning));
    meshreel::setUpApplication(application);
    meshreel::applyAppearance();

    QCommandLineParser parser;
    declareCommandLine(parser);
    parser.process(application);

    meshreel::MainWindow window;
    window.show();
    const QStringList paths = parser.positionalArguments();
    if (parser.isSet(runQueueOption))
        window.runQueue();
    if (paths.isEmpty())
        window.goOnWithLastSession();  // else it waits until the Studio is started without a path
    if (!paths.isEmpty())
        window.openPath(paths.constFirst());
    else if (!meshreel::Tour::wasSeen() && !parser.isSet(runQueueOption))
        window.startFirstTour();
    return QApplication::exec();
}
