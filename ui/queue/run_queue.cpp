// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/run_queue.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMimeData>
#include <QPalette>
#include <QSet>
#include <QStringList>
#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "engine/base/held_file.h"
#include "engine/project/gpu_choice.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_folder.h"
#include "ui/queue/queue_store.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/values/pictures.h"

namespace meshreel {

namespace {

struct QueuedSettings {
    Q_DECLARE_TR_FUNCTIONS(meshreel::QueuedSettings)
};

constexpr qsizetype longestCell = 48;  ///< characters
constexpr QSize pictureSize{72, 44};   ///< twice what is shown, for screens of 200 %

/// Those that have a column of their own, and the name, which changes nothing.
constexpr std::array<std::string_view, 8> shownElsewhere{
    "name", "prompt", "width", "height", "num_frames", "num_inference_steps", "seed", "attention"};

bool isVaried(const QueuedRun& run, const ProjectKey& key) {
    return std::ranges::find(run.varied, key.name) != run.varied.end();
}

QString toText(const QueuedRun& run, const ProjectKey& key) {
    return QueuedSettings::tr("%1: %2", "title of a setting and its value")
        .arg(distinctTitle(key), valueWords(key, valueText(run.project, key)));
}

/// Returns what distinguishes a queued run from others besides its prompt, size, steps, seed and attention:
/// those keys that its grid varies; for a run without a grid those that are not at their defaults. "Guidance:
/// 3, Flow shift: 1", cut to the width of a column.
QString distinctiveSettings(const QueuedRun& run) {
    QStringList settings;
    for (const ProjectKey& key : projectKeys()) {
        const bool wanted = run.varied.empty() ? !isDefault(run.project, key) : isVaried(run, key);
        if (wanted && std::ranges::find(shownElsewhere, key.name) == shownElsewhere.end())
            settings += toText(run, key);
    }
    const QString text = settings.join(QStringLiteral(", ")).simplified();
    return text.size() <= longestCell ? text : text.left(longestCell - 1) + QChar(0x2026);
}

/// Every setting that is varied or not at its default, "title: value" each.
QStringList chosenSettings(const QueuedRun& run) {
    QStringList settings;
    for (const ProjectKey& key : projectKeys())
        if (isVaried(run, key) || !isDefault(run.project, key))
            settings += toText(run, key);
    return settings;
}

/// Returns them one a line, as many as a screen of 600 pixels shows; how many more there are, in the last.
QString linesOfTip(const QStringList& lines) {
    constexpr qsizetype most = 24;
    if (lines.size() <= most)
        return lines.join(QLatin1Char('\n'));
    const auto more = static_cast<int>(lines.size() - (most - 1));
    return lines.first(most - 1).join(QLatin1Char('\n')) + QLatin1Char('\n') +
           QueuedSettings::tr("and %n more", "settings", more);
}

constexpr QLatin1String rowsMimeType("application/x-meshreel-queue-rows");
constexpr char rowSeparator = ',';

QString stateText(QueuedRun::State state) {
    switch (state) {
        case QueuedRun::State::Waiting:
            return RunQueue::tr("Waiting");
        case QueuedRun::State::Running:
            return RunQueue::tr("Running");
        case QueuedRun::State::Done:
            return RunQueue::tr("Done");
        case QueuedRun::State::Cancelled:
            return RunQueue::tr("Cancelled");
        case QueuedRun::State::Failed:
            return RunQueue::tr("Failed");
    }
    return {};
}

QString titleOf(const Project& project) {
    return QString::fromStdString(project.prompt.empty() ? project.name : project.prompt);
}

QString cellText(const QueuedRun& run, int column) {
    const Project& project = run.project;
    switch (column) {
        case RunQueue::Title:
            return titleOf(project);
        case RunQueue::StateColumn:
            return run.state == QueuedRun::State::Waiting && !run.folder.isEmpty()
                       ? RunQueue::tr("Will resume")
                       : stateText(run.state);
        case RunQueue::Video:
            return RunQueue::tr("%1 × %2, %n frames", nullptr, static_cast<int>(project.numFrames))
                .arg(project.width)
                .arg(project.height);
        case RunQueue::Sampling:
            return project.seed ? RunQueue::tr("%n steps, seed %1", nullptr,
                                               static_cast<int>(project.numInferenceSteps))
                                      .arg(*project.seed)
                                : RunQueue::tr("%n steps, random seed", nullptr,
                                               static_cast<int>(project.numInferenceSteps));
        case RunQueue::Settings:
            return distinctiveSettings(run);
        case RunQueue::Attention:
            return QString::fromStdString(project.attention);
        default:
            return {};
    }
}

QString tipText(const QueuedRun& run, int column) {
    if (column == RunQueue::Settings)
        return linesOfTip(chosenSettings(run));
    return run.remark.isEmpty() ? cellText(run, column) : run.remark;
}

/// Also where a link leads to it.
bool isSame(const QString& folder, const QString& other) {
    const QString place = QFileInfo(folder).canonicalFilePath();  // empty when it is gone
    return folder == other || (!place.isEmpty() && place == QFileInfo(other).canonicalFilePath());
}

/// Returns them in their order.
std::vector<RowSpan> toSpans(RunQueue::Rows rows) {
    std::ranges::sort(rows);
    std::vector<RowSpan> spans;
    for (const int row : rows)
        if (!spans.empty() && spans.back().first + spans.back().count == row)
            ++spans.back().count;
        else
            spans.push_back({.first = row, .count = 1});
    return spans;
}

std::vector<RowSpan> spansFromBelow(RunQueue::Rows rows) {
    std::vector<RowSpan> spans = toSpans(std::move(rows));
    std::ranges::reverse(spans);
    return spans;
}

}  // namespace

RunQueue::RunQueue(std::filesystem::path file, QObject* parent)
    : QAbstractTableModel(parent), m_store(std::move(file)), m_runs(m_store.restore()) {
    const auto isOpen = [](const QueuedRun& run) { return run.state != QueuedRun::State::Done; };
    std::ranges::stable_partition(m_runs, isOpen);  // of a version that left them in their places
    connect(this, &RunQueue::changed, &m_store, [this] { m_store.keep(m_runs); });
    connect(&m_store, &QueueStore::keepingFailed, this, &RunQueue::keepingFailed);
}

void RunQueue::add(const Project& project) {
    append({{.project = project}});
}

void RunQueue::add(const SettingGrid& grid) {
    std::vector<QueuedRun> runs;
    runs.reserve(grid.projects.size());
    for (const Project& project : grid.projects)
        runs.push_back({.project = project, .varied = grid.varied});
    append(std::move(runs));
}

void RunQueue::append(std::vector<QueuedRun> runs) {
    if (runs.empty())
        return;
    const auto isOpen = [](const QueuedRun& run) { return run.state != QueuedRun::State::Done; };
    const auto place = std::find_if(m_runs.rbegin(), m_runs.rend(), isOpen).base();  // before what is done
    const auto row = static_cast<int>(place - m_runs.begin());
    beginInsertRows({}, row, row + static_cast<int>(runs.size()) - 1);
    m_runs.insert(place, std::make_move_iterator(runs.begin()), std::make_move_iterator(runs.end()));
    endInsertRows();
    emit changed();
}

void RunQueue::remove(const Rows& rows) {
    Rows removed = rows;
    std::erase(removed, runningRow());
    if (removed.empty())
        return;
    for (const RowSpan& span : spansFromBelow(std::move(removed))) {
        beginRemoveRows({}, span.first, span.first + span.count - 1);
        m_runs.erase(m_runs.begin() + span.first, m_runs.begin() + span.first + span.count);
        endRemoveRows();
    }
    emit changed();
}

void RunQueue::moveUp(const Rows& rows) {
    bool moved = false;
    for (const RowSpan& span : toSpans(rows))
        moved = move(span, span.first - 1) || moved;
    if (moved)
        emit changed();
}

void RunQueue::moveDown(const Rows& rows) {
    bool moved = false;
    for (const RowSpan& span : spansFromBelow(rows))
        moved = move(span, span.first + span.count + 1) || moved;
    if (moved)
        emit changed();
}

void RunQueue::moveTo(const Rows& rows, int place) {
    const auto isAbove = [place](int row) { return row < place; };
    Rows above;
    Rows below;
    std::ranges::partition_copy(rows, std::back_inserter(above), std::back_inserter(below), isAbove);
    bool moved = false;
    int end = place;
    for (const RowSpan& span : spansFromBelow(std::move(above))) {
        moved = move(span, end) || moved;
        end -= span.count;
    }
    int begin = place;
    for (const RowSpan& span : toSpans(std::move(below))) {
        moved = move(span, begin) || moved;
        begin += span.count;
    }
    if (moved)
        emit changed();
}

bool RunQueue::move(const RowSpan& span, int place) {
    const int end = span.first + span.count;
    const bool exist = span.first >= 0 && end <= rowCount() && place >= 0 && place <= rowCount();
    if (!exist || (place >= span.first && place <= end))
        return false;
    beginMoveRows({}, span.first, end - 1, {}, place);
    const auto from = m_runs.begin() + span.first;
    const auto to = m_runs.begin() + place;
    if (place < span.first)
        std::rotate(to, from, from + span.count);
    else
        std::rotate(from, from + span.count, to);
    endMoveRows();
    return true;
}

void RunQueue::retry(const Rows& rows) {
    for (const int row : rows)
        if (row != runningRow())
            m_runs[static_cast<std::size_t>(row)].folder.clear();
    resume(rows);
}

void RunQueue::retryWith(const Rows& rows, const std::function<void(Project& project)>& change) {
    for (const int row : rows)
        if (row != runningRow())
            change(m_runs[static_cast<std::size_t>(row)].project);
    retry(rows);
}

void RunQueue::retryOnCpu(const Rows& rows) {
    retryWith(rows, [](Project& project) { project.gpus = GpuChoice::none(); });
}

void RunQueue::retryShorter(const Rows& rows) {
    retryWith(rows, [](Project& project) {
        constexpr std::int64_t framesOfLatent = 4;
        project.numFrames = (project.numFrames - 1) / (2 * framesOfLatent) * framesOfLatent + 1;
    });
}

bool RunQueue::canBeShorter(const Project& project) {
    constexpr std::int64_t shortest = 9;
    return project.numFrames >= shortest;
}

void RunQueue::resume(const Rows& rows) {
    for (const int row : rows)
        if (row != runningRow())
            setState(row, QueuedRun::State::Waiting);
    putDoneLast();
    emit changed();
}

void RunQueue::clearFinished() {
    Rows done;
    for (int row = 0; row < rowCount(); ++row)
        if (at(row).state == QueuedRun::State::Done)
            done.push_back(row);
    remove(done);
}

int RunQueue::count(QueuedRun::State state) const {
    return static_cast<int>(std::ranges::count(m_runs, state, &QueuedRun::state));
}

std::optional<QueuedRun> RunQueue::start() {
    const auto next = std::ranges::find(m_runs, QueuedRun::State::Waiting, &QueuedRun::state);
    if (isRunning() || next == m_runs.end())
        return {};
    setState(static_cast<int>(next - m_runs.begin()), QueuedRun::State::Running);
    emit changed();
    return *next;
}

bool RunQueue::takeUp(const QString& folder) {
    const auto found = std::ranges::find_if(m_runs, [&folder](const QueuedRun& run) {
        return run.state != QueuedRun::State::Done && !run.folder.isEmpty() && isSame(run.folder, folder);
    });
    if (isRunning() || found == m_runs.end())
        return false;
    setState(static_cast<int>(found - m_runs.begin()), QueuedRun::State::Running);
    emit changed();
    return true;
}

void RunQueue::setFolder(const QString& folder) {
    if (const int row = runningRow(); row >= 0) {
        m_runs[static_cast<std::size_t>(row)].folder = folder;
        emit changed();
    }
}

void RunQueue::end(QueuedRun::State state, const QString& remark) {
    if (const int row = runningRow(); row >= 0) {
        setState(row, state, remark);
        putDoneLast();
        emit changed();
    }
}

void RunQueue::putDoneLast() {
    const auto isDone = [](const QueuedRun& run) { return run.state == QueuedRun::State::Done; };
    for (;;) {
        const auto done = std::ranges::find_if(m_runs, isDone);
        const auto end = std::find_if_not(m_runs.rbegin(), m_runs.rend(), isDone).base();
        if (done >= end)
            return;
        move({.first = static_cast<int>(done - m_runs.begin()), .count = 1},
             static_cast<int>(end - m_runs.begin()));
    }
}

bool RunQueue::tellsSettings() const {
    return std::ranges::any_of(m_runs,
                               [](const QueuedRun& run) { return !distinctiveSettings(run).isEmpty(); });
}

/// What it made, else the picture that it begins with.
QPixmap RunQueue::loadPicture(const QueuedRun& run) const {
    const QString made = run.folder.isEmpty()
                             ? QString()
                             : run.folder + QLatin1Char('/') +
                                   QLatin1String(run_file::preview.data(), run_file::preview.size());
    const bool isMade = QFileInfo::exists(made);
    const QString file = isMade ? made : QString::fromStdString(run.project.image);
    if (file.isEmpty())
        return {};
    if (!m_pictures.contains(file))
        m_pictures.insert(file, readThumbnail(file, pictureSize, isMade ? Links::Refuse : Links::Follow));
    return m_pictures.value(file);
}

QString RunQueue::runningFolder() const {
    const int row = runningRow();
    return row < 0 ? QString() : at(row).folder;
}

int RunQueue::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunQueue::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RunQueue::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const QueuedRun& run = at(index.row());
    switch (role) {
        case Qt::DisplayRole:
            return cellText(run, index.column());
        case Qt::ToolTipRole:
            return tipText(run, index.column());
        case Qt::DecorationRole:
            return index.column() == Title ? QVariant(loadPicture(run)) : QVariant();
        case Qt::ForegroundRole:
            if (index.column() == StateColumn && run.state == QueuedRun::State::Failed)
                return errorColor(QGuiApplication::palette());
            return run.state == QueuedRun::State::Done ? mutedColor(QGuiApplication::palette()) : QVariant();
        default:
            return {};
    }
}

QVariant RunQueue::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
        case Title:
            return tr("Project");
        case StateColumn:
            return tr("State");
        case Video:
            return tr("Video");
        case Sampling:
            return tr("Sampling");
        case Settings:
            return tr("Settings");
        case Attention:
            return tr("Attention");
        default:
            return {};
    }
}

Qt::ItemFlags RunQueue::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() ? flags | Qt::ItemIsDragEnabled : flags | Qt::ItemIsDropEnabled;
}

QStringList RunQueue::mimeTypes() const {
    return {QString(rowsMimeType)};
}

QMimeData* RunQueue::mimeData(const QModelIndexList& indexes) const {
    auto* data = new QMimeData;
    QSet<int> rows;
    for (const QModelIndex& cell : indexes)
        rows += cell.row();
    QByteArrayList numbers;
    for (const int row : rows)
        numbers += QByteArray::number(row);
    if (!numbers.isEmpty())
        data->setData(rowsMimeType, numbers.join(rowSeparator));
    return data;
}

bool RunQueue::dropMimeData(const QMimeData* data, Qt::DropAction /*action*/, int row, int /*column*/,
                            const QModelIndex& parent) {
    Rows rows;
    if (data->hasFormat(rowsMimeType))
        for (const QByteArray& number : data->data(rowsMimeType).split(rowSeparator))
            rows.push_back(number.toInt());
    moveTo(rows, row >= 0 ? row : parent.isValid() ? parent.row() : rowCount());
    return false;
}

int RunQueue::runningRow() const {
    const auto running = std::ranges::find(m_runs, QueuedRun::State::Running, &QueuedRun::state);
    return running == m_runs.end() ? -1 : static_cast<int>(running - m_runs.begin());
}

void RunQueue::setState(int row, QueuedRun::State state, const QString& remark) {
    QueuedRun& run = m_runs[static_cast<std::size_t>(row)];
    run.state = state;
    run.remark = remark;
    emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

}  // namespace meshreel

#include "moc_run_queue.cpp"
