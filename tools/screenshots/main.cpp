// SPDX-License-Identifier: GPL-3.0-or-later
// studio_screenshots PROJECT SWEEP FOLDER [Qt's options, such as -reverse]: every page of the Studio as a
// picture, light and dark, filled and (studio-empty-…) as it begins. tools/screenshots/make prepares the runs
// that the pages show.
#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFile>
#include <algorithm>
#include <cstdio>
#include <functional>

#include "engine/project/project_keys.h"
#include "engine/runs/run_history.h"
#include "ui/application.h"
#include "ui/compare/compare_panel.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/mesh/mesh_view.h"
#include "ui/models/project_document.h"
#include "ui/player/player_widget.h"
#include "ui/sweep/sweep_panel.h"
#include "ui/theme/appearance.h"
#include "ui/tune/tune_form.h"
#include "ui/tune/tune_panel.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"
#include "ui/window/results_view.h"
#include "ui/window/run_presenter.h"

namespace {

using namespace meshreel;

constexpr QSize usualSize{1280, 800};
constexpr QSize largeSize{2560, 1440};
constexpr int settleMilliseconds = 1500;  ///< for plans, lists and videos to arrive from other threads

struct Page {
    const char* picture;
    const char* upper;  ///< panel in front above
    const char* lower;  ///< and below
};

constexpr Page pages[]{{"result", "result", "chart"},          {"mesh", "mesh", "problems"},
                       {"attention", "attention", "problems"}, {"noise", "noise", "problems"},
                       {"text", "text", "problems"},           {"runs", "runs", "queue"},
                       {"compare", "compare", "summary"},      {"activity", "model", "activity"},
                       {"tune", "tune", "problems"},           {"sweep", "sweep", "problems"},
                       {"models", "models", "problems"},       {"reference", "reference", "problems"},
                       {"prompts", "prompts", "problems"},     {"devices", "mesh", "devices"}};

void settle() {
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < settleMilliseconds)
        QApplication::processEvents(QEventLoop::AllEvents, settleMilliseconds);
}

void show(MainWindow& window, const char* panel) {
    window.docks().showPanel(window.docks().findChild<QDockWidget*>(QLatin1String(panel))->widget());
}

bool save(MainWindow& window, const QString& file) {
    settle();
    if (window.grab().save(file))
        return true;
    std::fprintf(stderr, "%s cannot be written\n", qPrintable(file));
    return false;
}

/// A frame in which something has happened already.
void pauseLate(MainWindow& window) {
    settle();
    Playback& playback = window.panels().results().player().playback();
    playback.pause();
    playback.seek(playback.length() * 3 / 4);
}

/// The newest run in the result, all of them compared, a device of the mesh chosen in mid-attention.
void fill(MainWindow& window) {
    const std::vector<RunSummary> runs = listRuns(runsFolder());
    std::vector<std::filesystem::path> folders;
    for (const RunSummary& run : runs)
        folders.push_back(run.folder);
    if (!folders.empty())
        window.openPath(QString::fromStdString(folders.back().string()));
    pauseLate(window);
    window.panels().compare().compare(folders);
    constexpr int rotation = 3;
    constexpr int device = 2;
    window.panels().mesh().goToStep(rotation);
    window.panels().mesh().view().chooseDevice(device);
}

/// Waits until the study, which was just begun, has ended.
template <typename Study>
void finish(const Study& study) {
    while (study.isBusy())
        QApplication::processEvents(QEventLoop::WaitForMoreEvents);  // its CPU is the engine's meanwhile
}

/// Block sizes that were searched, for a video that has some of them, and a sweep that was run.
void study(MainWindow& window, const QString& sweep) {
    window.document().setTexts({}, {{findProjectKey("height"), QStringLiteral("256")},
                                    {findProjectKey("width"), QStringLiteral("256")}});
    window.panels().tune().form().setOptions(
        {.mode = TileGridMode::Full, .step = 128, .timing = {.iterations = 3, .warmUp = 1}});
    window.panels().tune().start();
    finish(window.panels().tune().tuner());
    window.document().undoStack().undo();
    window.panels().sweep().open(sweep.toStdString());
    settle();
    window.panels().sweep().start();
    finish(window.panels().sweep().runner());
}

/// The project's run, as if it had just ended here.
void run(MainWindow& window) {
    window.runs().generate(window.document().runnableProject());
    finish(window.runs());
    pauseLate(window);
    window.banner().hide();
}

/// Every panel before there is anything. False when a picture cannot be written.
bool takeEmptyPictures(MainWindow& window, const std::function<QString(const QString&)>& file) {
    const QList<QDockWidget*> docks = window.docks().findChildren<QDockWidget*>();
    return std::ranges::all_of(docks, [&](const QDockWidget* dock) {
        window.docks().showPanel(dock->widget());
        return save(window, file(QStringLiteral("empty-") + dock->objectName()));
    });
}

/// Every page of one window. False when a picture cannot be written.
bool takePictures(const QString& project, const QString& sweep, const QString& folder, Appearance appearance,
                  QSize size) {
    const QString name = appearance == Appearance::Light ? QStringLiteral("light") : QStringLiteral("dark");
    const auto file = [&](const QString& page) {
        return QStringLiteral("%1/studio-%2-%3%4.png")
            .arg(folder, page, name, size == usualSize ? QString() : QStringLiteral("-large"));
    };
    chooseAppearance(appearance);
    MainWindow window;
    window.resize(size);
    window.show();
    if (!save(window, file(QStringLiteral("start"))) ||
        (size == usualSize && !takeEmptyPictures(window, file)))
        return false;
    window.openPath(project);
    fill(window);
    study(window, sweep);
    run(window);
    return std::ranges::all_of(pages, [&](const Page& page) {
        show(window, page.upper);
        show(window, page.lower);
        return save(window, file(QLatin1String(page.picture)));
    });
}

}  // namespace

int main(int argc, char* argv[]) {
    constexpr int arguments = 4;
    QApplication application(argc, argv);  // takes its own options away
    if (argc != arguments) {
        std::fprintf(stderr, "Usage: studio_screenshots PROJECT SWEEP FOLDER\n");
        return 2;
    }
    setUpApplication(application);
    for (const Appearance appearance : {Appearance::Light, Appearance::Dark})
        for (const QSize size : {usualSize, largeSize})
            if (!takePictures(QFile::decodeName(argv[1]), QFile::decodeName(argv[2]),
                              QFile::decodeName(argv[3]), appearance, size))
                return 1;
    return 0;
}
