// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/filter_bar.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <utility>

#include "ui/runs/run_filter.h"
#include "ui/theme/look.h"
#include "ui/widgets/accessibility.h"

namespace meshreel {

void ChipRow::setChips(const QList<QToolButton*>& chips) {
    const bool hadFocus = std::ranges::any_of(m_chips, &QWidget::hasFocus);
    for (QToolButton* chip : std::exchange(m_chips, chips)) {
        chip->hide();
        chip->deleteLater();
    }
    for (QToolButton* chip : m_chips) {
        chip->setParent(this);
        chip->show();
    }
    setVisible(!m_chips.isEmpty());
    if (hadFocus && !m_chips.isEmpty())
        m_chips.first()->setFocus();
    updateGeometry();
    place(width(), true);
}

QSize ChipRow::sizeHint() const {
    int width = 0;
    for (const QToolButton* chip : m_chips)
        width += chip->sizeHint().width() + tightSpacing;
    return {width, place(width, false)};
}

QSize ChipRow::minimumSizeHint() const {
    int width = 0;
    for (const QToolButton* chip : m_chips)
        width = std::max(width, chip->sizeHint().width());
    return {width, place(std::max(width, this->width()), false)};
}

void ChipRow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place(width(), true);
}

int ChipRow::place(int width, bool moves) const {
    int x = 0;
    int y = 0;
    int line = 0;
    for (QToolButton* chip : m_chips) {
        const QSize size = chip->sizeHint();
        if (x > 0 && x + size.width() > width) {
            x = 0;
            y += line + tightSpacing;
            line = 0;
        }
        if (moves)
            chip->setGeometry(isRightToLeft() ? QRect(QPoint(width - x - size.width(), y), size)
                                              : QRect(QPoint(x, y), size));
        x += size.width() + tightSpacing;
        line = std::max(line, size.height());
    }
    return y + line;
}

namespace {

constexpr int leastSearchWidth = 110;
constexpr int mostChipWidth = 220;

struct Days {
    int days;
    const char* title;  ///< in the context of FilterBar
};
constexpr std::array daysOffered{Days{1, QT_TRANSLATE_NOOP("meshreel::FilterBar", "Today")},
                                 Days{7, QT_TRANSLATE_NOOP("meshreel::FilterBar", "Last 7 days")},
                                 Days{30, QT_TRANSLATE_NOOP("meshreel::FilterBar", "Last 30 days")}};

/// In which & is no mark of a mnemonic.
QString asLabel(QString text) {
    return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

}  // namespace

FilterBar::FilterBar(RunFilter& filter, QWidget* parent)
    : QWidget(parent),
      m_filter(filter),
      m_search(new QLineEdit(this)),
      m_starred(new QToolButton(this)),
      m_more(new QToolButton(this)),
      m_menu(new QMenu(m_more)),
      m_count(new QLabel(this)),
      m_chips(new ChipRow(this)),
      m_row(new QHBoxLayout) {
    m_search->setPlaceholderText(tr("Search runs"));
    m_search->setAccessibleName(m_search->placeholderText());
    m_search->setClearButtonEnabled(true);
    m_search->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->setMinimumWidth(leastSearchWidth);
    m_starred->setIcon(themedIcon(QStringLiteral("star")));
    m_starred->setCheckable(true);
    m_starred->setAutoRaise(true);
    m_starred->setFocusPolicy(Qt::TabFocus);
    m_starred->setAccessibleName(tr("Only runs with a star"));
    m_starred->setToolTip(tr("Show only runs with a star"));
    m_more->setObjectName(QStringLiteral("runFilter"));
    m_more->setText(tr("Filter"));
    m_more->setIcon(themedIcon(QStringLiteral("filter")));
    m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_more->setAutoRaise(true);
    m_more->setFocusPolicy(Qt::TabFocus);
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setToolTip(tr("Show only runs of a model, task, adapter, time, tag or board"));
    m_more->setMenu(m_menu);
    m_count->setTextFormat(Qt::PlainText);
    m_count->setAlignment(Qt::AlignCenter);
    layOut();
    connect(m_menu, &QMenu::aboutToShow, this, &FilterBar::fillMenu);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& words) {
        RunTerms choice = m_filter.choice();
        choice.words = words;
        m_filter.setChoice(choice);
    });
    connect(m_starred, &QToolButton::toggled, this, [this](bool starred) {
        RunTerms choice = m_filter.choice();
        choice.starred = starred;
        m_filter.setChoice(choice);
    });
    connect(&m_filter, &RunFilter::choiceChanged, this, &FilterBar::showChoice);
    showChoice();
}

void FilterBar::layOut() {
    m_row->setSpacing(tightSpacing);
    m_row->addWidget(m_search, 1);
    m_row->addWidget(m_count);
    m_row->addWidget(m_starred);
    m_row->addWidget(m_more);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addLayout(m_row);
    column->addWidget(m_chips);
}

void FilterBar::addControl(QWidget* control) {
    m_row->addWidget(control);
}

void FilterBar::clear() {
    m_filter.setChoice({});
}

void FilterBar::focusSearch() {
    m_search->setFocus();
    m_search->selectAll();
}

void FilterBar::fillMenu() {
    m_menu->clear();
    for (const RunField& field : RunFilter::fields())
        addField(field);
    addDays();
    m_menu->addSeparator();
    QAction* all = m_menu->addAction(tr("Show all runs"), this, &FilterBar::clear);
    all->setEnabled(!m_filter.choosesAll());
}

/// A run has one value of it or another: one is chosen at a time, and again to end it.
void FilterBar::addField(const RunField& field) {
    const QString chosen = m_filter.choice().*field.value;
    QMenu* menu = m_menu->addMenu(RunFilter::tr(field.title));
    for (const QString& value : m_filter.valuesOf(field)) {
        QAction* action = menu->addAction(asLabel(RunFilter::textOf(field, value)));
        action->setCheckable(true);
        action->setChecked(value == chosen);
        connect(action, &QAction::triggered, this, [this, field, value](bool checked) {
            RunTerms choice = m_filter.choice();
            choice.*field.value = checked ? value : QString();
            m_filter.setChoice(choice);
        });
    }
    menu->setEnabled(!menu->isEmpty());
}

void FilterBar::addDays() {
    QMenu* menu = m_menu->addMenu(tr("Started"));
    for (const Days& offered : daysOffered) {
        QAction* action = menu->addAction(tr(offered.title));
        action->setCheckable(true);
        action->setChecked(m_filter.choice().days == offered.days);
        connect(action, &QAction::triggered, this, [this, days = offered.days](bool checked) {
            RunTerms choice = m_filter.choice();
            choice.days = checked ? days : 0;
            m_filter.setChoice(choice);
        });
    }
}

QToolButton* FilterBar::makeChip(const QString& text, const std::function<void()>& end) {
    auto* chip = new QToolButton(m_chips);
    chip->setText(asLabel(chip->fontMetrics().elidedText(text, Qt::ElideMiddle, mostChipWidth)));
    chip->setIcon(themedIcon(QStringLiteral("close")));
    chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    chip->setFocusPolicy(Qt::TabFocus);
    chip->setAccessibleName(tr("End the filter %1").arg(text));
    chip->setToolTip(chip->accessibleName());
    connect(chip, &QToolButton::clicked, this, end);
    return chip;
}

void FilterBar::showChoice() {
    const RunTerms& choice = m_filter.choice();
    if (m_search->text() != choice.words)
        m_search->setText(choice.words);
    m_starred->setChecked(choice.starred);
    m_starred->setIcon(themedIcon(choice.starred ? QStringLiteral("star-full") : QStringLiteral("star")));
    QList<QToolButton*> chips;
    for (const RunField& field : RunFilter::fields())
        if (const QString value = choice.*field.value; !value.isEmpty())
            chips += makeChip(tr("%1: %2", "kind of filter and its value")
                                  .arg(RunFilter::tr(field.title), RunFilter::textOf(field, value)),
                              [this, field] {
                                  RunTerms less = m_filter.choice();
                                  (less.*field.value).clear();
                                  m_filter.setChoice(less);
                              });
    for (const Days& offered : daysOffered)
        if (choice.days == offered.days)
            chips += makeChip(tr(offered.title), [this] {
                RunTerms less = m_filter.choice();
                less.days = 0;
                m_filter.setChoice(less);
            });
    if (choice.starred)
        chips += makeChip(tr("With a star"), [this] { m_starred->setChecked(false); });
    m_chips->setChips(chips);
    showCount();
}

QString FilterBar::count() const {
    return m_count->text();
}

void FilterBar::showCount() {
    const QString all = locale().toString(m_filter.allRuns());
    m_count->setText(
        m_filter.choosesAll()
            ? all
            : tr("%1 of %2", "numbers of runs").arg(locale().toString(m_filter.rowCount()), all));
    const QString told = m_filter.choosesAll() ? tr("%n runs", nullptr, m_filter.allRuns())
                                               : tr("%1 runs are shown").arg(m_count->text());
    m_count->setToolTip(told);
    m_count->setAccessibleName(told);
    m_count->setVisible(m_filter.allRuns() > 0);
}

}  // namespace meshreel

#include "moc_filter_bar.cpp"
