// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/summary_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/theme/icons.h"
#include "ui/theme/look.h"

namespace meshreel {

SummaryPanel::SummaryPanel(QWidget* parent)
    : QWidget(parent), m_text(new QPlainTextEdit(this)), m_copy(new QToolButton(this)) {
    m_text->setReadOnly(true);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setFont(monospaceFont());
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setPlaceholderText(tr("Where the time went, once a run is done"));
    m_text->setAccessibleName(tr("Timing summary"));
    m_copy->setIcon(themedIcon(QStringLiteral("edit-copy")));
    m_copy->setText(tr("Copy"));
    m_copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_copy->setToolTip(tr("Copy the timing summary"));

    auto* header = new QHBoxLayout;
    header->addWidget(new QLabel(tr("Timing summary"), this));
    header->addStretch(1);
    header->addWidget(m_copy);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->setSpacing(tightSpacing);
    layout->addLayout(header);
    layout->addWidget(m_text, 1);

    connect(m_copy, &QToolButton::clicked, this, &SummaryPanel::copy);
    setText({});
}

void SummaryPanel::setText(const QString& summary) {
    // The block starts with an empty line, which is meant for terminals.
    m_text->setPlainText(summary.startsWith(QLatin1Char('\n')) ? summary.mid(1) : summary);
    m_copy->setEnabled(!summary.isEmpty());
}

QString SummaryPanel::text() const {
    return m_text->toPlainText();
}

void SummaryPanel::copy() const {
    QGuiApplication::clipboard()->setText(text());
}

}  // namespace meshreel
