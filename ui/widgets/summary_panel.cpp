// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/summary_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/empty_state.h"

namespace meshreel {

SummaryPanel::SummaryPanel(QWidget* parent)
    : QWidget(parent),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState(
          tr("Where the time went stands here once a run is done, or a past one is opened."), this)),
      m_text(new QPlainTextEdit(this)),
      m_copy(new QToolButton(this)) {
    m_text->setReadOnly(true);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setFont(monospaceFont());
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setLayoutDirection(Qt::LeftToRight);  // the published layout
    m_text->setAccessibleName(tr("Timing summary"));
    m_copy->setIcon(themedIcon(QStringLiteral("edit-copy")));
    m_copy->setText(tr("Copy"));
    m_copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_copy->setToolTip(tr("Copy the timing summary"));

    auto* header = new QHBoxLayout;
    header->addStretch(1);
    header->addWidget(m_copy);
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    column->setSpacing(tightSpacing);
    column->addLayout(header);
    column->addWidget(m_text, 1);
    m_stage->addWidget(m_empty);
    m_stage->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stage);

    const QPushButton* runs = m_empty->addButton(themedIcon(QStringLiteral("folder")), tr("Open a run"));
    connect(runs, &QPushButton::clicked, this, &SummaryPanel::runsRequested);
    connect(m_copy, &QToolButton::clicked, this, &SummaryPanel::copy);
    setText({});
}

void SummaryPanel::setText(const QString& summary) {
    // The block starts with an empty line, which is meant for terminals.
    m_text->setPlainText(summary.startsWith(QLatin1Char('\n')) ? summary.mid(1) : summary);
    m_stage->setCurrentIndex(summary.isEmpty() ? 0 : 1);
}

QString SummaryPanel::text() const {
    return m_text->toPlainText();
}

void SummaryPanel::copy() const {
    QGuiApplication::clipboard()->setText(text());
}

}  // namespace meshreel
