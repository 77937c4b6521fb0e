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
#include <cstddef>
#include <string>
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

QString titleOf(const Project& project) {
    return QString::fromStdString(project.prompt.empty() ? project.name : project.prompt);
}

/// Also where a link leads to it.
bool isSame(const QString& folder, const QString& other) {
    const QString place = QFileInfo(folder).canonicalFilePath();  // empty when it is gone
    return folder == other || (!place.isEmpty() && place == QFileInfo(other).canonicalFilePath());
}

QByteArray keyOf(const QueuedRun& run) {
    return QByteArray::fromStdString(run.id);
}

}  // namespace

RunQueue::RunQueue(std::filesystem::path file, QObject* parent)
    : QAbstractTableModel(parent), m_store(std::move(file)), m_runs(m_store.restore().runs()) {
    connect(&m_store, &QueueStore::renewed, this, &RunQueue::renew);
    connect(&m_store, &QueueStore::keepingFailed, this, &RunQueue::keepingFailed);
}

void RunQueue::add(const Project& project) {
    change([run = queuedNow(project)](RunList& list) { list.add({run}); });
}

void RunQueue::add(const SettingGrid& grid) {
    std::vector<QueuedRun> runs;
    runs.reserve(grid.projects.size());
    for (const Project& project : grid.projects)
        runs.push_back(queuedNow(project, grid.varied));
    change([runs = std::move(runs)](RunList& list) { list.add(runs); });
}

void RunQueue::remove(const Rows& rows) {
    change([ids = idsOf(rows)](RunList& list) { list.remove(ids); });
}

void RunQueue::moveUp(const Rows& rows) {
    change([ids = idsOf(rows)](RunList& list) { list.moveUp(ids); });
}

void RunQueue::moveDown(const Rows& rows) {
    change([ids = idsOf(rows)](RunList& list) { list.moveDown(ids); });
}

void RunQueue::moveTo(const Rows& rows, int place) {
    if (place < 0 || place > rowCount())
        return;
    // What they go before is the next one that does not go itself.
    int next = place;
    while (next < rowCount() && std::ranges::find(rows, next) != rows.end())
        ++next;
    change([ids = idsOf(rows), before = next < rowCount() ? at(next).id : std::string()](RunList& list) {
        list.moveBefore(ids, before);
    });
}

void RunQueue::retry(const Rows& rows) {
    change([ids = idsOf(rows)](RunList& list) { list.retry(ids); });
}

void RunQueue::retryOnCpu(const Rows& rows) {
    change([ids = idsOf(rows)](RunList& list) {
        list.retry(ids, [](Project& project) { project.gpus = GpuChoice::none(); });
    });
}

void RunQueue::retryShorter(const Rows& rows) {
    change([ids = idsOf(rows)](RunList& list) {
        list.retry(ids, [](Project& project) {
            constexpr std::int64_t framesOfLatent = 4;
            project.numFrames = (project.numFrames - 1) / (2 * framesOfLatent) * framesOfLatent + 1;
        });
    });
}

bool RunQueue::canBeShorter(const Project& project) {
    constexpr std::int64_t shortest = 9;
    return project.numFrames >= shortest;
}

void RunQueue::resume(const Rows& rows) {
    change([ids = idsOf(rows)](RunList& list) { list.resume(ids); });
}

void RunQueue::clearFinished() {
    change([](RunList& list) { list.clearDone(); });
}

int RunQueue::count(QueuedRun::State state) const {
    return static_cast<int>(std::ranges::count(m_runs, state, &QueuedRun::state));
}

std::optional<QueuedRun> RunQueue::start() {
    return begin([](const RunList& list) { return list.firstWaiting(); });
}

bool RunQueue::takeUp(const QString& folder) {
    const auto found = std::ranges::find_if(m_runs, [&folder](const QueuedRun& run) {
        return run.state != QueuedRun::State::Done && !run.folder.empty() &&
               isSame(QString::fromStdString(run.folder), folder);
    });
    if (isRunning() || found == m_runs.end())
        return false;
    return begin([id = found->id](const RunList& list) { return list.find(id); }).has_value();
}

std::optional<QueuedRun> RunQueue::begin(const std::function<const QueuedRun*(const RunList&)>& choose) {
    std::optional<QueuedRun> begun = m_store.begin(choose);
    renew();
    return begun;
}

void RunQueue::setFolder(const QString& folder) {
    if (isRunning())
        change(
            [id = m_store.begun(), path = folder.toStdString()](RunList& list) { list.setFolder(id, path); });
}

void RunQueue::end(QueuedRun::State state, const QString& remark) {
    if (!isRunning())
        return;
    const SharedQueue::Change ended = [id = m_store.begun(), state, words = remark.toStdString(),
                                       now = unixTimeNow()](RunList& list) {
        list.end(id, state, words, now);
    };
    RunList list(m_runs);
    ended(list);
    m_store.end(ended);
    show(list);
    emit changed();
}

RunList::Ids RunQueue::idsOf(const Rows& rows) const {
    RunList::Ids ids;
    ids.reserve(rows.size());
    for (const int row : rows)
        if (row >= 0 && row < rowCount())
            ids.push_back(at(row).id);
    return ids;
}

void RunQueue::change(const SharedQueue::Change& change) {
    RunList list(m_runs);
    change(list);
    if (!show(list))
        return;
    m_store.keep(change);
    emit changed();
}

void RunQueue::renew() {
    if (const std::optional<RunList> newest = m_store.newest(); newest && show(*newest))
        emit changed();
}

bool RunQueue::show(const RunList& list) {
    if (list.runs() == m_runs)
        return false;
    QHash<QByteArray, int> places;
    for (const QueuedRun& run : list.runs())
        places.insert(keyOf(run), static_cast<int>(places.size()));
    removeAllBut(places);
    reorder(places);
    fillIn(list.runs());
    return true;
}

void RunQueue::removeAllBut(const QHash<QByteArray, int>& places) {
    const auto stays = [&places](const QueuedRun& run) { return places.contains(keyOf(run)); };
    for (int end = rowCount(); end > 0;) {
        int first = end;
        while (first > 0 && !stays(at(first - 1)))
            --first;
        if (first < end) {
            beginRemoveRows({}, first, end - 1);
            m_runs.erase(m_runs.begin() + first, m_runs.begin() + end);
            endRemoveRows();
        }
        end = first - 1;
    }
}

/// What is chosen and current in views stays with its run.
void RunQueue::reorder(const QHash<QByteArray, int>& places) {
    const auto placeOf = [&places](const QueuedRun& run) { return places.value(keyOf(run)); };
    if (std::ranges::is_sorted(m_runs, {}, placeOf))
        return;
    emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    std::vector<QByteArray> keys;
    keys.reserve(static_cast<std::size_t>(before.size()));
    for (const QModelIndex& each : before)
        keys.push_back(keyOf(at(each.row())));
    std::ranges::sort(m_runs, {}, placeOf);
    QHash<QByteArray, int> rows;
    for (const QueuedRun& run : m_runs)
        rows.insert(keyOf(run), static_cast<int>(rows.size()));
    QModelIndexList after;
    for (std::size_t each = 0; each < keys.size(); ++each)
        after += index(rows.value(keys[each]), before[static_cast<qsizetype>(each)].column());
    changePersistentIndexList(before, after);
    emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

/// Inserts the runs that have no row yet, and puts their new content into the others.
void RunQueue::fillIn(const std::vector<QueuedRun>& runs) {
    const auto isShown = [this, &runs](std::size_t row, std::size_t place) {
        return row < m_runs.size() && m_runs[row].id == runs[place].id;
    };
    for (std::size_t row = 0; row < runs.size(); ++row) {
        std::size_t end = row;
        while (end < runs.size() && !isShown(row, end))
            ++end;
        if (end == row)
            continue;
        beginInsertRows({}, static_cast<int>(row), static_cast<int>(end) - 1);
        m_runs.insert(m_runs.begin() + static_cast<std::ptrdiff_t>(row),
                      runs.begin() + static_cast<std::ptrdiff_t>(row),
                      runs.begin() + static_cast<std::ptrdiff_t>(end));
        endInsertRows();
        row = end - 1;
    }
    for (int row = 0; row < rowCount(); ++row) {
        const QueuedRun& run = runs[static_cast<std::size_t>(row)];
        if (at(row) == run)
            continue;
        m_runs[static_cast<std::size_t>(row)] = run;
        emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
    }
}

bool RunQueue::runsElsewhere(const QueuedRun& run) const {
    return run.state == QueuedRun::State::Running && run.id != m_store.begun();
}

QString RunQueue::stateText(const QueuedRun& run) const {
    switch (run.state) {
        case QueuedRun::State::Waiting:
            return run.folder.empty() ? tr("Waiting") : tr("Will resume");
        case QueuedRun::State::Running:
            return runsElsewhere(run) ? tr("Running elsewhere") : tr("Running");
        case QueuedRun::State::Done:
            return tr("Done");
        case QueuedRun::State::Cancelled:
            return tr("Cancelled");
        case QueuedRun::State::Failed:
            return tr("Failed");
    }
    return {};
}

QString RunQueue::cellText(const QueuedRun& run, int column) const {
    const Project& project = run.project;
    switch (column) {
        case Title:
            return titleOf(project);
        case StateColumn:
            return stateText(run);
        case Video:
            return tr("%1 × %2, %n frames", nullptr, static_cast<int>(project.numFrames))
                .arg(project.width)
                .arg(project.height);
        case Sampling:
            return project.seed
                       ? tr("%n steps, seed %1", nullptr, static_cast<int>(project.numInferenceSteps))
                             .arg(*project.seed)
                       : tr("%n steps, random seed", nullptr, static_cast<int>(project.numInferenceSteps));
        case Settings:
            return distinctiveSettings(run);
        case Attention:
            return QString::fromStdString(project.attention);
        default:
            return {};
    }
}

QString RunQueue::tipText(const QueuedRun& run, int column) const {
    if (column == Settings)
        return linesOfTip(chosenSettings(run));
    return run.remark.empty() ? cellText(run, column) : QString::fromStdString(run.remark);
}

bool RunQueue::tellsSettings() const {
    return std::ranges::any_of(m_runs,
                               [](const QueuedRun& run) { return !distinctiveSettings(run).isEmpty(); });
}

/// What it made, else the picture that it begins with.
QPixmap RunQueue::loadPicture(const QueuedRun& run) const {
    const QString made = run.folder.empty()
                             ? QString()
                             : QString::fromStdString(run.folder) + QLatin1Char('/') +
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
    const auto found = std::ranges::find(m_runs, m_store.begun(), &QueuedRun::id);
    return isRunning() && found != m_runs.end() ? QString::fromStdString(found->folder) : QString();
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

}  // namespace meshreel

#include "moc_run_queue.cpp"
