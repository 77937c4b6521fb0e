// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QCommandLineParser>

#include "ui/theme/appearance.h"
#include "ui/window/application.h"
#include "ui/window/main_window.h"
#include "ui/window/tour.h"

int main(int argc, char* argv[]) {
    QApplication application(argc, argv);
    meshreel::setUpApplication(application);
    meshreel::applyAppearance();

    QCommandLineParser parser;
    parser.setApplicationDescription(QCoreApplication::translate("main", "Studio for Wan video generation."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(
        QStringLiteral("path"),
        QCoreApplication::translate("main", "Project file, run folder or video to open."),
        QStringLiteral("[PROJECT|RUN|VIDEO]"));
    parser.process(application);

    meshreel::MainWindow window;
    window.show();
    const QStringList paths = parser.positionalArguments();
    if (!paths.isEmpty())
        window.openPath(paths.constFirst());
    else if (!meshreel::Tour::wasSeen())
        window.startTour();
    return QApplication::exec();
}
