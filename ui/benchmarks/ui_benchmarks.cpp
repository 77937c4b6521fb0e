// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/benchmarks/ui_benchmarks.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QMouseEvent>
#include <QPainter>
#include <QProcess>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "engine/timing/chrome_trace.h"
#include "engine/timing/step_record.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/step_chart.h"
#include "ui/running/run_controller.h"
#include "ui/runs/history_panel.h"
#include "ui/runs/run_history_model.h"
#include "ui/runs/run_presenter.h"
#include "ui/timeline/timeline_view.h"
#include "ui/timeline/trace_model.h"
#include "ui/values/engine_texts.h"
#include "ui/window/main_window.h"

namespace meshreel {

namespace {

constexpr QSize windowSize{1280, 800};
constexpr int chartSteps = 10'000;
constexpr int panFrames = 60;
constexpr double panPixels = 15;  ///< more than the distance from which a press is a drag
constexpr double shownShare = 0.99;
constexpr int listedRuns = 5'000;
constexpr int rounds = 3;  ///< for what takes long
constexpr int busySteps = 100;
constexpr int heartbeatMilliseconds = 1;
constexpr int startMilliseconds = 120'000;  ///< more than a start takes on a crowded machine

struct Limit {
    const char* row;
    double milliseconds;
};
constexpr Limit panLimit{"ui.chart.pan", 16};
constexpr Limit listLimit{"ui.runs.list", 1000};
constexpr Limit stallLimit{"ui.stall", 50};
constexpr Limit paintLimit{"ui.first_paint", 1000};
constexpr Limit timelineLimit{"ui.timeline.pan", 16};

double elapsedMilliseconds(const QElapsedTimer& clock) {
    constexpr double nanosecondsPerMillisecond = 1e6;
    return static_cast<double>(clock.nsecsElapsed()) / nanosecondsPerMillisecond;
}

/// Milliseconds of each of `count` calls behind one that is not counted.
std::vector<double> timed(int count, const std::function<void()>& work) {
    work();
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        QElapsedTimer clock;
        clock.start();
        work();
        times.push_back(elapsedMilliseconds(clock));
    }
    return times;
}

/// A row with the median of `times`.
BenchmarkRow rowOf(const Limit& limit, std::vector<double> times) {
    std::ranges::sort(times);
    const double median = times[times.size() / 2];
    return {.name = limit.row,
            .value = median,
            .unit = "ms",
            .ratio = median / limit.milliseconds,
            .of = "limit",
            .spread = (times.back() - times.front()) / median,
            .rounds = static_cast<int>(times.size()),
            .details = {{"limit", limit.milliseconds}}};
}

Project ballProject() {
    Project project;
    project.prompt = "a red ball moving right on a black background";
    return project;
}

void makeRun(const std::filesystem::path& path) {
    const RunFolder folder = RunFolder::create(path);
    folder.write(run_file::project, resolvedYaml(ballProject()));
    folder.write(run_file::environment, "{}");
    folder.writeSteps({{.step = 0, .seconds = 1}});
    RunState state;
    state.status = RunStatus::Done;
    state.started = timestampNow();
    state.name = "run";
    state.prompt = ballProject().prompt;
    state.steps = 1;
    state.settings = changedSettings(ballProject());  // or the list would read each project, as of old runs
    state.outline = {
        .model = "tiny-wan-t2v", .width = 48, .height = 32, .frames = 33, .attention = "flash", .mesh = {}};
    folder.writeState(state);
}

/// The longest time between two turns of the event loop while it is alive.
class Heartbeat {
  public:
    Heartbeat() {
        m_clock.start();
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.callOnTimeout([this] {
            m_longest = std::max(m_longest, elapsedMilliseconds(m_clock));
            m_clock.restart();
        });
        m_timer.start(heartbeatMilliseconds);
    }
    [[nodiscard]] double longest() const { return m_longest; }

  private:
    QElapsedTimer m_clock;
    QTimer m_timer;
    double m_longest = 0;
};

/// Says when the widget it watches was painted first.
class FirstPaint : public QObject {
  public:
    using QObject::QObject;
    [[nodiscard]] bool seen() const { return m_seen; }

  protected:
    bool eventFilter(QObject* /*watched*/, QEvent* event) override {
        m_seen = m_seen || event->type() == QEvent::Paint;
        return false;
    }

  private:
    bool m_seen = false;
};

/// Milliseconds from the start of the program to its first paint; then waits for its end.
double millisecondsToPaint(const QString& program, const QStringList& arguments) {
    QElapsedTimer clock;
    clock.start();
    QProcess process;
    process.start(program, arguments);
    if (!process.waitForReadyRead(startMilliseconds) || !process.readAllStandardOutput().contains("painted"))
        throw Error(ErrorKind::Internal,
                    "the window was not painted: " + process.readAllStandardError().toStdString());
    const double milliseconds = elapsedMilliseconds(clock);
    process.waitForFinished();
    return milliseconds;
}

}  // namespace

BenchmarkRow measureChartPan() {
    constexpr int period = 7;
    std::vector<StepRecord> records;
    records.reserve(chartSteps);
    for (int step = 0; step < chartSteps; ++step)
        records.push_back({.step = step, .seconds = 1 + 0.1 * (step % period)});
    auto chart = std::make_unique<StepChart>();
    chart->setRecords(records);
    ChartView view;
    view.draw(std::move(chart));
    view.resize(windowSize);
    view.show();
    QApplication::processEvents();
    const auto send = [&view](QEvent::Type type, const QPointF& position) {
        QMouseEvent event(type, position, view.viewport()->mapToGlobal(position), Qt::LeftButton,
                          type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(view.viewport(), &event);
    };
    view.zoom(shownShare);  // there is nothing to move while everything is shown
    QPointF pointer = view.chart()->plotArea().center();
    send(QEvent::MouseButtonPress, pointer);
    QImage frame(windowSize, QImage::Format_RGB32);
    double direction = 1;
    std::vector<double> frames = timed(panFrames, [&] {
        pointer.rx() += direction * panPixels;
        direction = -direction;
        send(QEvent::MouseMove, pointer);
        QPainter painter(&frame);
        view.render(&painter);
    });
    send(QEvent::MouseButtonRelease, pointer);
    return rowOf(panLimit, std::move(frames));
}

BenchmarkRow measureRunList(const QString& folder) {
    const std::filesystem::path runs = folder.toStdString();
    makeRun(runs / "run0");
    for (int number = 1; number < listedRuns; ++number)  // copies, which need not reach the disk
        std::filesystem::copy(runs / "run0", runs / ("run" + std::to_string(number)));
    RunHistoryModel model;
    HistoryPanel panel(model);
    panel.resize(windowSize);
    panel.show();
    QApplication::processEvents();
    return rowOf(listLimit, timed(rounds, [&] {
                     model.setRuns(listRuns(runs));
                     (void)panel.grab();
                 }));
}

BenchmarkRow measureStall(const QString& folder) {
    qputenv("MESHREEL_RUNS", folder.toLocal8Bit());
    MainWindow window;
    window.resize(windowSize);
    window.show();
    QApplication::processEvents();
    Project project = ballProject();
    project.numInferenceSteps = busySteps;
    QEventLoop loop;
    QString reason;
    QObject::connect(&window.runs().controller(), &RunController::failed, &loop,
                     [&reason](const Problem& problem) { reason = wholeText(problem); });
    QObject::connect(&window.runs(), &RunPresenter::busyChanged, &loop, [&loop](bool busy) {
        if (!busy)
            loop.quit();
    });
    const Heartbeat heartbeat;
    window.runs().generate(project);
    loop.exec();
    if (!reason.isEmpty())
        throw Error(ErrorKind::Internal, "the run failed: " + reason.toStdString());
    return rowOf(stallLimit, {heartbeat.longest()});
}

BenchmarkRow measureFirstPaint(const QString& program, const QStringList& arguments) {
    (void)millisecondsToPaint(program, arguments);  // which fills the page cache
    std::vector<double> times;
    times.reserve(rounds);
    for (int i = 0; i < rounds; ++i)
        times.push_back(millisecondsToPaint(program, arguments));
    return rowOf(paintLimit, std::move(times));
}

void paintOnce() {
    MainWindow window;
    window.resize(windowSize);
    FirstPaint paint;
    window.centralWidget()->installEventFilter(&paint);
    window.show();
    while (!paint.seen())
        QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    std::puts("painted");
    std::fflush(stdout);
}

namespace {

constexpr int tracedDevices = 16;
constexpr int tracedSteps = 50;
constexpr int tracedBlocks = 30;

/// What the engine traces of a device, by its kinds and shares.
void addBlock(ChromeTrace& trace, int device, int block, double start, double seconds) {
    struct Part {
        const char* name;
        const char* category;
        double from, to;  ///< parts of the block
    };
    const auto add = [&](const std::string& name, const char* category, double from, double to) {
        trace.spans.push_back({.name = name,
                               .category = category,
                               .thread = device,
                               .start = start + from * seconds,
                               .seconds = (to - from) * seconds});
    };
    add("transformer_block " + std::to_string(block), "engine", 0, 1);
    for (const Part& part : {Part{"layer_norm", "norm", 0, 0.03}, Part{"self_attn", "engine", 0.03, 0.6},
                             Part{"exchange", "attention", 0.15, 0.2}, Part{"attend", "attention", 0.2, 0.35},
                             Part{"rotate", "attention", 0.35, 0.38}, Part{"attend", "attention", 0.38, 0.5},
                             Part{"exchange", "attention", 0.5, 0.55}, Part{"residual", "norm", 0.6, 0.62},
                             Part{"cross_attn", "engine", 0.62, 0.7}, Part{"mlp", "engine", 0.7, 0.99}})
        add(part.name, part.category, part.from, part.to);
}

/// Returns 530,400 spans of a run of five minutes.
std::shared_ptr<const TraceModel> largeTrace() {
    constexpr double stepSeconds = 6;
    ChromeTrace trace;
    for (int device = 0; device < tracedDevices; ++device) {
        trace.rows[device] = "device " + std::to_string(device);
        for (int step = 0; step < tracedSteps; ++step) {
            const double start = step * stepSeconds;
            constexpr double passes = 2;  // with guidance and without
            trace.spans.push_back({.name = "step " + std::to_string(step + 1),
                                   .category = "step",
                                   .thread = device,
                                   .start = start,
                                   .seconds = stepSeconds});
            for (int pass = 0; pass < passes; ++pass) {
                const double seconds = stepSeconds / passes;
                trace.spans.push_back({.name = "WanModel",
                                       .category = "engine",
                                       .thread = device,
                                       .start = start + pass * seconds,
                                       .seconds = seconds});
                for (int block = 0; block < tracedBlocks; ++block)
                    addBlock(trace, device, block, start + seconds * (pass + double(block) / tracedBlocks),
                             seconds / tracedBlocks);
            }
        }
    }
    return std::make_shared<const TraceModel>(trace);
}

}  // namespace

BenchmarkRow measureTimelinePan() {
    constexpr double zoomOfRound = 4;  // from five minutes to some blocks
    constexpr int zooms = 6;
    constexpr int framesOfZoom = 17;
    constexpr double slow = 0.95;
    TimelineView view;
    view.setTraces({{QStringLiteral("run"), largeTrace()}});
    view.resize(windowSize);
    view.show();
    QApplication::processEvents();
    QImage frame(windowSize, QImage::Format_RGB32);
    const auto send = [&view](QEvent::Type type, const QPointF& position) {
        QMouseEvent event(type, position, view.viewport()->mapToGlobal(position), Qt::LeftButton,
                          type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(view.viewport(), &event);
    };
    std::vector<double> times;
    for (int round = 0; round < zooms; ++round) {
        QPointF pointer = view.plot().center();
        send(QEvent::MouseButtonPress, pointer);
        double direction = 1;
        const std::vector<double> frames = timed(framesOfZoom, [&] {
            pointer.rx() += direction * panPixels;
            direction = -direction;
            send(QEvent::MouseMove, pointer);
            view.viewport()->render(&frame);
        });
        send(QEvent::MouseButtonRelease, pointer);
        times.insert(times.end(), frames.begin(), frames.end());
        view.zoom(zoomOfRound, (view.shown().from + view.shown().to) / 2);
    }
    BenchmarkRow row = rowOf(timelineLimit, times);
    std::ranges::sort(times);
    row.details.emplace_back("median", row.value);
    row.value = times[static_cast<std::size_t>(slow * static_cast<double>(times.size()))];
    row.ratio = row.value / timelineLimit.milliseconds;
    return row;
}

}  // namespace meshreel
