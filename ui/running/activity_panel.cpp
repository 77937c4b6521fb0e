// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/activity_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QLocale>
#include <QPalette>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/base/files.h"
#include "engine/base/system.h"
#include "engine/base/units.h"
#include "engine/base/worker_pool.h"
#include "engine/timing/memory_watch.h"
#include "ui/charts/chart_sheet.h"
#include "ui/running/activity_graph.h"
#include "ui/theme/look.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/row_table.h"

namespace meshreel {

namespace {

QString timeText(const LogLine& line) {
    return line.when.toString(QStringLiteral("HH:mm:ss"));
}

}  // namespace

void LogModel::clear() {
    beginResetModel();
    m_lines.clear();
    endResetModel();
}

void LogModel::append(const std::vector<LogLine>& lines) {
    if (lines.empty())
        return;
    beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(lines.size()) - 1);
    m_lines.insert(m_lines.end(), lines.begin(), lines.end());
    endInsertRows();
}

QString LogModel::lineText(int row) const {
    const LogLine& line = m_lines[static_cast<std::size_t>(row)];
    return QStringLiteral("%1  %2").arg(timeText(line), line.words);
}

QString LogModel::text() const {
    QString text;
    for (int row = 0; row < rowCount(); ++row)
        text += lineText(row) + QLatin1Char('\n');
    return text;
}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int LogModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const LogLine& line = m_lines[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return index.column() == When ? timeText(line) : line.words;
        case Qt::ToolTipRole:
            return line.words;
        case Qt::ForegroundRole:
            if (line.isWarning)
                return warningColor(QGuiApplication::palette());
            return index.column() == When ? mutedColor(QGuiApplication::palette()) : QVariant();
        case WarningRole:
            return line.isWarning;
        default:
            return {};
    }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == When ? tr("Time") : tr("What happened");
}

namespace {

constexpr int sampleMilliseconds = 500;
constexpr int leastLogLines = 3;

/// Lines that hold the searched words, and of them only warnings if wanted.
class LogFilter : public QSortFilterProxyModel {
  public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setWarningsOnly(bool only) {
        m_warningsOnly = only;
        invalidateFilter();
    }

  protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        const QModelIndex index = sourceModel()->index(row, LogModel::Words, parent);
        return (!m_warningsOnly || index.data(LogModel::WarningRole).toBool()) &&
               QSortFilterProxyModel::filterAcceptsRow(row, parent);
    }

  private:
    bool m_warningsOnly = false;
};

}  // namespace

ActivityPanel::ActivityPanel(QWidget* parent)
    : QWidget(parent),
      m_processors(new ActivityGraph(
          tr("Processors"), [](double value) { return QLocale().toString(value, 'f', 1); }, this)),
      m_memory(new ActivityGraph(
          tr("Memory"),
          [](double value) { return QLocale().formattedDataSize(static_cast<qint64>(value), 1); }, this)),
      m_export(new ExportButton(QStringLiteral("activity"), this)),
      m_search(new QLineEdit(this)),
      m_warnings(new QCheckBox(tr("Warnings only"), this)),
      m_save(new QToolButton(this)),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState({}, this)),
      m_view(new QTreeView(this)) {
    m_processors->setToolTip(
        tr("Processors that this program keeps busy; those of launched ranks are not in it"));
    m_memory->setToolTip(
        tr("Memory of this program without pages of files; that of launched ranks is not in it"));
    auto* graphs = new QHBoxLayout;
    graphs->setSpacing(panelMargin);
    graphs->addWidget(m_processors);
    graphs->addWidget(m_memory);
    graphs->addWidget(m_export, 0, Qt::AlignTop);
    connect(m_export, &ExportButton::exportRequested, this, &ActivityPanel::exportRequested);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->setSpacing(spacing);
    layout->addLayout(graphs);
    layout->addWidget(makeLog(), 1);
    m_timer.setInterval(sampleMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &ActivityPanel::sample);
    showSamples();
}

QWidget* ActivityPanel::makeLog() {
    auto* filter = new LogFilter(this);
    m_shown = filter;
    filter->setSourceModel(&m_log);
    filter->setFilterKeyColumn(LogModel::Words);
    filter->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_view->setModel(filter);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setMinimumHeight(leastLogLines * m_view->fontMetrics().lineSpacing());
    m_view->setHeaderHidden(true);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setAccessibleName(tr("Log of the run"));
    new CellTips(*m_view);
    connect(m_search, &QLineEdit::textChanged, filter, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_warnings, &QCheckBox::toggled, this, [filter](bool only) { filter->setWarningsOnly(only); });
    for (const auto change : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(filter, change, this, &ActivityPanel::refreshLog);
    connect(filter, &QAbstractItemModel::modelReset, this, &ActivityPanel::refreshLog);
    auto* copy = new QAction(themedIcon(QStringLiteral("edit-copy")), tr("Copy"), m_view);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &ActivityPanel::copyLines);
    m_view->addAction(copy);
    m_view->setContextMenuPolicy(Qt::ActionsContextMenu);
    followLog();
    m_stage->addWidget(m_empty);
    m_stage->addWidget(m_view);
    auto* log = new QWidget(this);
    auto* column = new QVBoxLayout(log);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(makeLogHeader());
    column->addWidget(m_stage, 1);
    refreshLog();
    return log;
}

QWidget* ActivityPanel::makeLogHeader() {
    m_search->setPlaceholderText(tr("Search the log"));
    m_search->setAccessibleName(m_search->placeholderText());
    m_search->setClearButtonEnabled(true);
    m_search->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    const int icons = 2 * m_search->sizeHint().height();
    m_search->setMinimumWidth(m_search->fontMetrics().horizontalAdvance(m_search->placeholderText()) + icons);
    m_save->setIcon(themedIcon(QStringLiteral("document-save")));
    m_save->setText(tr("Save log…"));
    m_save->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_save->setToolTip(tr("Write the whole log to a file, to be sent with a report"));
    connect(m_save, &QToolButton::clicked, this, &ActivityPanel::askForLogFile);
    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_search, 1);
    row->addWidget(m_warnings);
    row->addWidget(m_save);
    return header;
}

/// Follows until the user scrolls up. A view that is not shown lays its rows out when it is.
void ActivityPanel::followLog() {
    QScrollBar* bar = m_view->verticalScrollBar();
    connect(bar, &QScrollBar::rangeChanged, this, [this, bar] {
        if (m_follows)
            bar->setValue(bar->maximum());
    });
    connect(bar, &QScrollBar::valueChanged, this,
            [this, bar](int value) { m_follows = value == bar->maximum(); });
}

void ActivityPanel::copyLines() const {
    QList<int> rows;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows())
        rows += m_shown->mapToSource(index).row();
    std::ranges::sort(rows);
    QStringList lines;
    for (const int row : rows)
        lines += m_log.lineText(row);
    if (!lines.isEmpty())
        QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')) + QLatin1Char('\n'));
}

void ActivityPanel::askForLogFile() {
    const QString file = askForExport(
        {.title = tr("Save log"), .name = QStringLiteral("meshreel-log.txt"), .filters = tr("Text (*.txt)")},
        this);
    if (!file.isEmpty())
        emit saveLogRequested(file);
}

void ActivityPanel::saveLog(const std::filesystem::path& file) const {
    writeFileAtomically(file, m_log.text().toStdString());
}

void ActivityPanel::refreshLog() {
    m_save->setEnabled(m_log.rowCount() > 0);
    m_empty->setSentence(m_log.rowCount() == 0
                             ? tr("What a run reports is listed here and can be searched: press Run.")
                             : tr("No line of the log has these words."));
    m_stage->setCurrentWidget(m_shown->rowCount() == 0 ? static_cast<QWidget*>(m_empty) : m_view);
}

void ActivityPanel::begin() {
    m_log.clear();
    m_follows = true;
    m_samples.clear();
    m_clock.start();
    m_timer.start();
    sample();
}

void ActivityPanel::follow(const std::vector<StudioEvent>& events) {
    std::vector<LogLine> lines;
    for (const StudioEvent& event : events)
        if (std::optional<LogLine> line = logLine(event))
            lines.push_back(*std::move(line));
    addLines(lines);
}

void ActivityPanel::addLines(const std::vector<LogLine>& lines) {
    m_log.append(lines);
    m_view->resizeColumnToContents(LogModel::When);
}

void ActivityPanel::end() {
    sample();
    m_timer.stop();
}

void ActivityPanel::exportTo(const std::filesystem::path& file) const {
    ChartSheet sheet = activitySheet(m_samples.samples(), availableCpus());
    sheet.title = tr("Processors and memory");
    exportChart(file, sheet);
}

void ActivityPanel::sample() {
    m_samples.add(static_cast<double>(m_clock.elapsed()) / millisecondsPerSecond, processCpuSeconds(),
                  residentMemory().own);
    showSamples();
}

void ActivityPanel::showSamples() {
    std::vector<QPointF> processors;
    std::vector<QPointF> memory;
    for (const ActivitySample& sample : m_samples.samples()) {
        processors.emplace_back(sample.seconds, sample.busyCpus);
        memory.emplace_back(sample.seconds, static_cast<double>(sample.bytes));
    }
    m_export->setEnabled(!processors.empty());
    const double limit = memory.empty() ? 1.0 : memory.back().y() + static_cast<double>(availableMemory());
    m_processors->setPoints(std::move(processors), availableCpus());
    m_memory->setPoints(std::move(memory), limit);
}

}  // namespace meshreel

#include "moc_activity_panel.cpp"
