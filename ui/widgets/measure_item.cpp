// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/measure_item.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/theme/icons.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr double measureFontScale = 0.85;
constexpr int barWidth = 130;
constexpr int meterHeight = 10;

void makeSmall(QLabel& label) {
    QFont font = label.font();
    font.setPointSizeF(font.pointSizeF() * measureFontScale);
    label.setFont(font);
    label.setTextFormat(Qt::PlainText);
}

}  // namespace

MeasureItem::MeasureItem(QWidget* parent)
    : QWidget(parent),
      m_title(new QLabel(this)),
      m_measure(new QPushButton(tr("Measure this machine"), this)),
      m_progress(new QProgressBar(this)),
      m_cancel(new QToolButton(this)),
      m_remark(new QLabel(this)) {
    makeSmall(*m_title);
    makeSmall(*m_remark);
    m_measure->setObjectName(QStringLiteral("measure"));
    m_progress->setRange(0, 0);  // how many things will be timed is not known before
    m_progress->setTextVisible(false);
    m_progress->setFixedSize(barWidth, meterHeight);
    m_progress->setAccessibleName(tr("Measuring this machine"));
    m_cancel->setObjectName(QStringLiteral("cancelMeasuring"));
    m_cancel->setAutoRaise(true);
    m_cancel->setToolTip(tr("Stop measuring; nothing of it is kept"));
    m_cancel->setAccessibleName(tr("Stop measuring"));

    auto* middle = new QHBoxLayout;
    middle->setSpacing(tightSpacing);
    middle->addWidget(m_measure);
    middle->addWidget(m_progress);
    middle->addWidget(m_cancel);
    middle->addStretch(1);
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(m_title);
    rows->addLayout(middle);
    rows->addWidget(m_remark);
    connect(m_measure, &QPushButton::clicked, this, &MeasureItem::measureRequested);
    connect(m_cancel, &QToolButton::clicked, this, &MeasureItem::cancelRequested);
    setObstacle({});
    setMeasuring(false);
    ink();
}

void MeasureItem::setMeasuring(bool measuring) {
    m_title->setText(measuring ? tr("Measuring this machine") : tr("Time"));
    m_remark->setText(measuring ? tr("about two minutes") : QString());
    m_remark->setVisible(measuring);
    m_measure->setVisible(!measuring);
    m_progress->setVisible(measuring);
    m_cancel->setVisible(measuring);
}

void MeasureItem::showTimed(int count, const QString& what) {
    m_remark->setText(tr("%n things timed", nullptr, count));
    m_progress->setToolTip(what);
}

void MeasureItem::setObstacle(const QString& reason) {
    m_measure->setEnabled(reason.isEmpty());
    m_measure->setToolTip(
        reason.isEmpty() ? tr("How long a run takes is predicted once this machine was measured. It takes "
                              "about two minutes, in which it should do nothing else. Later it is measured "
                              "further while nothing runs, unless you stop that.")
                         : reason);
}

bool MeasureItem::isMeasuring() const {
    return m_measure->isHidden();
}

void MeasureItem::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        ink();
    QWidget::changeEvent(event);
}

void MeasureItem::ink() {
    for (QLabel* label : {m_title, m_remark}) {
        QPalette colours = label->palette();
        colours.setColor(QPalette::WindowText, mutedColor(palette()));
        label->setPalette(colours);
    }
    m_cancel->setIcon(themedIcon(QStringLiteral("cancel")));
}

}  // namespace meshreel
