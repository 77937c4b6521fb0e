// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/storyboard/storyboard_model.h"

#include <QByteArray>
#include <QLocale>
#include <QMimeData>
#include <QStringList>
#include <QUuid>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/held_file.h"
#include "engine/base/problem.h"
#include "engine/base/strings.h"
#include "engine/film/storyboard.h"
#include "engine/project/keyframes.h"
#include "engine/project/project.h"
#include "engine/runs/run_folder.h"
#include "ui/project/consequences.h"
#include "ui/storyboard/film_watch.h"
#include "ui/storyboard/storyboard_document.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr QLatin1String shotMimeType("application/x-meshreel-shot");
constexpr double wholePercentage = 100;

QString posterFile(const std::filesystem::path& run) {
    return QString::fromStdString((run / std::string(run_file::preview)).string());
}

/// The picture that a shot begins with, or the first one that it passes; empty without one.
QString inputPicture(const Project& project) {
    if (!project.image.empty())
        return QString::fromStdString(project.image);
    return project.keyframes.empty() ? QString() : QString::fromStdString(project.keyframes.front().image);
}

QString wordsOf(const Shot& shot) {
    return visibleText(QString::fromStdString(shot.project.prompt)).simplified();
}

}  // namespace

QString shotStateText(ShotState state) {
    switch (state) {
        case ShotState::Missing:
            return StoryboardModel::tr("Not made", "shot");
        case ShotState::Changed:
            return StoryboardModel::tr("Changed", "shot");
        case ShotState::Begun:
            return StoryboardModel::tr("Interrupted", "shot");
        case ShotState::Made:
            break;
    }
    return StoryboardModel::tr("Made", "shot");
}

StoryboardModel::StoryboardModel(StoryboardDocument& document, FilmWatch& watch, QObject* parent)
    : QAbstractListModel(parent),
      m_document(document),
      m_watch(watch),
      m_mark(QUuid::createUuid().toByteArray(QUuid::Id128)),
      m_inputs(nullptr, Links::Follow) {
    connect(&m_document, &StoryboardDocument::changed, this, &StoryboardModel::refresh);
    connect(&m_watch, &FilmWatch::changed, this, &StoryboardModel::refresh);
    connect(&m_posters, &PosterCache::loaded, this, &StoryboardModel::refresh);
    connect(&m_inputs, &PosterCache::loaded, this, &StoryboardModel::refresh);
    refresh();
}

int StoryboardModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : m_count;
}

void StoryboardModel::refresh() {
    const int count = m_document.count();
    if (count > m_count) {
        beginInsertRows({}, m_count, count - 1);
        m_count = count;
        endInsertRows();
    } else if (count < m_count) {
        beginRemoveRows({}, count, m_count - 1);
        m_count = count;
        endRemoveRows();
    }
    if (m_count > 0)
        emit dataChanged(index(0), index(m_count - 1));
}

void StoryboardModel::refreshRow(int row) {
    if (row >= 0 && row < m_count)
        emit dataChanged(index(row), index(row));
}

void StoryboardModel::setMaking(int shot, double part) {
    if (shot == m_making && part == m_part)
        return;
    const int before = m_making;
    m_making = shot;
    m_part = part;
    refreshRow(before);
    refreshRow(shot);
}

void StoryboardModel::setPlaying(int shot) {
    if (shot == m_playing)
        return;
    const int before = m_playing;
    m_playing = shot;
    refreshRow(before);
    refreshRow(shot);
}

QPixmap StoryboardModel::picture(int shot) const {
    if (const PlannedShot* planned = m_watch.planned(shot)) {
        const std::filesystem::path& run =
            planned->state == ShotState::Changed ? planned->former : planned->folder;
        const bool hasPicture = planned->state == ShotState::Made || planned->state == ShotState::Changed;
        if (hasPicture)
            if (QPixmap poster = m_posters.poster(posterFile(run)); !poster.isNull())
                return poster;
    }
    const QString file = inputPicture(m_document.shot(shot).project);
    return file.isEmpty() ? QPixmap() : m_inputs.poster(file);
}

QString StoryboardModel::lengthText(int shot) const {
    const PlannedShot* planned = m_watch.planned(shot);
    if (planned == nullptr || planned->project.fps <= 0)
        return {};
    constexpr int digits = 2;
    return tr("%1 s", "seconds")
        .arg(QLocale().toString(static_cast<double>(planned->shownFrames()) / planned->project.fps, 'f',
                                digits));
}

QString StoryboardModel::stateText(int shot) const {
    if (shot == m_making)
        return tr("Being made: %1 %", "percent of a shot")
            .arg(QLocale().toString(static_cast<int>(std::floor(m_part * wholePercentage))));
    if (meshreel::hasErrors(m_watch.problemsOf(shot)))
        return tr("Cannot be made", "shot");
    const PlannedShot* planned = m_watch.planned(shot);
    if (planned == nullptr || planned->folder.empty())
        return m_watch.outlook() == nullptr ? tr("Being checked", "shot") : tr("Cannot be made yet", "shot");
    return shotStateText(stateOf(shot, *planned));
}

/// Shots are made in their order: the one before the present one is made, though the engine was not asked
/// since.
ShotState StoryboardModel::stateOf(int shot, const PlannedShot& planned) const {
    return planned.state == ShotState::Begun && shot < m_making ? ShotState::Made : planned.state;
}

QString StoryboardModel::costText(int shot) const {
    const PlannedShot* planned = m_watch.planned(shot);
    if (planned == nullptr || planned->plan == nullptr || planned->state == ShotState::Made)
        return {};
    const QString memory =
        tr("%1 of memory", "bytes").arg(QString::fromStdString(formatBytes(planned->plan->memory.peak())));
    return planned->time ? tr("%1, %2", "time, memory").arg(predictedText(*planned->time), memory) : memory;
}

/// For those who do not see the tile.
QString StoryboardModel::spokenText(int shot) const {
    QStringList words{tr("Shot %1 of %2, %3", "number, number of shots, name")
                          .arg(QLocale().toString(shot + 1), QLocale().toString(m_count),
                               visibleText(QString::fromStdString(m_document.shot(shot).name))),
                      stateText(shot)};
    if (const QString length = lengthText(shot); !length.isEmpty())
        words += length;
    if (const QString cost = costText(shot); !cost.isEmpty())
        words += cost;
    if (m_document.shot(shot).continues)
        words += tr("goes on from another shot");
    if (const QString prompt = wordsOf(m_document.shot(shot)); !prompt.isEmpty())
        words += prompt;
    return words.join(QStringLiteral("; "));
}

QVariant StoryboardModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= m_document.count())
        return {};
    const int row = index.row();
    const Shot& shot = m_document.shot(row);
    const PlannedShot* planned = m_watch.planned(row);
    switch (role) {
        case Qt::DisplayRole:
            return visibleText(QString::fromStdString(shot.name));
        case Qt::ToolTipRole:
            return asPlainText(spokenText(row));
        case Qt::AccessibleTextRole:
            return spokenText(row);
        case PromptRole:
            return wordsOf(shot);
        case NumberRole:
            return row + 1;
        case LengthRole:
            return lengthText(row);
        case StateRole:
            return planned == nullptr || planned->folder.empty() ? -1
                                                                 : static_cast<int>(stateOf(row, *planned));
        case StateTextRole:
            return stateText(row);
        case PictureRole:
            return picture(row);
        case FormerRole:
            return planned != nullptr && planned->state == ShotState::Changed;
        case ContinuesRole:
            return shot.continues.has_value();
        case ProblemRole:
            return meshreel::hasErrors(m_watch.problemsOf(row));
        case PartRole:
            return row == m_making ? m_part : -1.0;
        case PlayingRole:
            return row == m_playing;
        default:
            return {};
    }
}

Qt::ItemFlags StoryboardModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractListModel::flags(index);
    return index.isValid() ? flags | Qt::ItemIsDragEnabled : flags | Qt::ItemIsDropEnabled;
}

QStringList StoryboardModel::mimeTypes() const {
    return {QString(shotMimeType)};
}

QMimeData* StoryboardModel::mimeData(const QModelIndexList& indexes) const {
    if (indexes.isEmpty())
        return nullptr;
    auto* data = new QMimeData;
    data->setData(shotMimeType, m_mark + QByteArray::number(indexes.first().row()));
    return data;
}

std::optional<int> StoryboardModel::draggedRow(const QMimeData* data) const {
    const QByteArray dragged = data == nullptr ? QByteArray() : data->data(shotMimeType);
    if (!dragged.startsWith(m_mark))
        return {};
    bool isNumber = false;
    const int row = dragged.mid(m_mark.size()).toInt(&isNumber);
    return isNumber ? std::optional(row) : std::nullopt;
}

}  // namespace meshreel

#include "moc_storyboard_model.cpp"
