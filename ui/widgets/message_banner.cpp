// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/message_banner.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/theme/icons.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr float groundOpacity = 0.14F;

}  // namespace

MessageBanner::MessageBanner(QWidget* parent) : QFrame(parent), m_text(new QLabel(this)) {
    auto* close = new QToolButton(this);
    close->setIcon(themedIcon(QStringLiteral("close")));
    close->setAutoRaise(true);
    close->setToolTip(tr("Close the message"));
    close->setAccessibleName(close->toolTip());
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::RichText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setFocusPolicy(Qt::StrongFocus);

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, spacing, spacing);
    layout->addWidget(m_text, 1);
    layout->addWidget(close, 0, Qt::AlignTop);
    setAutoFillBackground(true);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

void MessageBanner::showTrouble(const Trouble& trouble) {
    QString html = QStringLiteral("<b>%1</b>").arg(trouble.message.toHtmlEscaped());
    if (!trouble.where.isEmpty())
        html += QStringLiteral("<br>%1").arg(trouble.where.toHtmlEscaped());
    if (!trouble.hint.isEmpty())
        html += QStringLiteral("<br>%1").arg(trouble.hint.toHtmlEscaped());
    show(html, errorColor(palette()));
}

void MessageBanner::showNote(const QString& sentence) {
    show(sentence.toHtmlEscaped(), palette().color(QPalette::Highlight));
}

QString MessageBanner::text() const {
    return m_text->text();
}

void MessageBanner::show(const QString& html, const QColor& colour) {
    const QColor window = parentWidget()->palette().color(QPalette::Window);
    const auto tinted = [](float under, float over) { return under + (over - under) * groundOpacity; };
    QPalette colours = parentWidget()->palette();
    colours.setColor(QPalette::Window, QColor::fromRgbF(tinted(window.redF(), colour.redF()),
                                                        tinted(window.greenF(), colour.greenF()),
                                                        tinted(window.blueF(), colour.blueF())));
    setPalette(colours);
    m_text->setText(html);
    setVisible(true);
    QAccessibleEvent alert(m_text, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

}  // namespace meshreel
