// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/empty_state.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme/look.h"

namespace meshreel {

EmptyState::EmptyState(const QString& sentence, QWidget* parent)
    : QWidget(parent), m_sentence(new QLabel(sentence, this)), m_buttons(new QHBoxLayout) {
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setAlignment(Qt::AlignCenter);
    m_sentence->setWordWrap(true);
    m_buttons->setSpacing(spacing);
    m_buttons->addStretch(1);
    m_buttons->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(panelMargin, panelMargin, panelMargin, panelMargin);
    column->setSpacing(panelMargin);
    column->addStretch(1);
    column->addWidget(m_sentence);
    column->addLayout(m_buttons);
    column->addStretch(1);
    ink();
}

void EmptyState::setSentence(const QString& sentence) {
    m_sentence->setText(sentence);
}

QString EmptyState::sentence() const {
    return m_sentence->text();
}

QPushButton* EmptyState::addButton(QAction* action) {
    QPushButton* button = addButton(action->icon(), action->text());
    const auto follow = [button, action] {
        button->setText(action->text());
        button->setToolTip(action->toolTip());
        button->setEnabled(action->isEnabled());
    };
    connect(action, &QAction::changed, button, follow);
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    follow();
    return button;
}

QPushButton* EmptyState::addButton(const QIcon& icon, const QString& text) {
    auto* button = new QPushButton(icon, text, this);
    m_buttons->insertWidget(m_buttons->count() - 1, button);
    return button;
}

void EmptyState::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        ink();
    QWidget::changeEvent(event);
}

void EmptyState::ink() {
    QPalette muted = palette();
    muted.setColor(QPalette::WindowText, mutedColor(palette()));
    m_sentence->setPalette(muted);
}

}  // namespace meshreel
