// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/use_menu.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/project/project_keys.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

/// How a task uses the input of a key.
enum class Using : std::uint8_t { AtAll, MakesOver, IsControlled };

/// What makes a video over needs one; what a video controls may have one, but for Fun Control and Animate-2,
/// which need it.
bool isControlledBy(const WanTaskRow& row, std::string_view key) {
    return row.task == WanTask::ControlToVideo || row.task == WanTask::DrivenAnimation ||
           std::ranges::count(row.takes, key) > 0;
}

/// Returns the tasks that use the input of a key so, in the engine's order.
std::vector<WanTask> tasksUsing(std::string_view key, Using use) {
    std::vector<WanTask> tasks;
    for (const WanTaskRow& row : wanTasks())
        if (reads(row, key) &&
            (use == Using::AtAll || isControlledBy(row, key) == (use == Using::IsControlled)))
            tasks.push_back(row.task);
    return tasks;
}

const std::vector<ResultUseRow>& useRows() {
    static const std::vector<ResultUseRow> rows{
        {ResultUse::FirstImage, "image", tasksUsing("image", Using::AtAll), true},
        {ResultUse::LastImage, "last_image", tasksUsing("last_image", Using::AtAll), true},
        {ResultUse::Reference, "reference_images", tasksUsing("reference_images", Using::AtAll), true},
        {ResultUse::Control, "video", tasksUsing("video", Using::IsControlled), false},
        {ResultUse::MakeOver, "video", tasksUsing("video", Using::MakesOver), false},
        {ResultUse::Continued, "continue_from", {}, false},
    };
    return rows;
}

constexpr std::array promptKeys{"prompt", "negative_prompt"};
constexpr std::array seedKeys{"seed"};
constexpr std::array sizeKeys{"width", "height", "num_frames", "fps"};

}  // namespace

const ResultUseRow& rowOf(ResultUse use) {
    return *std::ranges::find(useRows(), use, &ResultUseRow::use);
}

UseMenu::UseMenu(Frames frames, QWidget* parent) : QMenu(tr("&Use as"), parent) {
    if (frames == Frames::Shown) {
        addFrame(tr("Shown frame"), ClipFrame::Shown);
        addVideo(tr("Continue from the shown frame"), ClipFrame::Shown);
    } else {
        addFrame(tr("Last frame"), ClipFrame::Last);
        addFrame(tr("First frame"), ClipFrame::First);
        addVideo(tr("Continue from its last frame"), ClipFrame::Last);
    }
    connect(this, &QMenu::aboutToShow, this, &UseMenu::refresh);
    refresh();
}

void UseMenu::addFrame(const QString& title, ClipFrame frame) {
    addSection(title);
    for (const ResultUseRow& row : useRows())
        if (row.ofFrame)
            add(row.use, engineText(findProjectKey(row.key)->title), frame);
}

void UseMenu::addVideo(const QString& continueTitle, ClipFrame frame) {
    addSection(tr("Video"));
    add(ResultUse::Continued, continueTitle, frame);
    add(ResultUse::MakeOver, tr("Video to make over"), frame);
    add(ResultUse::Control, tr("Control video"), frame);
}

void UseMenu::add(ResultUse use, const QString& title, ClipFrame frame) {
    QAction* action = addAction(
        title, this, [this, use, frame] { emit requested({.clip = m_clip, .use = use, .frame = frame}); });
    m_entries.push_back({.action = action, .row = &rowOf(use), .title = title});
}

void UseMenu::setClip(const QString& clip) {
    m_clip = clip;
    refresh();
}

void UseMenu::refresh() {
    const std::set<WanTask> here = m_tasks ? m_tasks() : std::set<WanTask>();
    menuAction()->setEnabled(!m_clip.isEmpty());
    for (const Entry& entry : m_entries) {
        const std::span<const WanTask> tasks = entry.row->tasks;
        const bool isTaken = tasks.empty() || std::ranges::any_of(tasks, [&here](WanTask task) {
                                 return here.contains(task);
                             });
        entry.action->setEnabled(isTaken && !m_clip.isEmpty());
        entry.action->setText(isTaken ? entry.title
                                      : tr("%1 (no installed model takes it)", "use").arg(entry.title));
    }
}

std::span<const char* const> keysOf(RunPart part) {
    switch (part) {
        case RunPart::Prompt:
            return promptKeys;
        case RunPart::Seed:
            return seedKeys;
        case RunPart::Size:
            break;
    }
    return sizeKeys;
}

PartMenu::PartMenu(QWidget* parent) : QMenu(tr("Use &only"), parent) {
    addAction(tr("&Prompt"), this, [this] { emit requested(RunPart::Prompt); });
    addAction(tr("&Seed"), this, [this] { emit requested(RunPart::Seed); });
    addAction(tr("Si&ze and length"), this, [this] { emit requested(RunPart::Size); });
}

}  // namespace meshreel

#include "moc_use_menu.cpp"
