// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/refine_item.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/controller/rate_refinement.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr double refineFontScale = 0.85;

}  // namespace

RefineItem::RefineItem(QWidget* parent)
    : QWidget(parent), m_words(new QLabel(this)), m_stop(new QToolButton(this)) {
    QFont font = m_words->font();
    font.setPointSizeF(font.pointSizeF() * refineFontScale);
    m_words->setFont(font);
    m_words->setTextFormat(Qt::PlainText);
    const int side = m_words->sizeHint().height();  // the row stays as high as without it
    m_stop->setFixedSize(side, side);
    m_stop->setAutoRaise(true);
    m_stop->setObjectName(QStringLiteral("stopRefining"));
    m_stop->setToolTip(
        tr("Measure no further. “Go on measuring when idle” in the Run menu takes it up again."));
    m_stop->setAccessibleName(tr("Stop refining"));
    setFocusProxy(m_stop);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    row->addWidget(m_words);
    row->addWidget(m_stop);
    connect(m_stop, &QToolButton::clicked, this, &RefineItem::stopRequested);
    ink();
}

void RefineItem::showStatus(const RefinementStatus& status) {
    const bool waiting = status.state == RefinementStatus::State::Waiting;
    m_words->setText(waiting ? tr("refining waits: busy CPUs")
                             : tr("refining: round %1 of %2").arg(status.round).arg(status.rounds));
    m_words->setToolTip(
        waiting ? tr("Other programs keep the processors busy. Round %1 of %2 is measured when they "
                     "are at rest.")
                      .arg(status.round)
                      .arg(status.rounds)
                : tr("While nothing runs, this machine is measured further, which makes "
                     "predictions more exact. Whatever you start comes first."));
}

void RefineItem::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        ink();
    QWidget::changeEvent(event);
}

void RefineItem::ink() {
    QPalette colours = m_words->palette();
    colours.setColor(QPalette::WindowText, mutedColor(palette()));
    m_words->setPalette(colours);
    m_stop->setIcon(themedIcon(QStringLiteral("cancel")));
}

}  // namespace meshreel
