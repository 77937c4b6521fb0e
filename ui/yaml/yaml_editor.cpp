// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/yaml/yaml_editor.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolTip>
#include <algorithm>

#include "ui/models/key_texts.h"
#include "ui/theme/look.h"
#include "ui/yaml/yaml_highlighter.h"

namespace meshreel {

namespace {

constexpr double markDiameter = 7;

/// The strip with line numbers and marks beside the text.
class Margin : public QWidget {
  public:
    explicit Margin(YamlEditor& editor) : QWidget(&editor), m_editor(editor) {}
    [[nodiscard]] QSize sizeHint() const override { return {m_editor.marginWidth(), 0}; }

  protected:
    void paintEvent(QPaintEvent* event) override { m_editor.paintMargin(event); }

  private:
    YamlEditor& m_editor;
};

QColor colourOf(Severity severity, const QPalette& palette) {
    return severity == Severity::Error ? errorColor(palette) : warningColor(palette);
}

}  // namespace

YamlEditor::YamlEditor(QWidget* parent)
    : TextEdit(parent),
      m_highlighter(new YamlHighlighter(document(), palette())),
      m_margin(new Margin(*this)) {
    setUndoRedoEnabled(false);
    setFont(monospaceFont());
    setLayoutDirection(Qt::LeftToRight);  // as every program reads it
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setTabChangesFocus(true);  // YAML is not indented by tabs
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Text of the project"));
    connect(this, &QPlainTextEdit::blockCountChanged, this, &YamlEditor::placeMargin);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
        if (dy != 0)
            m_margin->scroll(0, dy);
        else
            m_margin->update(0, rect.y(), m_margin->width(), rect.height());
    });
    placeMargin();
}

YamlEditor::~YamlEditor() = default;

void YamlEditor::showText(const QString& text) {
    replaceText(text);
    placeMargin();
}

void YamlEditor::setProblems(const std::vector<ProjectProblem>& problems) {
    m_problems = problems;
    updateMarks();
    m_margin->update();
}

QString YamlEditor::problemOfLine(int line) const {
    QStringList words;
    for (const ProjectProblem& problem : m_problems)
        if (problem.line == line)
            words += withHint(sentenceText(problem.message), sentenceText(problem.hint));
    return words.join(QLatin1Char('\n'));
}

void YamlEditor::goToLine(int line) {
    setTextCursor(QTextCursor(document()->findBlockByNumber(line - 1)));
    centerCursor();
    setFocus();
}

int YamlEditor::marginWidth() const {
    const auto digits = static_cast<int>(QString::number(std::max(1, blockCount())).size());
    return fontMetrics().horizontalAdvance(QLatin1Char('9')) * std::max(2, digits) + 2 * spacing +
           static_cast<int>(markDiameter);
}

void YamlEditor::paintMargin(QPaintEvent* event) {
    QPainter painter(m_margin);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(event->rect(), palette().color(QPalette::AlternateBase));
    painter.setFont(font());
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF line = blockBoundingGeometry(block).translated(contentOffset());
        if (line.top() > event->rect().bottom())
            break;
        const int number = block.blockNumber() + 1;
        painter.setPen(mutedColor(palette()));
        painter.drawText(QRectF(0, line.top(), m_margin->width() - tightSpacing, line.height()),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(number));
        const auto problem = std::ranges::find(m_problems, number, &ProjectProblem::line);
        if (problem == m_problems.end())
            continue;
        painter.setPen(Qt::NoPen);
        painter.setBrush(colourOf(problem->severity, palette()));
        painter.drawEllipse(
            QRectF(tightSpacing, line.center().y() - markDiameter / 2, markDiameter, markDiameter));
    }
}

bool YamlEditor::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QTextCursor at = cursorForPosition(viewport()->mapFromGlobal(help->globalPos()));
        const QString words = problemOfLine(at.blockNumber() + 1);
        if (words.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), words, this);
        return true;
    }
    return TextEdit::event(event);
}

void YamlEditor::resizeEvent(QResizeEvent* event) {
    TextEdit::resizeEvent(event);
    placeMargin();
}

void YamlEditor::changeEvent(QEvent* event) {
    TextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_highlighter != nullptr) {
        m_highlighter->setPalette(palette());
        updateMarks();
    }
}

void YamlEditor::placeMargin() {
    setViewportMargins(marginWidth(), 0, 0, 0);
    const QRect inside = contentsRect();
    m_margin->setGeometry(inside.left(), inside.top(), marginWidth(), inside.height());
}

void YamlEditor::updateMarks() {
    QList<QTextEdit::ExtraSelection> marks;
    for (const ProjectProblem& problem : m_problems) {
        const QTextBlock block = document()->findBlockByNumber(problem.line - 1);
        if (problem.line < 1 || !block.isValid())
            continue;
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(block);
        mark.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        mark.format.setUnderlineColor(colourOf(problem.severity, palette()));
        marks += mark;
    }
    setExtraSelections(marks);
}

}  // namespace meshreel
