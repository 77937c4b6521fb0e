// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_panel.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QShortcut>
#include <QShowEvent>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/run_record_reader.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/splitter.h"

namespace meshreel {

namespace {

constexpr int timelineHeight = 420;
constexpr int statisticsHeight = 170;
constexpr int leastStatistics = 90;
constexpr int leastChoice = 14;  ///< letters of a run's name
constexpr int mostOfferedRuns = 100;
constexpr QLatin1String mostCounted("88,888");

}  // namespace

void StatisticsModel::setTraces(const std::vector<NamedTrace>& traces, const std::optional<TimeSpan>& span) {
    beginResetModel();
    m_rows.clear();
    for (const NamedTrace& named : traces)
        for (const NameStatistics& of :
             named.trace->statistics(span.value_or(TimeSpan{0, named.trace->seconds()})))
            m_rows.push_back({named.trace->names()[of.name], named.name, of});
    endResetModel();
}

int StatisticsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int StatisticsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant StatisticsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const NameStatistics& of = row.statistics;
    if (role == Qt::TextAlignmentRole && index.column() >= Total)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != SortRole)
        return {};
    const bool shown = role == Qt::DisplayRole;
    const auto time = [shown](double seconds) {
        return shown ? QVariant(timeText(seconds)) : QVariant(seconds);
    };
    switch (index.column()) {
        case Name:
            return row.name;
        case Run:
            return row.run;
        case Total:
            return time(of.total);
        case Count:
            return shown ? QVariant(QLocale().toString(static_cast<qulonglong>(of.count)))
                         : QVariant(static_cast<qulonglong>(of.count));
        case Mean:
            return time(of.mean());
        case Longest:
            return time(of.most);
        default:
            return {};
    }
}

QVariant StatisticsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::ToolTipRole && section == Total)
        return tr(
            "Seconds of all lanes together, as far as they are in what is measured; slices inside others "
            "count in both");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
        case Name:
            return tr("Name");
        case Run:
            return tr("Run");
        case Total:
            return tr("Total");
        case Count:
            return tr("Count");
        case Mean:
            return tr("Mean");
        case Longest:
            return tr("Longest");
        default:
            return {};
    }
}

TimelinePanel::TimelinePanel(QWidget* parent)
    : QWidget(parent),
      m_choices{new QComboBox(this), new QComboBox(this)},
      m_search(new QLineEdit(this)),
      m_previous(new QToolButton(this)),
      m_next(new QToolButton(this)),
      m_count(new QLabel(this)),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState({}, this)),
      m_view(new TimelineView(this)),
      m_words(new QLabel(this)),
      m_statistics(new StatisticsModel(this)),
      m_table(new QTableView(this)) {
    connect(m_empty->addButton(themedIcon(QStringLiteral("film")), tr("Choose a run")), &QPushButton::clicked,
            this, &TimelinePanel::runsRequested);
    m_stage->addWidget(m_empty);
    auto* body = new Splitter(Qt::Vertical, this);
    body->addPart(m_view, tr("timeline", "beside a divider"));
    body->addPart(makeFoot(), tr("statistics", "beside a divider"));
    body->setStretchFactor(0, 1);
    body->setFirstSizes({timelineHeight, statisticsHeight});
    m_stage->addWidget(body);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->setSpacing(spacing);
    layout->addWidget(makeHeader());
    layout->addWidget(m_stage, 1);
    connect(m_view, &TimelineView::selectionChanged, this, &TimelinePanel::refreshWords);
    connect(m_view, &TimelineView::selectionChanged, this, &TimelinePanel::refreshFound);
    connect(m_view, &TimelineView::measuredChanged, this, &TimelinePanel::refreshWords);
    connect(m_view, &TimelineView::measuredChanged, this, &TimelinePanel::refreshStatistics);
    auto* find = new QShortcut(QKeySequence(Qt::Key_Slash), m_view);
    find->setContext(Qt::WidgetShortcut);
    connect(find, &QShortcut::activated, m_search, qOverload<>(&QWidget::setFocus));
    fillChoices();
    refresh();
}

QWidget* TimelinePanel::makeHeader() {
    for (QComboBox* choice : m_choices) {
        choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        choice->setMinimumContentsLength(leastChoice);
    }
    nameControl(*m_choices[Upper], tr("Run"));
    m_choices[Upper]->setToolTip(tr("The run whose trace is shown"));
    nameControl(*m_choices[Lower], tr("Run below"));
    m_choices[Lower]->setToolTip(tr("A second run, below the first on the same time axis"));
    for (const Place place : {Upper, Lower})
        connect(m_choices[place], &QComboBox::activated, this,
                [this, place] { choose(place, m_choices[place]->currentData().toString()); });
    m_search->setPlaceholderText(tr("Search names"));
    m_search->setClearButtonEnabled(true);
    nameControl(*m_search, tr("Search names of slices"));
    connect(m_search, &QLineEdit::textChanged, this, &TimelinePanel::find);
    m_search->installEventFilter(this);
    m_previous->setIcon(themedIcon(QStringLiteral("up")));
    m_previous->setToolTip(tr("Previous one found (Shift+Enter)"));
    m_previous->setAccessibleName(tr("Previous one found"));
    connect(m_previous, &QToolButton::clicked, this, [this] { goToFound(-1); });
    m_next->setIcon(themedIcon(QStringLiteral("down")));
    m_next->setToolTip(tr("Next one found (Enter)"));
    m_next->setAccessibleName(tr("Next one found"));
    connect(m_next, &QToolButton::clicked, this, [this] { goToFound(1); });
    // Its words come and go, and nothing else is to move.
    m_count->setMinimumWidth(m_count->fontMetrics().horizontalAdvance(
        tr("%1 of %2", "the selected slice among those found").arg(mostCounted, mostCounted)));
    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    row->addWidget(m_choices[Upper], 1);
    row->addWidget(m_choices[Lower], 1);
    row->addWidget(m_search, 1);
    row->addWidget(m_previous);
    row->addWidget(m_next);
    row->addWidget(m_count);
    return header;
}

/// Enter goes on, with Shift back. The field takes both for itself.
bool TimelinePanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_search || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter)
        return false;
    goToFound(key->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
    return true;
}

void TimelinePanel::find() {
    const QString text = m_search->text();
    m_view->setSearch(text);
    m_found.clear();
    if (!text.isEmpty())
        for (std::size_t trace = 0; trace < m_view->traces().size(); ++trace) {
            const TraceModel& model = *m_view->traces()[trace].trace;
            for (const SlicePlace& place : model.find(model.namesWith(text)))
                m_found.push_back({static_cast<int>(trace), place});
        }
    refreshFound();
}

QWidget* TimelinePanel::makeFoot() {
    m_words->setTextFormat(Qt::PlainText);
    m_words->setWordWrap(true);
    m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(m_statistics);
    sorted->setSortRole(StatisticsModel::SortRole);
    m_table->setModel(sorted);
    m_table->setAccessibleName(tr("Statistics by name"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(StatisticsModel::Total, Qt::DescendingOrder);
    m_table->addAction((new SortMenu(*m_table->horizontalHeader()))->menuAction());
    setUpRowTable(*m_table);
    // A name of the table is what one looks for next.
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        m_search->setText(index.siblingAtColumn(StatisticsModel::Name).data().toString());
    });
    auto* foot = new QWidget(this);
    foot->setMinimumHeight(leastStatistics);
    auto* column = new QVBoxLayout(foot);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_words);
    column->addWidget(m_table, 1);
    return foot;
}

QString TimelinePanel::nameOf(const QString& folder) const {
    const auto found = std::ranges::find(m_runs, folder, &TimelineRun::folder);
    return found == m_runs.end() ? QFileInfo(folder).fileName() : found->name;
}

void TimelinePanel::fillChoices() {
    for (const Place place : {Upper, Lower}) {
        QComboBox& choice = *m_choices[place];
        const QSignalBlocker blocker(choice);
        choice.clear();
        choice.addItem(place == Upper ? tr("No run") : tr("No second run"), QString());
        const QString& folder = m_chosen[place].folder;
        if (!folder.isEmpty() && std::ranges::find(m_runs, folder, &TimelineRun::folder) == m_runs.end())
            choice.addItem(nameOf(folder), folder);
        for (const TimelineRun& run : m_runs) {
            choice.addItem(run.name, run.folder);
            choice.setItemData(choice.count() - 1, QFileInfo(run.folder).fileName(), Qt::ToolTipRole);
        }
        choice.setCurrentIndex(std::max(0, choice.findData(folder)));
    }
}

void TimelinePanel::setRuns(std::vector<TimelineRun> runs) {
    if (runs == m_runs)
        return;
    m_runs = std::move(runs);
    fillChoices();
}

void TimelinePanel::followRuns(const QAbstractItemModel& list, int folderRole) {
    m_offering.setSingleShot(true);
    m_offering.callOnTimeout(this, [this, &list, folderRole] { offer(list, folderRole); });
    const auto offerSoon = [this] { m_offering.start(); };
    connect(&list, &QAbstractItemModel::rowsInserted, this, offerSoon);
    connect(&list, &QAbstractItemModel::rowsRemoved, this, offerSoon);
}

void TimelinePanel::offer(const QAbstractItemModel& list, int folderRole) {
    std::vector<std::string> names;
    std::vector<TimelineRun> runs;
    for (int row = 0; row < std::min(list.rowCount(), mostOfferedRuns); ++row) {
        const QString folder = list.index(row, 0).data(folderRole).toString();
        runs.push_back({.folder = folder, .name = {}});
        names.push_back(QFileInfo(folder).fileName().toStdString());
    }
    const std::vector<std::string> called = shortRunNames(names);
    for (std::size_t row = 0; row < runs.size(); ++row)
        runs[row].name = QString::fromStdString(called[row]);
    setRuns(std::move(runs));
}

void TimelinePanel::showRun(const QString& folder) {
    choose(Upper, folder);
}

void TimelinePanel::showBeside(const QString& folder) {
    choose(Lower, folder);
}

void TimelinePanel::choose(Place place, const QString& folder) {
    m_chosen[place] = {.folder = folder, .trace = nullptr, .problem = {}};
    fillChoices();
    m_reading[place].forget();
    if (isVisible())
        read(place);
    refresh();
}

void TimelinePanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    for (const Place place : {Upper, Lower})
        if (m_chosen[place].trace == nullptr && m_chosen[place].problem.isEmpty())
            read(place);
}

void TimelinePanel::read(Place place) {
    if (m_chosen[place].folder.isEmpty())
        return;
    m_reading[place].run(
        [folder = m_chosen[place].folder.toStdString()] {
            return std::shared_ptr<const TraceModel>(std::make_shared<TraceModel>(readRunTrace(folder)));
        },
        [this, place](std::shared_ptr<const TraceModel> trace) {
            m_chosen[place].trace = std::move(trace);
            refresh();
            emit shown();
        },
        [this, place](const Problem& problem) {
            m_chosen[place].problem = wholeText(problem);
            refresh();
            emit shown();
        });
}

void TimelinePanel::refresh() {
    std::vector<NamedTrace> traces;
    QString problem;
    for (const Chosen& chosen : m_chosen) {
        const QString name = nameOf(chosen.folder);
        if (chosen.trace != nullptr && !chosen.trace->isEmpty())
            traces.push_back({name, chosen.trace});
        else if (!chosen.problem.isEmpty())
            problem = chosen.problem;
        else if (chosen.trace != nullptr)
            problem = tr("%1 left no trace. Runs write it when they end: choose one that is done.", "a run")
                          .arg(name);
    }
    const bool isReading = problem.isEmpty() && std::ranges::any_of(m_chosen, [](const Chosen& chosen) {
                               return !chosen.folder.isEmpty();
                           });
    m_empty->setSentence(!problem.isEmpty() ? problem
                         : isReading        ? tr("Reading the trace…")
                                     : tr("Choose a run to see what its devices did, step by step and block "
                                          "by block."));
    const bool areTraces = !traces.empty();
    m_table->setColumnHidden(StatisticsModel::Run, traces.size() < 2);
    m_view->setTraces(std::move(traces));
    refreshStatistics();
    m_stage->setCurrentIndex(areTraces ? 1 : 0);
    if (areTraces && !problem.isEmpty())
        m_words->setText(problem);
    m_search->setEnabled(areTraces);
    find();
}

void TimelinePanel::refreshFound() {
    const bool searches = !m_search->text().isEmpty();
    m_previous->setEnabled(!m_found.empty());
    m_next->setEnabled(!m_found.empty());
    const auto selected =
        m_view->selected() ? std::ranges::find(m_found, *m_view->selected()) : m_found.end();
    const QLocale locale;
    const QString all = locale.toString(static_cast<qulonglong>(m_found.size()));
    m_count->setText(
        !searches         ? QString()
        : m_found.empty() ? tr("Nothing found")
        : selected == m_found.end()
            ? tr("%1 found", "slices").arg(all)
            : tr("%1 of %2", "the selected slice among those found")
                  .arg(locale.toString(static_cast<qulonglong>(selected - m_found.begin() + 1)), all));
}

void TimelinePanel::goToFound(int direction) {
    if (m_found.empty())
        return;
    const auto count = static_cast<std::ptrdiff_t>(m_found.size());
    std::ptrdiff_t next = direction > 0 ? 0 : count - 1;
    if (const std::optional<TimelinePlace>& selected = m_view->selected()) {
        if (const auto here = std::ranges::find(m_found, *selected); here != m_found.end()) {
            next = (here - m_found.begin() + direction + count) % count;
        } else {
            const auto startOf = [this](const TimelinePlace& place) {
                const TraceModel& model = *m_view->traces()[static_cast<std::size_t>(place.trace)].trace;
                return std::pair(place.trace, model.at(place.slice).start);
            };
            const auto after = std::ranges::lower_bound(m_found, startOf(*selected), {}, startOf);
            next = (after - m_found.begin() + (direction > 0 ? 0 : -1) + count) % count;
        }
    }
    m_view->goTo(m_found[static_cast<std::size_t>(next)]);
}

void TimelinePanel::refreshWords() {
    QStringList parts;
    if (m_view->selected())
        parts += m_view->describe(*m_view->selected());
    if (m_view->measured())
        parts += tr("Measured: %1", "a time").arg(timeText(m_view->measured()->seconds()));
    m_words->setText(parts.isEmpty()
                         ? tr("Click a slice to select it; drag along the ruler, or with Shift, to "
                              "measure. Below is the whole run.")
                         : parts.join(QStringLiteral(" · ")));
}

void TimelinePanel::refreshStatistics() {
    m_statistics->setTraces(m_view->traces(), m_view->measured());
    m_table->resizeColumnsToContents();
}

QString TimelinePanel::words() const {
    return m_words->text();
}

QString TimelinePanel::foundText() const {
    return m_count->text();
}

QString TimelinePanel::obstacle() const {
    return m_stage->currentWidget() == m_empty ? m_empty->sentence() : QString();
}

}  // namespace meshreel

#include "moc_timeline_panel.cpp"
