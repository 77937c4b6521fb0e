// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/benchmarks/gallery_benchmarks.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QScrollBar>
#include <QWheelEvent>
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/error.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "engine/timing/step_record.h"
#include "ui/runs/history_panel.h"
#include "ui/runs/run_history_model.h"
#include "ui/runs/run_tiles.h"

namespace meshreel {

namespace {

constexpr QSize gallerySize{1280, 800};
constexpr int galleryRuns = 5'000;
constexpr QSize galleryPicture{832, 480};
constexpr int openings = 3;
constexpr int wheelTurns = 400;
constexpr int wheelNotch = 120;  ///< QWheelEvent's eighths of a degree
constexpr double openLimit = 2'000;
constexpr double frameLimit = 16;  ///< 60 frames a second
constexpr double share95 = 0.95;

double millisecondsOf(const QElapsedTimer& clock) {
    constexpr double nanosecondsOfAMillisecond = 1e6;
    return static_cast<double>(clock.nsecsElapsed()) / nanosecondsOfAMillisecond;
}

/// The time that `share` of them do not exceed.
BenchmarkRow galleryRow(const char* name, std::vector<double> times, double share, double limit) {
    std::ranges::sort(times);
    const double value = times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
    return {.name = name,
            .value = value,
            .unit = "ms",
            .ratio = value / limit,
            .of = "limit",
            .spread = (times.back() - times.front()) / value,
            .rounds = static_cast<int>(times.size()),
            .details = {{"limit", limit}}};
}

void makeGallery(const std::filesystem::path& runs) {
    Project project;
    project.prompt = "a wooden fishing boat leaves a small harbour at dawn, seagulls circle above the mast";
    const std::filesystem::path first = runs / "run0";
    {
        const RunFolder run = RunFolder::create(first);
        run.write(run_file::project, resolvedYaml(project));
        run.writeSteps({{.step = 0, .seconds = 1}});
        RunState state;
        state.status = RunStatus::Done;
        state.started = timestampNow();
        state.name = "run";
        state.prompt = project.prompt;
        state.steps = 1;
        state.settings = changedSettings(project);
        state.outline = {.model = "tiny-wan-t2v",
                         .width = galleryPicture.width(),
                         .height = galleryPicture.height(),
                         .frames = 81,
                         .attention = "flash",
                         .mesh = {},
                         .task = "t2v"};
        run.writeState(state);
        QImage picture(galleryPicture, QImage::Format_RGB32);
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x)
                picture.setPixelColor(x, y, QColor(x % 256, y % 256, (x + y) % 256));
        picture.save(QString::fromStdString(run.file(run_file::preview).string()), "PNG");
    }
    for (int number = 1; number < galleryRuns; ++number)  // copies, which need not reach the disk
        std::filesystem::copy(first, runs / ("run" + std::to_string(number)));
}

}  // namespace

std::vector<BenchmarkRow> measureGallery(const QString& folder) {
    const std::filesystem::path runs = folder.toStdString();
    makeGallery(runs);
    std::unique_ptr<RunHistoryModel> model;
    std::unique_ptr<HistoryPanel> panel;
    std::vector<double> opened;
    for (int opening = 0; opening <= openings; ++opening) {
        panel.reset();
        QElapsedTimer clock;
        clock.start();
        model = std::make_unique<RunHistoryModel>();
        panel = std::make_unique<HistoryPanel>(*model);
        panel->setView(HistoryPanel::View::Tiles);
        panel->resize(gallerySize);
        panel->show();
        model->setRuns(listRuns(runs));
        QApplication::processEvents();
        if (opening > 0)  // the first fills the page cache
            opened.push_back(millisecondsOf(clock));
    }

    RunTiles& tiles = panel->tiles();
    const QPointF middle = QRectF(tiles.viewport()->rect()).center();
    const QPointF inScreen = tiles.viewport()->mapToGlobal(middle);
    std::vector<double> turns;
    for (int turn = 0; turn < wheelTurns; ++turn) {
        QElapsedTimer clock;
        clock.start();
        QWheelEvent wheel(middle, inScreen, {}, {0, -wheelNotch}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(tiles.viewport(), &wheel);
        QApplication::processEvents();
        turns.push_back(millisecondsOf(clock));
    }
    if (tiles.verticalScrollBar()->value() == 0)
        throw Error(ErrorKind::Internal, "the tiles do not scroll");
    return {galleryRow("ui.gallery.open", std::move(opened), 0.5, openLimit),
            galleryRow("ui.gallery.scroll", std::move(turns), share95, frameLimit)};
}

}  // namespace meshreel
