// SPDX-License-Identifier: GPL-3.0-or-later
// studio_screenshots PROJECT SWEEP FOLDER [Qt's options, such as -reverse]: every page of the Studio as a
// picture, light and dark, filled and (studio-empty-…) as it begins. tools/screenshots/make prepares the runs
// that the pages show.
#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFile>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <algorithm>
#include <cstdio>
#include <functional>

#include "engine/project/project_keys.h"
#include "engine/runs/run_history.h"
#include "ui/compare/clip_comparer.h"
#include "ui/compare/compare_panel.h"
#include "ui/library/prompt_library.h"
#include "ui/library/prompt_panel.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/mesh/mesh_view.h"
#include "ui/player/player_widget.h"
#include "ui/project/project_document.h"
#include "ui/queue/grid_dialog.h"
#include "ui/queue/run_queue.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_presenter.h"
#include "ui/studies/sweep_panel.h"
#include "ui/studies/tune_panel.h"
#include "ui/theme/appearance.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/application.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"

namespace {

using namespace meshreel;

constexpr QSize usualSize{1280, 800};
constexpr QSize largeSize{2560, 1440};
constexpr int preparedRuns = 3;           ///< by tools/screenshots/make
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

/// A grid in the queue, a prompt and a style kept.
void plan(MainWindow& window) {
    const auto key = [](const char* name) { return findProjectKey(name); };
    window.queue().add(settingGrid(window.document().runnableProject(),
                                   {{key("guidance_scale"), {QStringLiteral("3"), QStringLiteral("5")}},
                                    {key("seed"), {QStringLiteral("1"), QStringLiteral("2")}}}));
    const auto* shown = qobject_cast<QSortFilterProxyModel*>(window.panels().prompts().table().model());
    auto* library = qobject_cast<PromptLibrary*>(shown->sourceModel());
    if (library->rowCount() > 0)
        return;
    library->add({.name = QStringLiteral("Red ball"),
                  .tags = QStringLiteral("ball, plain"),
                  .prompt = QStringLiteral("a red ball moving right on a black background"),
                  .negative = {}});
    library->add({.name = QStringLiteral("Two shapes"),
                  .tags = QStringLiteral("matrix"),
                  .prompt = QStringLiteral(
                      "a {red|green|blue} {ball|square} moving {left|right} on a black background"),
                  .negative = {}});
}

/// The newest run in the result, all of them compared, a device of the mesh chosen in mid-attention.
void fill(MainWindow& window) {
    const std::vector<RunSummary> runs = listRuns(runsFolder());
    std::vector<std::filesystem::path> folders;
    for (const RunSummary& run : runs)
        folders.push_back(run.folder);
    if (folders.size() > preparedRuns)
        folders.erase(folders.begin(), folders.end() - preparedRuns);  // those of the windows before
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

/// Two runs' videos beside each other, one wiped over the other. False when it cannot be written.
bool takeVideoPicture(MainWindow& window, const QString& file) {
    ComparePanel& compare = window.panels().compare();
    show(window, "compare");
    compare.showVideos();
    compare.videos().setMode(ClipPairView::Mode::Wipe);
    settle();
    compare.videos().playback().pause();
    compare.videos().playback().seek(compare.videos().playback().length() * 3 / 4);
    return save(window, file);
}

/// A run in the middle of denoising, in the result and in Activity. False when a picture cannot be written.
bool takeLivePictures(MainWindow& window, const std::function<QString(const QString&)>& file) {
    constexpr int steps = 200;  // more than pass while the pictures are taken
    constexpr std::size_t before = 20;
    Project project = window.document().runnableProject();
    project.numInferenceSteps = steps;
    std::size_t done = 0;
    const QMetaObject::Connection count =
        onEvent<StepRecord>(window.runs().controller(), &window, [&](const StepRecord&) { ++done; });
    show(window, "result");
    show(window, "chart");
    window.runs().generate(project);
    while (window.runs().isBusy() && done < before)
        QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    window.banner().hide();
    show(window, "project");
    const bool saved = save(window, file(QStringLiteral("live")));
    show(window, "activity");
    const bool both = saved && save(window, file(QStringLiteral("live-activity")));
    window.runs().cancel();
    finish(window.runs());
    QObject::disconnect(count);
    return both;
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
    settle();
    plan(window);
    fill(window);
    study(window, sweep);
    run(window);
    return std::ranges::all_of(pages,
                               [&](const Page& page) {
                                   show(window, page.upper);
                                   show(window, page.lower);
                                   return save(window, file(QLatin1String(page.picture)));
                               }) &&
           takeVideoPicture(window, file(QStringLiteral("videos"))) && takeLivePictures(window, file);
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
