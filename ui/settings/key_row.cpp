// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/key_row.h"

#include <QAction>
#include <QApplication>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QTextDocument>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/project/project_keys.h"
#include "ui/settings/key_field.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr int helpWidth = 340;

/// "pixels · 16 to 4096, step 16 · default 64".
QString factsOf(const ProjectKey& key, const QString& standard) {
    QStringList facts{engineText(key.unit), limitsText(key)};
    if (!standard.isEmpty())
        facts += KeyHelp::tr("default %1", "value").arg(standard);
    facts.removeAll(QString());
    return facts.join(QStringLiteral(" · "));
}

}  // namespace

KeyHelp::KeyHelp(QWidget* parent) : QFrame(parent), m_text(new QLabel(this)) {
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::ToolTipBase);
    setAccessibleName(tr("Help"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::RichText);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeading);
    m_text->setTextInteractionFlags(Qt::TextBrowserInteraction);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->addWidget(m_text);
    connect(m_text, &QLabel::linkActivated, this, &KeyHelp::referenceRequested);
    hide();
    refresh();
}

void KeyHelp::popUp(const QWidget& field) {
    QWidget& home = *parentWidget();
    const int width = std::min(helpWidth, home.width() - 2 * spacing);
    const QSize size(width, layout()->totalHeightForWidth(width));
    const QRect place(field.mapTo(&home, QPoint()), field.size());
    const int below = place.bottom() + tightSpacing;
    const bool fitsBelow = below + size.height() <= home.height();
    const int left = std::clamp(place.left(), spacing, std::max(spacing, home.width() - width - spacing));
    const int top = fitsBelow ? below : std::max(0, place.top() - tightSpacing - size.height());
    setGeometry(QRect(QPoint(left, top), size));
    show();
    raise();
}

void KeyHelp::showKey(const ProjectKey& key, const QString& standard) {
    m_key = &key;
    m_standard = standard;
    refresh();
}

QString KeyHelp::text() const {
    return m_text->text();
}

void KeyHelp::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QFrame::changeEvent(event);
}

void KeyHelp::refresh() {
    const QString muted = mutedColor(palette()).name();
    if (m_key == nullptr) {
        m_text->setText(QStringLiteral("<span style='color:%1'>%2</span>")
                            .arg(muted, tr("Choose a setting to read what it does.")));
        return;
    }
    const QString name = QString::fromStdString(std::string(m_key->name)).toHtmlEscaped();
    m_text->setText(
        QStringLiteral("%1<br><span style='color:%2'>%3 <code>%4</code></span> <a href='%4'>%5</a>")
            .arg(engineText(m_key->help).toHtmlEscaped(), muted, factsOf(*m_key, m_standard).toHtmlEscaped(),
                 name, tr("Reference")));
}

namespace {

enum Column { MarkColumn, TitleColumn, FieldColumn, CaptionColumn, ResetColumn, ColumnCount };

constexpr int numberWidth = 100;
constexpr int markWidth = 3;
constexpr QSize resetIconSize{14, 14};
constexpr double smallTextScale = 0.9;

/// Help with the key's spelling, for those who write the file by hand.
QString keyToolTip(const ProjectKey& key) {
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
    keepInk(*label, mutedColor);
    return label;
}

}  // namespace

KeyRow::KeyRow(const ProjectKey& key, bool titled, QGridLayout* grid, QWidget* parent)
    : QObject(parent),
      m_key(key),
      m_titled(titled),
      m_title(new QLabel(engineText(key.title), parent)),
      m_field(KeyField::make(key, parent)),
      m_caption(smallLabel(parent)),
      m_message(smallLabel(parent)),
      m_mark(new QWidget(parent)),
      m_reset(new QToolButton(parent)) {
    m_title->setBuddy(m_field);
    m_title->setWordWrap(true);
    m_title->setCursor(Qt::WhatsThisCursor);
    m_title->installEventFilter(this);
    m_caption->setText(engineText(key.unit));  // limits are in the help
    m_message->hide();

    const QString help = keyToolTip(key);
    m_title->setToolTip(help);
    m_field->setToolTip(help);
    m_caption->setToolTip(help);
    m_field->describe(distinctTitle(key), engineText(key.help));
    m_field->setObjectName(QString::fromStdString(std::string(key.name)));
    makeReset();

    addTo(grid);
    updateColours();
}

bool KeyRow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_title && event->type() == QEvent::MouseButtonRelease)
        emit helpRequested();
    return QObject::eventFilter(watched, event);
}

void KeyRow::makeReset() {
    m_mark->setFixedWidth(markWidth);
    m_mark->setAutoFillBackground(true);
    // Tab goes from value to value; a key resets the current one.
    auto* reset = new QAction(themedIcon(QStringLiteral("reset")),
                              tr("Reset %1", "title of a setting").arg(distinctTitle(m_key)), m_field);
    reset->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Backspace));
    reset->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    m_field->addAction(reset);
    m_reset->setDefaultAction(reset);
    m_reset->setIconSize(resetIconSize);
    m_reset->setAutoRaise(true);
    m_reset->setFocusPolicy(Qt::ClickFocus);
    m_reset->setAccessibleName(reset->text());
    connect(reset, &QAction::triggered, this, &KeyRow::resetRequested);
    // Keeps room for both, so that nothing moves while the user types.
    for (QWidget* widget : {m_mark, static_cast<QWidget*>(m_reset)}) {
        QSizePolicy policy = widget->sizePolicy();
        policy.setRetainSizeWhenHidden(true);
        widget->setSizePolicy(policy);
        widget->hide();
    }
}

void KeyRow::setDefault(const QString& standard) {
    m_reset->defaultAction()->setToolTip(standard.isEmpty() ? tr("Back to the default: empty")
                                                            : tr("Back to the default: %1").arg(standard));
}

void KeyRow::addTo(QGridLayout* grid) {
    int row = grid->rowCount();
    const int firstRow = row;
    const bool ownLine = m_field->extent() == KeyField::Extent::Paragraph;
    const bool narrow = m_field->extent() == KeyField::Extent::Narrow;
    constexpr int upToReset = ResetColumn - TitleColumn;
    if (ownLine && m_titled)
        grid->addWidget(m_title, row++, TitleColumn, 1, upToReset);
    else if (m_titled)
        grid->addWidget(m_title, row, TitleColumn);
    if (narrow) {
        m_field->setFixedWidth(
            std::max({numberWidth, m_field->minimumSizeHint().width(), m_field->roomForApplied(m_key)}));
        grid->addWidget(m_field, row, FieldColumn);
        grid->addWidget(m_caption, row, CaptionColumn);
    }
    const int firstColumn = ownLine || !m_titled ? TitleColumn : FieldColumn;
    if (!narrow)
        grid->addWidget(m_field, row, firstColumn, 1, ResetColumn - firstColumn);
    grid->addWidget(m_mark, firstRow, MarkColumn, row - firstRow + 1, 1);
    grid->addWidget(m_reset, firstRow, ResetColumn, Qt::AlignTop);
    grid->addWidget(m_message, row + 1, firstColumn, 1, ResetColumn - firstColumn);
    grid->setColumnStretch(CaptionColumn, 1);
    m_title->setVisible(m_titled);
    m_caption->setVisible(narrow);
}

int KeyRow::leastTitleWidth() const {
    return standsBeside() ? m_title->minimumSizeHint().width() : 0;
}

void KeyRow::setTitleWidth(int width) {
    if (standsBeside())
        m_title->setFixedWidth(width);
}

bool KeyRow::standsBeside() const {
    return m_titled && m_field->extent() != KeyField::Extent::Paragraph;
}

QString KeyRow::message() const {
    return m_message->text();
}

void KeyRow::showProblem(const Problem* problem, bool touched) {
    const bool isError = touched && problem != nullptr && problem->severity == Severity::Error;
    m_field->setInvalid(isError);
    const QString help = engineText(m_key.help);
    const QString text =
        problem == nullptr ? QString() : withHint(messageText(*problem), sentenceText(problem->hint()));
    if (text != m_message->text())
        m_field->describe(distinctTitle(m_key), text.isEmpty() ? help : withHint(text, help));
    m_message->setText(text);
    keepInk(*m_message, m_field->isInvalid() ? errorColor : mutedColor);
    m_message->setVisible(m_visible && !text.isEmpty());
}

void KeyRow::updateColours() {
    QPalette mark = QApplication::palette();  // the form is told of a new one before what stands in it
    mark.setColor(QPalette::Window, mark.color(QPalette::Highlight));
    m_mark->setPalette(mark);
}

void KeyRow::setChanged(bool changed) {
    m_changed = changed;
    m_reset->defaultAction()->setEnabled(changed);
    m_mark->setVisible(m_visible && m_changed);
    m_reset->setVisible(m_visible && m_changed);
}

bool KeyRow::matches(const QString& text) const {
    const auto contains = [&text](const QString& words) { return words.contains(text, Qt::CaseInsensitive); };
    if (contains(engineText(m_key.title)) || contains(engineText(m_key.help)) ||
        contains(engineText(m_key.section)) || contains(QString::fromStdString(std::string(m_key.name))))
        return true;
    if (m_key.choices == nullptr)
        return false;
    const std::vector<Choice> choices = m_key.choices();
    return std::ranges::any_of(choices, [&](const Choice& choice) {
        return contains(QString::fromStdString(std::string(choice.name)));
    });
}

void KeyRow::setVisible(bool visible) {
    m_visible = visible;
    setChanged(m_changed);
    // Hidden rows give their room back, shown ones keep it for mark and button.
    for (QWidget* widget : {m_mark, static_cast<QWidget*>(m_reset)}) {
        QSizePolicy policy = widget->sizePolicy();
        policy.setRetainSizeWhenHidden(visible);
        widget->setSizePolicy(policy);
    }
    m_title->setVisible(visible && m_titled);
    m_field->setVisible(visible);
    m_caption->setVisible(visible && m_field->extent() == KeyField::Extent::Narrow);
    m_message->setVisible(visible && !message().isEmpty());
}

KeyReference::KeyReference(QWidget* parent) : QTextBrowser(parent) {
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Reference of the project keys"));
    document()->setDocumentMargin(panelMargin);
    // The first line tells programmers how the page is made.
    const auto say = [](const Sentence& sentence) { return sentenceText(sentence).toStdString(); };
    QString page = QString::fromStdString(keysMarkdown(say));
    page.remove(0, page.indexOf(QLatin1Char('#')));
    setMarkdown(page);
}

void KeyReference::showKey(const QString& name) {
    const QTextCursor found = document()->find(name + QStringLiteral(" ("));
    if (found.isNull())
        return;
    moveCursor(QTextCursor::End);  // so that what is found comes to stand at the top
    QTextCursor mark = document()->find(name, found.selectionStart());
    setTextCursor(mark);
    ensureCursorVisible();
}

}  // namespace meshreel

#include "moc_key_row.cpp"
