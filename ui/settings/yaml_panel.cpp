// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/yaml_panel.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/planning/project_forecast.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_trust.h"
#include "ui/project/plan_watch.h"
#include "ui/project/project_document.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/trust_sheet.h"

namespace meshreel {

namespace {

using Kind = YamlToken::Kind;

/// Where a comment begins: a # at the start or after a space, outside of quotes; the line's end without one.
qsizetype findComment(const QString& line) {
    QChar quote;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar letter = line[i];
        if (!quote.isNull()) {
            if (letter == quote)
                quote = {};
        } else if (letter == u'"' || letter == u'\'') {
            quote = letter;
        } else if (letter == u'#' && (i == 0 || line[i - 1].isSpace())) {
            return i;
        }
    }
    return line.size();
}

/// Also the first half and the last part of a nested name.
bool isKnownKey(const std::string& name) {
    const auto keys = projectKeys();
    return name == "version" || std::ranges::any_of(keys, [&name](const ProjectKey& key) {
               const std::size_t dot = key.name.find('.');
               return key.name == name ||
                      (dot != std::string_view::npos &&
                       (key.name.substr(0, dot) == name || key.name.substr(dot + 1) == name));
           });
}

Kind kindOfValue(const QString& value) {
    static const QRegularExpression number(QStringLiteral("^[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?$"));
    if (value == QLatin1String("true") || value == QLatin1String("false"))
        return Kind::Boolean;
    return number.match(value).hasMatch() ? Kind::Number : Kind::Text;
}

}  // namespace

std::vector<YamlToken> yamlTokens(const QString& line) {
    static const QRegularExpression keyPattern(QStringLiteral("^\\s*([A-Za-z_][\\w.]*)\\s*:(?=\\s|$)"));
    std::vector<YamlToken> tokens;
    const qsizetype comment = findComment(line);
    qsizetype value = 0;
    if (const QRegularExpressionMatch key = keyPattern.match(line.left(comment)); key.hasMatch()) {
        const bool known = isKnownKey(key.captured(1).toStdString());
        tokens.push_back({known ? Kind::Key : Kind::UnknownKey, key.capturedStart(1), key.capturedLength(1)});
        value = key.capturedEnd(0);
    }
    while (value < comment && line[value].isSpace())
        ++value;
    qsizetype end = comment;
    while (end > value && line[end - 1].isSpace())
        --end;
    if (end > value)
        tokens.push_back({kindOfValue(line.mid(value, end - value)), value, end - value});
    if (comment < line.size())
        tokens.push_back({Kind::Comment, comment, line.size() - comment});
    return tokens;
}

namespace {

QColor inkOf(YamlToken::Kind kind, const QPalette& palette) {
    const bool dark = isDark(palette);
    switch (kind) {
        case YamlToken::Kind::Key:
            return dark ? QColor(0x82, 0xb8, 0xff) : QColor(0x0b, 0x4f, 0xa8);
        case YamlToken::Kind::UnknownKey:
            return warningColor(palette);
        case YamlToken::Kind::Number:
            return dark ? QColor(0xf0, 0xb0, 0x72) : QColor(0x96, 0x4b, 0x00);
        case YamlToken::Kind::Boolean:
            return dark ? QColor(0xd3, 0x9c, 0xf0) : QColor(0x7a, 0x2f, 0x9c);
        case YamlToken::Kind::Text:
            return dark ? QColor(0x9f, 0xd3, 0x9a) : QColor(0x1c, 0x6b, 0x2c);
        case YamlToken::Kind::Comment:
            return mutedColor(palette);
    }
    return {};
}

}  // namespace

YamlHighlighter::YamlHighlighter(QTextDocument* document, QPalette palette)
    : QSyntaxHighlighter(document), m_palette(std::move(palette)) {}

void YamlHighlighter::setPalette(const QPalette& palette) {
    m_palette = palette;
    rehighlight();
}

void YamlHighlighter::highlightBlock(const QString& text) {
    for (const YamlToken& token : yamlTokens(text)) {
        QTextCharFormat format;
        format.setForeground(inkOf(token.kind, m_palette));
        format.setFontItalic(token.kind == YamlToken::Kind::Comment);
        setFormat(static_cast<int>(token.begin), static_cast<int>(token.length), format);
    }
}

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

void YamlEditor::setProblems(const std::vector<Problem>& problems) {
    m_problems = problems;
    updateMarks();
    m_margin->update();
}

QString YamlEditor::problemOfLine(int line) const {
    QStringList words;
    for (const Problem& problem : m_problems)
        if (problem.place.line == line)
            words += withHint(sentenceText(problem.message), sentenceText(problem.hint()));
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
        const auto problem = std::ranges::find(m_problems, number,
                                               [](const Problem& candidate) { return candidate.place.line; });
        if (problem == m_problems.end())
            continue;
        painter.setPen(Qt::NoPen);
        painter.setBrush(colourOf(problem->severity, palette()));
        painter.drawEllipse(
            QRectF(tightSpacing, line.center().y() - markDiameter / 2, markDiameter, markDiameter));
    }
}

void YamlEditor::insertFromMimeData(const QMimeData* source) {
    const bool isOwn = QGuiApplication::clipboard()->mimeData() == source &&
                       QGuiApplication::clipboard()->ownsClipboard();  // it was copied in the Studio
    const Project pasted = readProject(source->text().toStdString(), {}).project;
    if (isOwn || mayTrust(askTrust(pasted, {}, ProjectSource::Elsewhere), window()))
        TextEdit::insertFromMimeData(source);
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
            QToolTip::showText(help->globalPos(), asPlainText(words), this);
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
    for (const Problem& problem : m_problems) {
        const QTextBlock block = document()->findBlockByNumber(problem.place.line - 1);
        if (problem.place.line < 1 || !block.isValid())
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

namespace {

constexpr QSize statusIconSize{16, 16};

/// Where it stands in the text that is typed, whose lines may be others than those of the document.
void placeIn(const LoadedProject& read, Problem& problem) {
    const auto told = std::ranges::find_if(read.problems, [&problem](Problem other) {
        other.place = problem.place;
        return other == problem;
    });
    if (told != read.problems.end())
        problem.place = told->place;
    else if (problem.place.line == 0)
        read.locate(problem);
}

}  // namespace

YamlPanel::YamlPanel(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_editor(new YamlEditor(this)),
      m_icon(new QLabel(this)),
      m_status(new QLabel(this)),
      m_goTo(new QPushButton(tr("Go to line"), this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_editor, 1);
    layout->addWidget(makeStatus());
    connect(m_editor, &QPlainTextEdit::textChanged, this, &YamlPanel::takeText);
    connect(m_goTo, &QPushButton::clicked, this, [this] { m_editor->goToLine(m_firstLine); });
    connect(&m_document, &ProjectDocument::changed, this, &YamlPanel::followDocument);
    followDocument();
}

QWidget* YamlPanel::makeStatus() {
    m_status->setWordWrap(true);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* status = new QWidget(this);
    auto* row = new QHBoxLayout(status);
    row->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    row->setSpacing(spacing);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    row->addWidget(m_status, 1);
    row->addWidget(m_goTo, 0, Qt::AlignTop);
    return status;
}

QString YamlPanel::statusText() const {
    return m_status->text();
}

void YamlPanel::followDocument() {
    if (m_taking)
        return;
    m_editor->showText(m_document.yaml());
    showStatus();
}

void YamlPanel::takeText() {
    const QScopedValueRollback<bool> taking(m_taking, true);
    m_document.setYaml(m_editor->toPlainText());
    showStatus();
}

void YamlPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        updateIcon();
    QWidget::changeEvent(event);
}

void YamlPanel::showForecast(const ProjectForecast& forecast) {
    m_forecast = forecast.problems;
    showStatus();
}

void YamlPanel::showStatus() {
    const LoadedProject read = readProject(m_editor->toPlainText().toStdString(), {});
    // The forecast is not of a text that the project could not take over.
    std::vector<Problem> problems =
        m_document.isUnread() ? m_document.problems() : m_document.listWith(m_forecast);
    for (Problem& problem : problems)
        placeIn(read, problem);
    m_editor->setProblems(problems);
    updateIcon();
    m_firstLine = problems.empty() ? 0 : problems.front().place.line;
    m_goTo->setVisible(m_firstLine > 0);
    if (problems.empty()) {
        m_status->setText(tr("The text and the form agree."));
        return;
    }
    const QString message = sentenceText(problems.front().message);
    m_status->setText(m_firstLine > 0 ? tr("Line %1: %2").arg(m_firstLine).arg(message) : message);
}

void YamlPanel::updateIcon() {
    struct Mark {
        QString icon;
        QColor ink;
        QString name;
    };
    const std::vector<Problem>& problems = m_editor->problems();
    const Mark mark = problems.empty() ? Mark{QStringLiteral("check"), palette().color(QPalette::WindowText),
                                              tr("No problem")}
                      : problems.front().severity == Severity::Error
                          ? Mark{QStringLiteral("error"), errorColor(palette()), tr("Error")}
                          : Mark{QStringLiteral("warning"), warningColor(palette()), tr("Warning")};
    m_icon->setPixmap(tintedPixmap(mark.icon, statusIconSize, mark.ink));
    m_icon->setAccessibleName(mark.name);
}

}  // namespace meshreel

#include "moc_yaml_panel.cpp"
