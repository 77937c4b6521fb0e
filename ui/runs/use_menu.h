// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QMenu>
#include <QString>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/models/families/model_family.h"

namespace meshreel {

/// What a result can be to the next video.
enum class ResultUse : std::uint8_t {
    FirstImage,
    LastImage,
    Reference,
    Control,    ///< VACE's control video
    MakeOver,   ///< the video of video to video
    Continued,  ///< the clip that is continued
};

/// A frame of a clip.
enum class ClipFrame : std::uint8_t { First, Last, Shown };

/// A use, as the menu of results offers it.
struct ResultUseRow {
    ResultUse use;
    const char* key;             ///< of the project, which takes the picture or the video
    std::vector<WanTask> tasks;  ///< that take it, in the order of wanTasks(); none: all do
    bool ofFrame;                ///< it takes a single frame
};

/// Returns the row of a use.
const ResultUseRow& rowOf(ResultUse use);

/// What is asked for.
struct UseRequest {
    QString clip;  ///< a run's folder or a video's file
    ResultUse use = ResultUse::FirstImage;
    ClipFrame frame = ClipFrame::Last;
    int shown = 0;        ///< its number, of ClipFrame::Shown, counted from 0
    QImage picture = {};  ///< of ClipFrame::Shown
};

/// Tells what the project's model and the installed ones do.
using TaskSource = std::function<std::set<WanTask>()>;

/// "Use as": what a result, or a frame of it, can be to the next video. Uses that no task of the installed
/// models takes are greyed, and say so.
class UseMenu : public QMenu {
    Q_OBJECT

  public:
    /// Offers the shown frame, or else the first and the last.
    enum class Frames { Shown, Ends };

    UseMenu(Frames frames, QWidget* parent);

    /// A run's folder or a video's file; empty: there is nothing to use.
    void setClip(const QString& clip);
    /// What the models here do; asked when the menu opens.
    void setTasks(TaskSource tasks) { m_tasks = std::move(tasks); }

  signals:
    void requested(const meshreel::UseRequest& request);

  private:
    struct Entry {
        QAction* action;
        const ResultUseRow* row;
        QString title;
    };

    void addFrame(const QString& title, ClipFrame frame);
    void addVideo(const QString& continueTitle, ClipFrame frame);
    void add(ResultUse use, const QString& title, ClipFrame frame);
    void refresh();

    QString m_clip;
    TaskSource m_tasks;
    std::vector<Entry> m_entries;
};

/// Settings of a run that are taken over without the others.
enum class RunPart : std::uint8_t { Prompt, Seed, Size };

/// Returns the keys of such settings.
std::span<const char* const> keysOf(RunPart part);

/// "Use only": settings of a run that are taken over singly.
class PartMenu : public QMenu {
    Q_OBJECT

  public:
    explicit PartMenu(QWidget* parent);

  signals:
    void requested(meshreel::RunPart part);
};

}  // namespace meshreel
