// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <span>

#include "engine/runs/records/run_record.h"
#include "ui/values/background.h"

namespace meshreel {

class HistoryPanel;
class MessageBanner;
class PathOpener;
class RunHistoryModel;
class RunPresenter;
class RunWatch;

/// Does to the folders of past runs what their panel asks for, and keeps their list as the folders are.
/// All of it outlives this.
class HistoryActions : public QObject {
    Q_OBJECT

  public:
    struct Places {
        HistoryPanel& panel;
        RunHistoryModel& history;
        PathOpener& opener;
        RunPresenter& runs;
        MessageBanner& banner;
    };

    HistoryActions(const Places& places, QObject* parent);

    /// Reads in the background.
    void refresh();

  private:
    using Copy = QString (*)(std::span<const RunRecord> runs);

    void connectPanel();
    /// Resumes the run, which may be someone else's, when the user agrees to what it names.
    void ifTrusted(const QString& folder, const std::function<void()>& work);
    /// Reads the runs in the background, copies their text, and reports that.
    void copyRuns(const QStringList& folders, Copy copy);
    /// Asks first, once for all.
    void moveToTrash(const QStringList& folders);
    void offerShown();

    Places m_places;
    RunWatch* m_watch;
    Background m_copying;
    QString m_selected;  ///< to be selected once the folders have been read again
};

}  // namespace meshreel
