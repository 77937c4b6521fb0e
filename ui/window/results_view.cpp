// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/results_view.h"

#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/activity/devices_panel.h"
#include "ui/controller/opened_media.h"
#include "ui/player/live_preview.h"
#include "ui/player/player_widget.h"
#include "ui/theme/look.h"
#include "ui/widgets/chart_panel.h"
#include "ui/widgets/summary_panel.h"

namespace meshreel {

namespace {

constexpr double titleScale = 1.15;

}  // namespace

ResultsView::ResultsView(QWidget* parent)
    : QWidget(parent),
      m_title(new QLabel(this)),
      m_caption(new QLabel(this)),
      m_stage(new QStackedWidget(this)),
      m_preview(new LivePreview(this)),
      m_player(new PlayerWidget(this)),
      m_chart(new ChartPanel(m_steps, this)),
      m_devices(new DevicesPanel(this)),
      m_summary(new SummaryPanel(this)) {
    m_player->setPlaceholder(
        tr("Describe a video on the left and press Run.\nRuns, videos, pictures and projects can be dropped "
           "here."));
    QFont font = m_title->font();
    font.setBold(true);
    font.setPointSizeF(font.pointSizeF() * titleScale);
    m_title->setFont(font);
    for (QLabel* label : {m_title, m_caption}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    layOut();
    setTitle({}, {});
    m_stage->setCurrentWidget(m_player);
}

void ResultsView::layOut() {
    m_stage->addWidget(m_player);
    m_stage->addWidget(m_preview);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(panelMargin, panelMargin, panelMargin, spacing);
    column->setSpacing(tightSpacing);
    column->addWidget(m_title);
    column->addWidget(m_caption);
    column->addWidget(m_stage, 1);
}

void ResultsView::beginLive(const QString& title, int expectedSteps) {
    setTitle(title, {});
    m_steps.clear();
    m_devices->begin();
    m_chart->setExpectedSteps(expectedSteps);
    m_summary->setText({});
    m_player->setClip({});
    m_preview->clear();
    m_stage->setCurrentWidget(m_preview);
}

void ResultsView::continueLive(const OpenedRun& before) {
    beginLive(QString::fromStdString(before.project.prompt),
              static_cast<int>(before.project.numInferenceSteps));
    m_steps.setRecords(before.steps);
    m_devices->addSteps(before.deviceTimes);
}

void ResultsView::addSteps(const std::vector<StepRecord>& steps) {
    m_steps.append(steps);
}

void ResultsView::showPreview(const Clip& clip) {
    m_preview->setClip(clip);
}

void ResultsView::showDecoded(const ClipPart& part) {
    if (showsPreview())
        m_preview->addDecoded(part);
}

void ResultsView::showVideo(const Clip& clip) {
    showPlayer(clip);
}

void ResultsView::setSummary(const QString& summary) {
    m_summary->setText(summary);
}

void ResultsView::setCaption(const QString& sentence) {
    setTitle(m_title->text(), sentence);
}

void ResultsView::showRun(const OpenedRun& run) {
    setTitle(QString::fromStdString(run.project.prompt),
             run.clipProblem.isEmpty() ? run.state : run.clipProblem);
    m_steps.setRecords(run.steps);
    m_devices->showRun(run.deviceTimes);
    m_chart->setExpectedSteps(static_cast<int>(run.project.numInferenceSteps));
    m_summary->setText(run.summary);
    showPlayer(run.clip);
}

void ResultsView::showVideoFile(const QString& title, const Clip& clip) {
    setTitle(title, {});
    m_steps.clear();
    m_devices->clear();
    m_chart->setExpectedSteps(0);
    m_summary->setText({});
    showPlayer(clip);
}

bool ResultsView::showsPreview() const {
    return m_stage->currentWidget() == m_preview;
}

void ResultsView::setTitle(const QString& title, const QString& caption) {
    m_title->setText(title);
    m_caption->setText(caption);
    m_title->setVisible(!title.isEmpty());
    m_caption->setVisible(!caption.isEmpty());
}

void ResultsView::showPlayer(const Clip& clip) {
    m_preview->clear();
    m_stage->setCurrentWidget(m_player);
    m_player->setClip(clip);
    m_player->playback().play();
}

}  // namespace meshreel
