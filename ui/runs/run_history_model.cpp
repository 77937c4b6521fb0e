// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_history_model.h"

#include <QLocale>
#include <QMimeData>
#include <QString>
#include <QUrl>
#include <QVariant>
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/base/error.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

QString momentText(const QDateTime& moment) {
    const QLocale locale;
    QString time = locale.timeFormat(QLocale::ShortFormat);
    if (!time.contains(QLatin1String("ss")))  // runs of a grid begin in the same minute
        time.replace(QStringLiteral("mm"), QStringLiteral("mm:ss"));
    return QStringLiteral("%1 %2").arg(locale.toString(moment.date(), QLocale::ShortFormat),
                                       locale.toString(moment.time(), time));
}

namespace {

// What the table says of a run.

QString listText(const std::vector<std::string>& names) {
    QStringList texts;
    for (const std::string& name : names)
        texts += QString::fromStdString(name);
    return texts.join(QStringLiteral(", "));
}

QString modelText(const RunOutline& outline) {
    const std::filesystem::path model(outline.model);
    return QString::fromStdString((model.has_filename() ? model : model.parent_path()).filename().string());
}

/// Axes of more than one device.
QString meshText(const MeshShape& mesh) {
    QStringList axes;
    for (const MeshAxis axis : meshAxes)
        if (mesh.extent(axis) > 1)
            axes += QStringLiteral("%1 %2").arg(
                QLatin1StringView(nameOf(axis).data(), static_cast<qsizetype>(nameOf(axis).size())),
                QLocale().toString(mesh.extent(axis)));
    return axes.join(QStringLiteral(", "));
}

/// Columns that status.json of earlier versions does not have.
QString outlineText(const RunOutline& outline, int column) {
    switch (column) {
        case RunHistoryModel::Size:
            return QStringLiteral("%1×%2×%3").arg(outline.width).arg(outline.height).arg(outline.frames);
        case RunHistoryModel::Model:
            return modelText(outline);
        case RunHistoryModel::Attention:
            return QString::fromStdString(outline.attention);
        case RunHistoryModel::Devices:
            return QLocale().toString(outline.mesh.devices());
        case RunHistoryModel::Mesh:
            return meshText(outline.mesh);
        default:
            return {};
    }
}

/// Three figures behind the point below 10, fewer above, as nobody reads more.
QString stepSecondsText(double seconds) {
    return QLocale().toString(seconds, 'f', seconds < 10 ? 3 : seconds < 100 ? 2 : 1);
}

/// One a line where a batch has several.
QString promptsText(const RunSummary& run) {
    QStringList prompts;
    for (const std::string& prompt : run.state.batchPrompts)
        prompts += QString::fromStdString(prompt);
    return visibleText(prompts.isEmpty() ? QString::fromStdString(run.prompt)
                                         : prompts.join(QLatin1Char('\n')));
}

/// Returns its prompts, else its name, else that of its folder.
QString titleOf(const RunSummary& run) {
    if (const QString prompts = promptsText(run); !prompts.isEmpty())
        return QString(prompts).replace(QLatin1Char('\n'), QStringLiteral(" · "));
    const std::string& title = run.name;
    return visibleText(QString::fromStdString(title.empty() ? run.folder.filename().string() : title));
}

/// Returns when it began; empty if that is not known.
QString startText(const RunSummary& run) {
    const QDateTime start = startTime(run.state);
    return start.isValid() ? momentText(start) : QString();
}

/// Returns how long the run took and what size its video has; what became of it when it is not done.
QString factsText(const RunSummary& run) {
    if (!run.problem.empty())
        return RunHistoryModel::tr("Not all of it can be read");  // the tool tip says why
    QStringList parts;
    if (run.state.status != RunStatus::Done)
        parts += statusTitle(run.state.status);
    else if (run.inferenceSeconds)
        parts += durationText(*run.inferenceSeconds);
    if (run.state.outline)
        parts += outlineText(*run.state.outline, RunHistoryModel::Size);
    return parts.join(QStringLiteral(" · "));
}

/// Returns what neither the title nor the columns show.
QString runDetail(const RunSummary& run) {
    if (!run.problem.empty())
        return sentenceText(run.problem);
    QStringList parts;
    if (!run.name.empty() && !run.prompt.empty())
        parts += visibleText(QString::fromStdString(run.name));
    if (run.state.outline)
        for (const int column : {RunHistoryModel::Model, RunHistoryModel::Size})
            parts += outlineText(*run.state.outline, column);
    return parts.isEmpty() ? QString::fromStdString(run.folder.filename().string())
                           : parts.join(QStringLiteral(" · "));
}

// What its project holds that is not at its default.

/// The value of "key=value"; empty for another key.
std::string_view valueIn(std::string_view setting, std::string_view key) {
    const bool isIt = setting.size() > key.size() && setting.starts_with(key) && setting[key.size()] == '=';
    return isIt ? setting.substr(key.size() + 1) : std::string_view();
}

std::string settingOf(const RunSummary& run, const ProjectKey& key) {
    for (const std::string& setting : run.state.settings)
        if (const std::string_view value = valueIn(setting, key.name); !value.empty())
            return std::string(value);
    static const Project standard;
    return valueText(standard, key);
}

QString seedText(const RunSummary& run) {
    return run.state.settings.empty() ? QString()
                                      : QString::fromStdString(settingOf(run, *findProjectKey("seed")));
}

/// Returns names and values of those of `keys` that are not at their defaults: "Guidance: 3, Attention:
/// ulysses".
QString differenceText(const RunSummary& run, const std::set<std::string>& keys) {
    QStringList parts;
    for (const std::string& setting : run.state.settings) {
        const std::string name = setting.substr(0, setting.find('='));
        const ProjectKey* key = keys.contains(name) ? findProjectKey(name) : nullptr;
        if (key != nullptr && setting.size() > name.size())  // else somebody edited the folder
            parts += RunHistoryModel::tr("%1: %2", "setting and its value")
                         .arg(distinctTitle(*key), valueWords(*key, setting.substr(name.size() + 1)));
    }
    return parts.join(QStringLiteral(", ")).simplified();
}

QString keyToolTip(const RunSummary& run) {
    return QStringList{titleOf(run), factsText(run),
                       run.problem.empty() ? stateSentence(run.state) : sentenceText(run.problem),
                       QString::fromStdString(run.folder.string())}
        .join(QLatin1Char('\n'));
}

/// Returns all words of it, a kind a line.
QString searchText(const RunSummary& run) {
    return QStringList{promptsText(run),
                       QString::fromStdString(run.name),
                       statusTitle(run.state.status),
                       run.state.outline ? modelText(*run.state.outline) : QString(),
                       run.state.outline ? QString::fromStdString(run.state.outline->attention) : QString(),
                       listText(run.notes.tags),
                       listText(run.notes.boards),
                       QString::fromStdString(run.notes.note),
                       QString::fromStdString(run.folder.filename().string())}
        .join(QLatin1Char('\n'));
}

/// Returns the text in a column of RunHistoryModel.
QString cellText(const RunSummary& run, int column) {
    switch (column) {
        case RunHistoryModel::Run:
            return titleOf(run);
        case RunHistoryModel::Status:
            return statusTitle(run.state.status);
        case RunHistoryModel::Started:
            return startText(run);
        case RunHistoryModel::Duration:
            return run.inferenceSeconds ? durationText(*run.inferenceSeconds) : QString();
        case RunHistoryModel::Steps:
            return QStringLiteral("%1/%2").arg(run.stepsDone).arg(run.steps);
        case RunHistoryModel::StepSeconds:
            return run.stepSeconds ? stepSecondsText(*run.stepSeconds) : QString();
        case RunHistoryModel::Tags:
            return listText(run.notes.tags);
        case RunHistoryModel::Boards:
            return listText(run.notes.boards);
        case RunHistoryModel::Note:
            return QString::fromStdString(run.notes.note);
        case RunHistoryModel::Seed:
            return seedText(run);
        default:
            return run.state.outline ? outlineText(*run.state.outline, column) : QString();
    }
}

/// What that column is sorted by.
QVariant sortValue(const RunSummary& run, int column) {
    switch (column) {
        case RunHistoryModel::Star:
            return run.notes.star;
        case RunHistoryModel::Duration:
            return run.inferenceSeconds.value_or(-1);
        case RunHistoryModel::Steps:
            return run.steps;
        case RunHistoryModel::StepSeconds:
            return run.stepSeconds.value_or(-1);
        case RunHistoryModel::Size:
            return run.state.outline
                       ? static_cast<qlonglong>(run.state.outline->width * run.state.outline->height *
                                                run.state.outline->frames)
                       : qlonglong{-1};
        case RunHistoryModel::Devices:
            return run.state.outline ? run.state.outline->mesh.devices() : -1;
        case RunHistoryModel::Seed:
            return seedText(run).toULongLong();
        default:
            return cellText(run, column).toCaseFolded();
    }
}

}  // namespace

RunHistoryModel::RunHistoryModel(QObject* parent) : QAbstractTableModel(parent) {
    connect(&m_posters, &PosterCache::loaded, this, &RunHistoryModel::showPoster);
}

RunHistoryModel::Row RunHistoryModel::rowOf(RunSummary run) {
    RunTraits traits{.start = startTime(run.state),
                     .model = run.state.outline ? modelText(*run.state.outline) : QString(),
                     .task = QString::fromStdString(taskOf(run.state)),
                     .adapters = {},
                     .words = {}};
    for (const std::string& adapter : adaptersOf(run.state))
        traits.adapters += QString::fromStdString(adapter);
    return {.run = std::move(run), .traits = std::move(traits)};
}

void RunHistoryModel::setRuns(std::vector<RunSummary> runs) {
    emit aboutToUpdate();
    removeMissing(runs);
    std::unordered_map<std::string, int> known;
    for (int row = 0; row < rowCount(); ++row)
        known.emplace(m_rows[static_cast<std::size_t>(row)].run.folder.string(), row);
    std::vector<RunSummary> added;
    for (RunSummary& run : runs)
        if (const auto row = known.find(run.folder.string()); row != known.end())
            replaceRow(row->second, std::move(run));
        else
            added.push_back(std::move(run));
    putInOrder();
    insert(std::move(added));
    if (std::exchange(m_settingsChanged, false))
        findWhatDiffers();
    emit updated();
}

/// A run that began again is newer than it was.
void RunHistoryModel::putInOrder() {
    const auto run = [](const Row& row) -> const RunSummary& { return row.run; };
    if (std::ranges::is_sorted(m_rows, isNewerRun, run))
        return;
    emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    std::vector<int> order(m_rows.size());  // the former row of each
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, isNewerRun, [this](int row) -> const RunSummary& {
        return m_rows[static_cast<std::size_t>(row)].run;
    });
    std::vector<Row> sorted;
    sorted.reserve(m_rows.size());
    std::vector<int> places(m_rows.size());
    for (const int former : order) {
        places[static_cast<std::size_t>(former)] = static_cast<int>(sorted.size());
        sorted.push_back(std::move(m_rows[static_cast<std::size_t>(former)]));
    }
    m_rows = std::move(sorted);
    const QModelIndexList kept = persistentIndexList();
    QModelIndexList moved;
    moved.reserve(kept.size());
    for (const QModelIndex& index : kept)
        moved += this->index(places[static_cast<std::size_t>(index.row())], index.column());
    changePersistentIndexList(kept, moved);
    emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

void RunHistoryModel::insert(std::vector<RunSummary> added) {
    std::ranges::stable_sort(added, isNewerRun);
    std::size_t row = 0;
    for (std::size_t next = 0; next < added.size();) {
        while (row < m_rows.size() && isNewerRun(m_rows[row].run, added[next]))
            ++row;
        std::size_t end = next + 1;
        while (end < added.size() && (row == m_rows.size() || isNewerRun(added[end], m_rows[row].run)))
            ++end;
        std::vector<Row> rows;
        rows.reserve(end - next);
        for (; next < end; ++next)
            rows.push_back(rowOf(std::move(added[next])));
        beginInsertRows({}, static_cast<int>(row), static_cast<int>(row + rows.size()) - 1);
        m_rows.insert(m_rows.begin() + static_cast<std::ptrdiff_t>(row),
                      std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
        endInsertRows();
        row += rows.size();
        m_settingsChanged = true;
    }
}

/// What has a column that is always shown, and the name, which changes nothing, count for nothing.
void RunHistoryModel::findWhatDiffers() {
    static const std::set<std::string_view> toldElsewhere{"run_name", "prompt", "num_inference_steps",
                                                          "seed"};
    struct Value {
        std::string_view first;  // of the runs that do not have the key's default
        bool differs = false;
        std::size_t runs = 0;
    };
    std::map<std::string_view, Value> values;
    std::size_t told = 0;
    for (const Row& row : m_rows) {
        told += row.run.state.settings.empty() ? 0 : 1;
        for (const std::string_view setting : row.run.state.settings) {
            Value& value = values[setting.substr(0, setting.find('='))];
            if (value.runs++ == 0)
                value.first = setting;
            value.differs = value.differs || value.first != setting;
        }
    }
    std::set<std::string> varied;
    for (const auto& [key, value] : values)
        if (!toldElsewhere.contains(key) && (value.differs || value.runs < told))
            varied.emplace(key);
    if (std::exchange(m_varied, varied) != varied && rowCount() > 0)
        emit dataChanged(index(0, Differs), index(rowCount() - 1, Differs));
}

QString RunHistoryModel::textAt(const RunSummary& run, int column) const {
    return column == Differs ? differenceText(run, m_varied) : cellText(run, column);
}

void RunHistoryModel::removeMissing(const std::vector<RunSummary>& runs) {
    std::unordered_set<std::string> present;
    for (const RunSummary& run : runs)
        present.insert(run.folder.string());
    const auto isMissing = [&](int row) {
        return !present.contains(m_rows[static_cast<std::size_t>(row)].run.folder.string());
    };
    for (int last = rowCount() - 1; last >= 0; --last) {
        if (!isMissing(last))
            continue;
        int first = last;
        while (first > 0 && isMissing(first - 1))
            --first;
        beginRemoveRows({}, first, last);
        m_rows.erase(m_rows.begin() + first, m_rows.begin() + last + 1);
        endRemoveRows();
        m_settingsChanged = true;
        last = first;
    }
}

void RunHistoryModel::replaceRow(int row, RunSummary run) {
    RunSummary& present = m_rows[static_cast<std::size_t>(row)].run;
    if (present == run)
        return;
    const bool notesDiffer = present.notes.tags != run.notes.tags || present.notes.note != run.notes.note;
    const bool marksDiffer = present.notes.star != run.notes.star || present.notes.boards != run.notes.boards;
    const bool settingsDiffer = present.state.settings != run.state.settings;
    if (present.preview && (present.preview != run.preview || present.previewTime != run.previewTime))
        m_posters.forget(QString::fromStdString(present.preview->string()));
    m_rows[static_cast<std::size_t>(row)] = rowOf(std::move(run));
    m_settingsChanged = m_settingsChanged || settingsDiffer;
    // A change of the cells that people edit would put aside what they type there.
    emit dataChanged(index(row, Run), index(row, Tags - 1));
    if (notesDiffer)
        emit dataChanged(index(row, Tags), index(row, Note));
    if (settingsDiffer)
        emit dataChanged(index(row, Seed), index(row, Differs));
    if (marksDiffer)
        emit dataChanged(index(row, Star), index(row, Boards));
}

const QString& RunHistoryModel::words(int row) const {
    const Row& asked = m_rows[static_cast<std::size_t>(row)];
    if (asked.traits.words.isEmpty())
        asked.traits.words = searchText(asked.run);
    return asked.traits.words;
}

QStringList RunHistoryModel::allOf(std::vector<std::string> RunNotes::*names) const {
    std::set<std::string> found;
    for (const Row& row : m_rows)
        found.insert((row.run.notes.*names).begin(), (row.run.notes.*names).end());
    QStringList all;
    for (const std::string& name : found)
        all += QString::fromStdString(name);
    return all;
}

QStringList RunHistoryModel::allTags() const {
    return allOf(&RunNotes::tags);
}

QStringList RunHistoryModel::allBoards() const {
    return allOf(&RunNotes::boards);
}

const RunSummary& RunHistoryModel::run(const QModelIndex& index) const {
    return m_rows[static_cast<std::size_t>(index.row())].run;
}

QModelIndex RunHistoryModel::indexOf(const QString& folder) const {
    const std::string path = folder.toStdString();
    const auto found =
        std::ranges::find_if(m_rows, [&](const Row& row) { return row.run.folder.native() == path; });
    return found == m_rows.end() ? QModelIndex() : index(static_cast<int>(found - m_rows.begin()), Run);
}

int RunHistoryModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RunHistoryModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RunHistoryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const RunSummary& summary = run(index);
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole:
            return textAt(summary, index.column());
        case SortRole:
            if (index.column() == Started) {
                const QDateTime& start = traits(index.row()).start;
                return start.isValid() ? start.toMSecsSinceEpoch() : qint64{-1};
            }
            return index.column() == Differs ? QVariant(textAt(summary, Differs).toCaseFolded())
                                             : sortValue(summary, index.column());
        case Qt::DecorationRole:
            return decorationAt(summary, index.column());
        case Qt::AccessibleTextRole:
            if (index.column() == Star)
                return summary.notes.star ? tr("Starred") : tr("No star");
            return ofRun(summary, role);
        case SearchRole:
            return words(index.row());
        default:
            return ofRun(summary, role);
    }
}

QVariant RunHistoryModel::ofRun(const RunSummary& summary, int role) const {
    switch (role) {
        case Qt::ToolTipRole:
            return keyToolTip(summary);
        case Qt::AccessibleTextRole:
            return QStringLiteral("%1, %2, %3, %4")
                .arg(titleOf(summary), statusTitle(summary.state.status), startText(summary),
                     extentText(summary));
        case FolderRole:
            return QString::fromStdString(summary.folder.string());
        case DetailRole:
            return runDetail(summary);
        case StatusRole:
            return static_cast<int>(summary.state.status);
        case StatusTextRole:
            return statusTitle(summary.state.status);
        case StarRole:
            return summary.notes.star;
        case FactsRole:
            return factsText(summary);
        default:
            return {};
    }
}

QVariant RunHistoryModel::decorationAt(const RunSummary& run, int column) const {
    if (column == Star)
        return run.notes.star ? QVariant(themedIcon(QStringLiteral("star-full"))) : QVariant();
    if (column != Run || !run.preview)
        return {};
    return m_posters.poster(QString::fromStdString(run.preview->string()));
}

void RunHistoryModel::showPoster(const QString& file) {
    const std::string path = file.toStdString();
    for (int row = 0; row < rowCount(); ++row)
        if (const auto& preview = m_rows[static_cast<std::size_t>(row)].run.preview;
            preview && preview->native() == path)
            emit dataChanged(index(row, Run), index(row, Run), {Qt::DecorationRole});
}

bool RunHistoryModel::changeNotes(const QModelIndex& index, const std::function<void(RunNotes&)>& change) {
    if (!index.isValid())
        return false;
    Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const std::filesystem::path folder = row.run.folder;
    RunNotes notes;
    try {
        notes = changeRunNotes(folder, change);
    } catch (...) {  // of a slot nothing may be thrown
        emit notesFailed(wholeText(currentProblem()));
        return false;
    }
    const RunNotes before = std::exchange(row.run.notes, notes);
    row.traits.words.clear();
    const auto tell = [&](int first, int last) {
        emit dataChanged(this->index(index.row(), first), this->index(index.row(), last));
    };
    if (before.tags != notes.tags || before.note != notes.note)
        tell(Tags, Note);
    if (before.star != notes.star || before.boards != notes.boards)
        tell(Star, Boards);
    if (before != notes)
        emit dataChanged(this->index(index.row(), Run), this->index(index.row(), Run), {StarRole});
    emit notesChanged(QString::fromStdString(folder.string()));
    return true;
}

bool RunHistoryModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role == StarRole)
        return changeNotes(index, [star = value.toBool()](RunNotes& notes) { notes.star = star; });
    if (role != Qt::EditRole || !flags(index).testFlag(Qt::ItemIsEditable))
        return false;
    return changeNotes(index,
                       [text = value.toString().toStdString(), column = index.column()](RunNotes& notes) {
                           if (column == Tags)
                               notes.tags = readTags(text);
                           else if (column == Boards)
                               notes.boards = readTags(text);
                           else
                               notes.note = text;
                       });
}

QStringList RunHistoryModel::mimeTypes() const {
    return {QStringLiteral("text/uri-list")};
}

QMimeData* RunHistoryModel::mimeData(const QModelIndexList& indexes) const {
    std::set<int> rows;  // each has many cells
    for (const QModelIndex& index : indexes)
        rows.insert(index.row());
    QList<QUrl> urls;
    for (const int row : rows) {
        const RunSummary& dragged = m_rows[static_cast<std::size_t>(row)].run;
        urls += QUrl::fromLocalFile(QString::fromStdString(dragged.video.value_or(dragged.folder).string()));
    }
    auto* data = new QMimeData;
    data->setUrls(urls);
    return data;
}

Qt::ItemFlags RunHistoryModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid())
        return flags;
    flags |= Qt::ItemIsDragEnabled;  // no view begins a drag without it
    const bool isEdited = index.column() == Tags || index.column() == Note || index.column() == Boards;
    return isEdited ? flags | Qt::ItemIsEditable : flags;
}

QVariant RunHistoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole)
        return section == StepSeconds ? tr("Seconds a step, without the first one")
               : section == Size      ? tr("Width × height × frames")
               : section == Differs   ? tr("Settings in which these runs differ, where they are not at their "
                                             "defaults")
               : section == Boards    ? tr("Collections that the run is in")
                                      : QVariant();
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
        case Run:
            return tr("Run");
        case Status:
            return tr("Status");
        case Started:
            return tr("Started");
        case Duration:
            return tr("Duration");
        case Steps:
            return tr("Steps");
        case StepSeconds:
            return tr("Step, s");
        case Size:
            return tr("Size");
        case Model:
            return tr("Model");
        case Attention:
            return tr("Attention");
        case Devices:
            return tr("Devices");
        case Mesh:
            return tr("Mesh");
        case Tags:
            return tr("Tags");
        case Note:
            return tr("Note");
        case Seed:
            return tr("Seed");
        case Differs:
            return tr("What differs");
        case Star:
            return tr("Star");
        case Boards:
            return tr("Boards");
        default:
            return {};
    }
}

}  // namespace meshreel

#include "moc_run_history_model.cpp"
