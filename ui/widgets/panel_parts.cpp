// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/panel_parts.h"

#include <QAction>
#include <QClipboard>
#include <QDir>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QStyle>
#include <QTextLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/charts/chart_sheet.h"
#include "ui/theme/look.h"

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
    keepInk(*m_sentence, mutedColor);
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

namespace {

constexpr QLatin1String folderKey("export/folder");

/// "html" of "Web page (*.html)".
QString filterSuffix(const QString& filter) {
    static const QRegularExpression pattern(QStringLiteral(R"(\*\.(\w+))"));
    return pattern.match(filter).captured(1);
}

}  // namespace

QString exportFolder(QStandardPaths::StandardLocation first) {
    for (const QString& folder :
         {QSettings().value(folderKey).toString(), QStandardPaths::writableLocation(first)})
        if (!folder.isEmpty() && QDir(folder).exists())
            return folder;
    return QDir::homePath();
}

void keepExportFolder(const QString& file) {
    QSettings().setValue(folderKey, QFileInfo(file).absolutePath());
}

QString askForExport(const ExportedFile& file, QWidget* window) {
    QFileDialog dialog(window, file.title, exportFolder(file.first), file.filters);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(filterSuffix(dialog.selectedNameFilter()));
    QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog,
                     [&dialog](const QString& filter) { dialog.setDefaultSuffix(filterSuffix(filter)); });
    dialog.selectFile(file.name);
    if (dialog.exec() != QDialog::Accepted)
        return {};
    const QString chosen = dialog.selectedFiles().constFirst();
    keepExportFolder(chosen);
    return chosen;
}

ExportButton::ExportButton(const QString& stem, QWidget* parent) : QToolButton(parent), m_stem(stem) {
    auto* menu = new QMenu(this);
    for (const ChartFormat& format : chartFormats()) {
        const QString extension =
            QString::fromLatin1(format.extension.data(), static_cast<qsizetype>(format.extension.size()));
        const QString title = chartFormatTitle(format);
        m_formats += menu->addAction(tr("%1…", "file format").arg(title), this,
                                     [this, extension, title] { askForFile(extension, title); });
    }
    setMenu(menu);
    setPopupMode(QToolButton::InstantPopup);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setIcon(themedIcon(QStringLiteral("export")));
    setText(tr("Export"));
    setToolTip(tr("Write the chart to a file"));
}

void ExportButton::setFormatsEnabled(bool enabled) {
    for (QAction* format : m_formats)
        format->setEnabled(enabled);
}

void ExportButton::askForFile(const QString& extension, const QString& title) {
    const QString file = askForExport({.title = tr("Export the chart"),
                                       .name = QStringLiteral("%1.%2").arg(m_stem, extension),
                                       .filters = QStringLiteral("%1 (*.%2)").arg(title, extension)},
                                      this);
    if (!file.isEmpty())
        emit exportRequested(file);
}

}  // namespace meshreel

#include "moc_panel_parts.cpp"
