// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/activity/devices_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

#include "ui/activity/lane_delegate.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/empty_state.h"

namespace meshreel {

DevicesPanel::DevicesPanel(QWidget* parent)
    : QWidget(parent),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState({}, this)),
      m_sentence(new QLabel(this)),
      m_view(new QTreeView(this)) {
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
    QHeaderView* header = m_view->header();
    header->setStretchLastSection(false);
    header->setSectionsMovable(false);
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(DeviceLaneModel::Lane, QHeaderView::Stretch);
    auto* lanes = new QWidget(this);
    auto* column = new QVBoxLayout(lanes);
    column->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    column->setSpacing(spacing);
    column->addWidget(m_sentence);
    column->addWidget(m_view, 1);
    return lanes;
}

void DevicesPanel::begin() {
    m_runGoesOn = true;
    m_model.clear();
    refresh();
}

void DevicesPanel::addSteps(const std::vector<StepDeviceTimes>& steps) {
    m_model.add(steps);
    refresh();
}

void DevicesPanel::showProgress(const RunProgress& progress) {
    m_model.setStepsLeft(progress.steps - progress.stepsDone);
}

void DevicesPanel::end() {
    m_runGoesOn = false;
    m_model.setStepsLeft(0);
    refresh();
}

QString DevicesPanel::words() const {
    return showsLanes() ? m_sentence->text() : m_empty->sentence();
}

bool DevicesPanel::showsLanes() const {
    return m_stage->currentWidget() != m_empty;
}

void DevicesPanel::refresh() {
    const int devices = m_model.rowCount();
    m_stage->setCurrentIndex(devices > 1 ? 1 : 0);
    if (devices == 1)
        m_empty->setSentence(tr("This run has one device, which computes all the time."));
    else if (m_runGoesOn)
        m_empty->setSentence(tr("The lanes of the devices begin when the first step has ended."));
    else
        m_empty->setSentence(
            tr("How much each device computes, exchanges and waits is drawn here while a run of several "
               "devices goes on."));
    m_sentence->setText(m_model.sentence());
    m_view->setAccessibleDescription(m_sentence->text());
}

}  // namespace meshreel
