// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/key_row.h"

#include <QGridLayout>
#include <QLabel>

#include "engine/project/project_keys.h"
#include "ui/models/key_texts.h"
#include "ui/theme/look.h"
#include "ui/widgets/key_field.h"

namespace meshreel {

namespace {

enum Column { TitleColumn, FieldColumn, CaptionColumn, ColumnCount };

constexpr int titleWidth = 112;
constexpr int numberWidth = 106;
constexpr double smallTextScale = 0.9;

QString captionOf(const ProjectKey& key) {
    const QString unit = engineText(key.unit);
    const QString limits = limitsText(key);
    return unit.isEmpty() || limits.isEmpty() ? unit + limits : unit + QStringLiteral(" · ") + limits;
}

/// Help with the key's spelling, for those who write the file by hand.
QString toolTipOf(const ProjectKey& key) {
    QString text = QStringLiteral("<p>%1</p><p><code>%2</code></p>")
                       .arg(engineText(key.help).toHtmlEscaped(),
                            QString::fromStdString(std::string(key.name)).toHtmlEscaped());
    if (!key.inactive.empty())
        text += QStringLiteral("<p><i>%1</i></p>").arg(engineText(key.inactive).toHtmlEscaped());
    return text;
}

QLabel* smallLabel(QWidget* parent) {
    auto* label = new QLabel(parent);
    QFont font = label->font();
    font.setPointSizeF(font.pointSizeF() * smallTextScale);
    label->setFont(font);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

void setInk(QWidget* widget, const QColor& color) {
    QPalette palette = widget->palette();
    palette.setColor(QPalette::WindowText, color);
    widget->setPalette(palette);
}

}  // namespace

KeyRow::KeyRow(const ProjectKey& key, bool titled, QGridLayout* grid, QWidget* parent)
    : QObject(parent),
      m_key(key),
      m_titled(titled),
      m_title(new QLabel(engineText(key.title), parent)),
      m_field(KeyField::make(key, parent)),
      m_caption(smallLabel(parent)),
      m_message(smallLabel(parent)) {
    m_title->setBuddy(m_field);
    m_title->setWordWrap(true);
    m_caption->setText(captionOf(key));
    m_message->hide();

    const QString help = toolTipOf(key);
    m_title->setToolTip(help);
    m_field->setToolTip(help);
    m_caption->setToolTip(help);
    m_field->focusProxy()->setAccessibleName(engineText(key.title));
    m_field->focusProxy()->setAccessibleDescription(engineText(key.help));
    m_field->setObjectName(QString::fromStdString(std::string(key.name)));

    addTo(grid);
    updateColours();
}

void KeyRow::addTo(QGridLayout* grid) {
    int row = grid->rowCount();
    const bool ownLine = m_field->extent() == KeyField::Extent::Paragraph;
    const bool narrow = m_field->extent() == KeyField::Extent::Narrow;
    if (ownLine && m_titled)
        grid->addWidget(m_title, row++, TitleColumn, 1, ColumnCount);
    else if (m_titled)
        grid->addWidget(m_title, row, TitleColumn);
    if (!ownLine)
        m_title->setFixedWidth(titleWidth);
    if (narrow) {
        m_field->setFixedWidth(numberWidth);
        grid->addWidget(m_field, row, FieldColumn);
        grid->addWidget(m_caption, row, CaptionColumn);
    }
    const int firstColumn = ownLine || !m_titled ? TitleColumn : FieldColumn;
    if (!narrow)
        grid->addWidget(m_field, row, firstColumn, 1, ColumnCount - firstColumn);
    grid->addWidget(m_message, row + 1, firstColumn, 1, ColumnCount - firstColumn);
    grid->setColumnStretch(CaptionColumn, 1);
    m_title->setVisible(m_titled);
    m_caption->setVisible(narrow);
}

QString KeyRow::message() const {
    return m_message->text();
}

void KeyRow::showProblem(const ProjectProblem* problem, bool touched) {
    const bool isError = touched && problem != nullptr && problem->severity == Severity::Error;
    m_field->setInvalid(isError);
    QString text;
    if (problem != nullptr) {
        text = QString::fromStdString(problem->message);
        if (!problem->hint.empty())
            text += QStringLiteral(". ") + QString::fromStdString(problem->hint);
    }
    m_message->setText(text);
    updateColours();
    m_message->setVisible(m_visible && !text.isEmpty());
}

void KeyRow::updateColours() {
    const QPalette palette = m_title->palette();
    setInk(m_caption, mutedColor(palette));
    setInk(m_message, m_field->isInvalid() ? errorColor(palette) : mutedColor(palette));
}

void KeyRow::setVisible(bool visible) {
    m_visible = visible;
    m_title->setVisible(visible && m_titled);
    m_field->setVisible(visible);
    m_caption->setVisible(visible && m_field->extent() == KeyField::Extent::Narrow);
    m_message->setVisible(visible && !message().isEmpty());
}

}  // namespace meshreel
