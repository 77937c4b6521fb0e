// SPDX-License-Identifier: GPL-3.0-or-later
// studio_screenshots PROJECT SWEEP FOLDER light|dark WIDTHxHEIGHT SUFFIX [Qt's options, such as -reverse]:
// the Studio's pages as pictures; without a suffix also studies, every panel as it begins (studio-empty-…)
// and the animation of README. tools/screenshots/make prepares the runs that the pages show.
#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStringList>
#include <QTreeView>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "engine/base/files.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/media/video_writer.h"
#include "engine/project/presets.h"
#include "engine/project/project_keys.h"
#include "engine/runs/records/chart_kind.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/run_history.h"
#include "engine/runs/run_votes.h"
#include "ui/compare/clip_comparer.h"
#include "ui/compare/compare_panel.h"
#include "ui/compare/comparison_tables.h"
#include "ui/foresight/foresight_panel.h"
#include "ui/library/prompt_panel.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/mesh/mesh_view.h"
#include "ui/player/playback.h"
#include "ui/player/player_widget.h"
#include "ui/project/project_document.h"
#include "ui/queue/grid_dialog.h"
#include "ui/queue/run_queue.h"
#include "ui/rating/rate_dialog.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_presenter.h"
#include "ui/storyboard/storyboard_document.h"
#include "ui/storyboard/storyboard_panel.h"
#include "ui/storyboard/storyboard_strip.h"
#include "ui/studies/bench_panel.h"
#include "ui/studies/bench_runner.h"
#include "ui/studies/sweep_panel.h"
#include "ui/studies/tune_panel.h"
#include "ui/theme/appearance.h"
#include "ui/values/clip.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/application.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"
#include "ui/window/workspaces.h"

namespace {

using namespace meshreel;

constexpr int preparedRuns = 3;           ///< by tools/screenshots/make
constexpr int settleMilliseconds = 1500;  ///< for plans, lists and videos to arrive from other threads

struct Page {
    const char* picture;
    const char* panel;
    const char* drawer;  ///< panel below; null: closed
};

constexpr Page pages[]{{"create", "result", nullptr},
                       {"mesh", "mesh", nullptr},
                       {"attention", "attention", nullptr},
                       {"noise", "noise", nullptr},
                       {"compare", "compare", nullptr},
                       {"timeline", "timeline", nullptr},
                       {"runs", "runs", nullptr},
                       {"models", "models", nullptr},
                       {"text", "text", nullptr},
                       {"prompts", "prompts", nullptr},
                       {"model", "model", nullptr},
                       {"reference", "reference", nullptr},
                       {"storyboard", "storyboard", nullptr},
                       {"chart", "result", "chart"},
                       {"summary", "result", "summary"},
                       {"devices", "mesh", "devices"},
                       {"log", "result", "activity"}};
constexpr Page studies[]{{"tune", "tune", nullptr}, {"sweep", "sweep", nullptr}, {"bench", "bench", nullptr}};

/// What is asked for on the command line.
struct Task {
    QString project;
    QString sweep;
    QString folder;
    Appearance appearance = Appearance::Light;
    QSize size;
    QString suffix;  ///< behind the names of the pictures; empty: also what no other sizes and languages need

    [[nodiscard]] QString file(const QString& page) const {
        return QStringLiteral("%1/studio-%2-%3%4.png")
            .arg(folder, page,
                 appearance == Appearance::Light ? QStringLiteral("light") : QStringLiteral("dark"), suffix);
    }
};

void settle() {
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < settleMilliseconds)
        QApplication::processEvents(QEventLoop::AllEvents, settleMilliseconds);
}

QDockWidget* dockIn(MainWindow& window, const char* panel) {
    return window.docks().findChild<QDockWidget*>(QLatin1String(panel));
}

void show(MainWindow& window, const char* panel) {
    window.docks().showPanel(dockIn(window, panel)->widget());
}

/// The workspace of the panel, as it is at first but for the panel in front.
void show(MainWindow& window, const Page& page) {
    show(window, page.panel);
    window.workspaces().reset();
    show(window, page.panel);
    if (page.drawer != nullptr)
        window.drawer().open(dockIn(window, page.drawer));
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
    for (const Better better : {Better::Left, Better::Left, Better::Right, Better::Left, Better::Neither})
        if (folders.size() > 1)
            addVote(folders[0], folders[1], better);
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

/// The layers of the transformers, measured twice, so that there is a verdict.
void bench(MainWindow& window) {
    BenchmarkOptions options;
    options.tokens = {320};
    options.rounds = 4;
    BenchPanel& panel = window.panels().bench();
    panel.form().setGroup("linear");
    panel.form().setOptions(options);
    for (int measurement = 0; measurement < 2; ++measurement) {
        settle();
        panel.start();
        finish(panel.runner());
    }
}

/// Three shots in a storyboard, of which none is made yet.
void drawStoryboard(MainWindow& window, const std::filesystem::path& file) {
    writeFileAtomically(file,
                        "version: 3\nwidth: 128\nheight: 128\nnum_frames: 17\nshots:\n"
                        "  - name: ball\n    prompt: a red ball moving right on a black background\n"
                        "  - name: square\n    prompt: a green square growing on a white background\n"
                        "    continue: true\n"
                        "  - name: star\n    prompt: a big yellow star growing on a navy background\n");
    window.storyboard().load(file);
    settle();
    window.panels().storyboard().strip().choose(0);
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
    bench(window);
}

/// The project's run, as if it had just ended here.
void run(MainWindow& window) {
    window.runs().generate(window.document().runnableProject());
    finish(window.runs());
    pauseLate(window);
    window.banner().closeAll();
}

template <typename Pages>
bool takePages(MainWindow& window, const Task& task, const Pages& list) {
    return std::ranges::all_of(list, [&](const Page& page) {
        show(window, page);
        return save(window, task.file(QLatin1String(page.picture)));
    });
}

/// Every panel before there is anything. False when a picture cannot be written.
bool takeEmptyPictures(MainWindow& window, const Task& task) {
    const std::vector<QDockWidget*> docks = window.docks().docks();
    return std::ranges::all_of(docks, [&](const QDockWidget* dock) {
        window.docks().showPanel(dock->widget());
        return save(window, task.file(QStringLiteral("empty-") + dock->objectName()));
    });
}

/// Two runs' videos beside each other, one wiped over the other. False when it cannot be written.
bool takeVideoPicture(MainWindow& window, const Task& task) {
    ComparePanel& compare = window.panels().compare();
    show(window, "compare");
    compare.showVideos();
    compare.videos().setMode(ClipPairView::Mode::Wipe);
    settle();
    compare.videos().playback().pause();
    compare.videos().playback().seek(compare.videos().playback().length() * 3 / 4);
    return save(window, task.file(QStringLiteral("videos")));
}

/// Quality against time, and two videos without their settings. False when a picture cannot be written.
bool takeQualityPictures(MainWindow& window, const Task& task) {
    ComparePanel& compare = window.panels().compare();
    show(window, "compare");
    compare.showKind(ChartKind::Quality);
    compare.tables().setCurrentIndex(2);
    if (!save(window, task.file(QStringLiteral("quality"))))
        return false;
    RateDialog& dialog = window.rating();
    std::vector<std::filesystem::path> folders;
    for (const RunSummary& run : listRuns(runsFolder()))
        folders.push_back(run.folder);
    dialog.rate(folders);
    settle();
    dialog.playback().pause();
    const bool isSaved = dialog.grab().save(task.file(QStringLiteral("rate")));
    dialog.close();
    compare.showKind(ChartKind::Steps);
    return isSaved;
}

/// A run in the middle of denoising, with a queue behind it. False when a picture cannot be written.
bool takeLivePicture(MainWindow& window, const Task& task) {
    constexpr int steps = 200;  // more than pass while the picture is taken
    constexpr std::size_t before = 20;
    Project project = window.document().runnableProject();
    project.numInferenceSteps = steps;
    std::size_t done = 0;
    const QMetaObject::Connection count =
        onEvent<StepRecord>(window.runs().controller(), &window, [&](const StepRecord&) { ++done; });
    show(window, Page{"live", "result", nullptr});
    window.runs().generate(project);
    while (window.runs().isBusy() && done < before)
        QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    window.banner().closeAll();
    const bool saved = save(window, task.file(QStringLiteral("live")));
    window.runs().cancel();
    finish(window.runs());
    QObject::disconnect(count);
    return saved;
}

/// A prompt that is typed, its run and its video, as an animation of README. False when it cannot be written.
bool takeMotion(const Task& task) {
    constexpr double framesPerSecond = 8;
    constexpr int width = 960;
    constexpr int pause = static_cast<int>(1000 / framesPerSecond);
    MainWindow window;
    window.resize(task.size);
    window.show();
    settle();
    Clip clip{.frames = {}, .framesPerSecond = framesPerSecond};
    const auto take = [&](int frames) {
        for (int frame = 0; frame < frames; ++frame) {
            QElapsedTimer clock;
            clock.start();
            clip.frames.append(window.grab()
                                   .toImage()
                                   .scaledToWidth(width, Qt::SmoothTransformation)
                                   .convertToFormat(QImage::Format_RGB888));
            while (clock.elapsed() < pause)
                QApplication::processEvents(QEventLoop::AllEvents, pause);
        }
    };
    const ProjectKey& prompt = *findProjectKey("prompt");
    const QString words = QStringLiteral("a big yellow star growing on a navy background");
    take(4);
    for (qsizetype letters = 3; letters < words.size() + 3; letters += 3) {
        window.document().typeText(prompt, words.left(letters));
        take(1);
    }
    window.document().setText(*findProjectKey("num_inference_steps"), QStringLiteral("30"));
    take(4);
    window.findChild<QPushButton*>(QStringLiteral("run"))->click();
    constexpr int most = 80;
    for (int frames = 0; window.runs().isBusy() && frames < most; ++frames)
        take(1);
    window.banner().closeAll();
    take(20);
    VideoOptions options;
    options.format = VideoFormat::WebP;
    options.fps = framesPerSecond;
    writeVideo((task.folder + QStringLiteral("/studio.webp")).toStdString(), framesOf(clip), options);
    return true;
}

/// A large project on hardware that is not here, a picture of each chart, with a summary of other people's
/// beside it. False when a picture cannot be written, or a chart does not come.
bool takeForesightPictures(MainWindow& window, const Task& task) {
    using Chart = ForesightPanel::Chart;
    constexpr std::pair<Chart, const char*> charts[]{{Chart::BestByContext, "best"},
                                                     {Chart::Splits, "splits"},
                                                     {Chart::Blocks, "blocks"},
                                                     {Chart::Scaling, "scaling"},
                                                     {Chart::Measured, "measured"}};
    constexpr int patience = 60000;  // milliseconds
    TimingSummary published{.load = 61, .inference = 217.5, .hasTrace = true};
    published.conditioning = 3.5;
    published.denoiseTotal = 210;
    published.vaeDecode = 4;
    ForesightPanel& panel = window.panels().foresight();
    window.openPath(
        QString::fromStdString((presetFolder() / "wan2.2-t2v-a14b-720p-ring2d-cp4.yaml").string()));
    window.target().choose(QStringLiteral("tpu-v7x"));
    panel.setDevices(QStringLiteral("8, 16"));
    panel.setRuns(pastedRuns(formatTimingSummary(published, "2D ring, v7x-8"), "pasted"));
    show(window, Page{"foresight", "foresight", nullptr});
    for (const auto& [chart, name] : charts) {
        panel.showChart(chart);
        QElapsedTimer clock;
        clock.start();
        while (!panel.obstacle().isEmpty() && clock.elapsed() < patience)
            QApplication::processEvents(QEventLoop::AllEvents, settleMilliseconds);
        if (!panel.obstacle().isEmpty()) {
            std::fprintf(stderr, "%s: %s\n", name, qPrintable(panel.obstacle()));
            return false;
        }
        if (!save(window, task.file(QStringLiteral("foresight-") + QLatin1String(name))))
            return false;
    }
    window.target().choose({});
    window.openPath(task.project);
    return true;
}

/// False when a picture cannot be written.
bool takePictures(const Task& task) {
    const bool isWhole = task.suffix.isEmpty();
    chooseAppearance(task.appearance);
    if (isWhole && task.appearance == Appearance::Light && !takeMotion(task))
        return false;
    MainWindow window;
    window.resize(task.size);
    window.show();
    if (!save(window, task.file(QStringLiteral("start"))) || (isWhole && !takeEmptyPictures(window, task)))
        return false;
    window.openPath(task.project);
    settle();
    plan(window);
    fill(window);
    if (isWhole)
        study(window, task.sweep);
    run(window);
    drawStoryboard(window, std::filesystem::path(task.sweep.toStdString()).parent_path() / "film.yaml");
    return takePages(window, task, pages) && (!isWhole || takePages(window, task, studies)) &&
           (!isWhole || (takeVideoPicture(window, task) && takeQualityPictures(window, task))) &&
           takeLivePicture(window, task) && takeForesightPictures(window, task);
}

}  // namespace

int main(int argc, char* argv[]) {
    constexpr int arguments = 7;
    QApplication application(argc, argv);  // takes its own options away
    const QStringList words = QApplication::arguments();
    const QStringList size = argc == arguments ? words[5].split(QLatin1Char('x')) : QStringList();
    if (size.size() != 2) {
        std::fprintf(stderr,
                     "Usage: studio_screenshots PROJECT SWEEP FOLDER light|dark WIDTHxHEIGHT SUFFIX\n");
        return 2;
    }
    setUpApplication(application);
    const Task task{.project = words[1],
                    .sweep = words[2],
                    .folder = words[3],
                    .appearance = words[4] == QLatin1String("dark") ? Appearance::Dark : Appearance::Light,
                    .size = {size[0].toInt(), size[1].toInt()},
                    .suffix = words[6]};
    return takePictures(task) ? 0 : 1;
}
