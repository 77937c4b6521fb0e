// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/activity/devices_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

#include "ui/activity/lane_delegate.h"
#include "ui/activity/lane_reader.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/lane_chart.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/cell_tips.h"
#include "ui/widgets/column_menu.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_button.h"

namespace meshreel {

DevicesPanel::DevicesPanel(QWidget* parent)
    : QWidget(parent),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState({}, this)),
      m_sentence(new QLabel(this)),
      m_view(new QTreeView(this)),
      m_export(new ExportButton(QStringLiteral("devices"), this)) {
    const QPushButton* mesh =
        m_empty->addButton(themedIcon(QStringLiteral("grid")), tr("Set up several devices"));
    connect(mesh, &QPushButton::clicked, this, &DevicesPanel::meshRequested);
    m_stage->addWidget(m_empty);
    m_stage->addWidget(makeLanes());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stage);
    refresh();
}

QWidget* DevicesPanel::makeLanes() {
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_view->setModel(&m_model);
    m_view->setItemDelegateForColumn(DeviceLaneModel::Lane, new LaneDelegate(m_model, m_view));
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setAccessibleName(tr("Lanes of the devices"));
    new CellTips(*m_view);
    new LaneReader(m_model, *m_view);
    QHeaderView* columns = m_view->header();
    columns->setStretchLastSection(false);
    columns->setSectionsMovable(false);
    columns->setSectionResizeMode(QHeaderView::ResizeToContents);
    columns->setSectionResizeMode(DeviceLaneModel::Lane, QHeaderView::Stretch);
    new ColumnMenu(*m_view, *columns);
    connect(m_export, &ExportButton::exportRequested, this, &DevicesPanel::exportRequested);
    auto* header = new QHBoxLayout;
    header->setSpacing(spacing);
    header->addWidget(m_sentence, 1);
    header->addWidget(m_export, 0, Qt::AlignTop);
    auto* lanes = new QWidget(this);
    auto* column = new QVBoxLayout(lanes);
    column->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    column->setSpacing(spacing);
    column->addLayout(header);
    column->addWidget(m_view, 1);
    return lanes;
}

void DevicesPanel::restart(Subject subject) {
    m_subject = subject;
    m_model.clear();
    refresh();
}

void DevicesPanel::begin() {
    restart(Subject::RunAtHand);
}

void DevicesPanel::addSteps(const std::vector<StepDeviceTimes>& steps) {
    m_model.add(steps);
    refresh();
}

void DevicesPanel::showProgress(const RunProgress& progress) {
    m_model.setStepsLeft(progress.steps - progress.stepsDone);
}

void DevicesPanel::end() {
    if (m_subject == Subject::RunAtHand)
        m_subject = Subject::Nothing;
    m_model.setStepsLeft(0);
    refresh();
}

void DevicesPanel::showRun(const std::vector<StepDeviceTimes>& steps) {
    restart(Subject::PastRun);
    addSteps(steps);
}

void DevicesPanel::clear() {
    restart(Subject::Nothing);
}

void DevicesPanel::exportTo(const std::filesystem::path& file) const {
    exportChart(file, deviceLaneSheet(m_model.steps()));
}

QString DevicesPanel::words() const {
    return showsLanes() ? m_sentence->text() : m_empty->sentence();
}

bool DevicesPanel::showsLanes() const {
    return m_stage->currentWidget() != m_empty;
}

void DevicesPanel::refresh() {
    m_stage->setCurrentIndex(m_model.rowCount() > 1 ? 1 : 0);
    m_empty->setSentence(emptySentence());
    m_sentence->setText(m_model.sentence());
    m_view->setAccessibleDescription(m_sentence->text());
}

QString DevicesPanel::emptySentence() const {
    if (m_model.rowCount() == 1)
        return tr("This run has one device, which computes all the time.");
    switch (m_subject) {
        case Subject::RunAtHand:
            return tr("The lanes of the devices begin when the first step has ended.");
        case Subject::PastRun:
            return tr(
                "This run did not record how its devices spent their steps: an earlier version made it, "
                "or it ended before its first step did. What its trace tells is drawn by Compare, as "
                "Devices of one run.");
        case Subject::Nothing:
            break;
    }
    return tr(
        "How much each device computes, exchanges and waits is drawn here while a run of several "
        "devices goes on, or when a past one is opened.");
}

}  // namespace meshreel
