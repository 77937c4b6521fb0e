// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/tune_results.h"

#include <QEvent>
#include <QLabel>
#include <QProgressBar>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/charts/chart_style.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/tile_chart.h"
#include "ui/theme/look.h"
#include "ui/tune/tune_texts.h"
#include "ui/widgets/empty_state.h"

namespace meshreel {

TuneResults::TuneResults(QWidget* parent)
    : QWidget(parent),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState(
          tr("The map of block sizes appears here: press Search while nothing else is running."), this)),
      m_view(new ChartView(this)),
      m_progress(new QProgressBar(this)),
      m_words(new QLabel(this)),
      m_verdict(new QLabel(this)),
      m_row(new QHBoxLayout) {
    m_view->setAccessibleName(tr("Time by block sizes"));
    m_stage->addWidget(m_empty);
    m_stage->addWidget(m_view);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing);
    column->addWidget(m_stage, 1);
    column->addWidget(makeFoot());
}

QWidget* TuneResults::makeFoot() {
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the search"));
    for (QLabel* label : {m_words, m_verdict}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_row->addWidget(m_words, 1);
    auto* foot = new QWidget(this);
    auto* column = new QVBoxLayout(foot);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_progress);
    column->addLayout(m_row);
    column->addWidget(m_verdict);
    return foot;
}

void TuneResults::addButton(QWidget* button) {
    m_row->addWidget(button);
}

void TuneResults::begin() {
    m_map = nullptr;
    m_sheet = {};
    m_stage->setCurrentWidget(m_empty);
    m_verdict->clear();
    m_words->setText(tr("Preparing weights…"));
    m_progress->setRange(0, 0);
}

void TuneResults::showTask(const TuneTask& task) {
    m_task = task;
    m_begun.start();
    m_progress->setRange(0, static_cast<int>(task.passes));
    m_words->setText(taskText(task));
}

void TuneResults::showProgress(const TuneProgress& progress) {
    m_progress->setValue(static_cast<int>(progress.passesDone));
    m_verdict->setText(
        progressText(m_task, progress, static_cast<double>(m_begun.elapsed()) / millisecondsPerSecond));
    showMap(progress.tiles);
}

void TuneResults::showResult(const TuneResult& result) {
    showMap(tileTimesOf(result.trials));
    m_verdict->setText(verdictText(result));
}

void TuneResults::showEnd(const QString& sentence) {
    m_words->setText(sentence);
    m_verdict->clear();  // how long it would have taken
}

void TuneResults::setBusy(bool busy) {
    m_progress->setVisible(busy);
}

QString TuneResults::words() const {
    return m_words->text();
}

QString TuneResults::verdict() const {
    return m_verdict->text();
}

void TuneResults::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && m_map != nullptr)
        ChartStyle::of(palette()).applyTo(*m_map);
    QWidget::changeEvent(event);
}

void TuneResults::showMap(const std::vector<TileTime>& tiles) {
    if (tiles.empty())
        return;
    m_sheet = tileSheetOf(tiles);
    if (m_map != nullptr) {
        m_map->setTiles(tiles);
        return;
    }
    auto map = std::make_unique<TileChart>(tiles);
    m_map = map.get();
    m_view->draw(std::move(map));
    m_stage->setCurrentWidget(m_view);
    emit mapShown();
}

}  // namespace meshreel
