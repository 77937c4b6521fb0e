// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/clamped_text.h"

#include <QAction>
#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QPainter>
#include <QStyle>
#include <QTextLayout>
#include <algorithm>

#include "ui/theme/icons.h"

namespace meshreel {

namespace {

constexpr int leastLetters = 8;  ///< of a line in the narrowest layout

}  // namespace

ClampedText::ClampedText(int mostLines, QWidget* parent) : QWidget(parent), m_mostLines(mostLines) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    addAction(themedIcon(QStringLiteral("edit-copy")), tr("Copy"), this,
              [this] { QGuiApplication::clipboard()->setText(m_text); });
}

void ClampedText::setText(const QString& text) {
    m_text = text;
    setAccessibleName(text);
    refreshToolTip();
    updateGeometry();
    update();
}

QStringList ClampedText::lines(int width) const {
    const QString paragraph = m_text.simplified();
    QTextLayout layout(paragraph, font());
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    option.setTextDirection(layoutDirection());
    layout.setTextOption(option);
    QStringList lines;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        if (lines.size() + 1 == m_mostLines) {
            lines += fontMetrics().elidedText(paragraph.mid(line.textStart()), Qt::ElideRight, width);
            break;
        }
        lines += paragraph.mid(line.textStart(), line.textLength()).trimmed();
    }
    layout.endLayout();
    return lines;
}

QSize ClampedText::sizeHint() const {
    return {fontMetrics().horizontalAdvance(m_text.simplified()), fontMetrics().height()};
}

QSize ClampedText::minimumSizeHint() const {
    return {leastLetters * fontMetrics().averageCharWidth(), fontMetrics().height()};
}

int ClampedText::heightForWidth(int width) const {
    const auto count = std::max<int>(1, static_cast<int>(lines(width).size()));
    return (count - 1) * fontMetrics().lineSpacing() + fontMetrics().height();
}

void ClampedText::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const auto alignment = QStyle::visualAlignment(layoutDirection(), Qt::AlignLeading | Qt::AlignVCenter);
    QRect place(0, 0, width(), fontMetrics().height());
    for (const QString& line : lines(width())) {
        painter.drawText(place, static_cast<int>(alignment) | Qt::TextSingleLine, line);
        place.translate(0, fontMetrics().lineSpacing());
    }
}

void ClampedText::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        refreshToolTip();
        updateGeometry();
    }
    QWidget::changeEvent(event);
}

void ClampedText::resizeEvent(QResizeEvent* event) {
    refreshToolTip();
    QWidget::resizeEvent(event);
}

void ClampedText::refreshToolTip() {
    const QString paragraph = m_text.simplified();
    const QStringList shown = lines(width());
    const bool isWhole = shown.isEmpty() || paragraph.endsWith(shown.last());
    // Rich text, as only that is wrapped.
    setToolTip(isWhole ? QString() : QStringLiteral("<qt>%1</qt>").arg(m_text.toHtmlEscaped()));
}

}  // namespace meshreel
