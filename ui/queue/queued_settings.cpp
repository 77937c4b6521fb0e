// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/queued_settings.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <string_view>

#include "engine/project/project_keys.h"
#include "ui/models/key_texts.h"

namespace meshreel {

namespace {

struct QueuedSettings {
    Q_DECLARE_TR_FUNCTIONS(meshreel::QueuedSettings)
};

constexpr qsizetype longestCell = 48;  ///< characters

/// Those that have a column of their own, and the name, which changes nothing.
constexpr std::array<std::string_view, 8> shownElsewhere{
    "name", "prompt", "width", "height", "num_frames", "num_inference_steps", "seed", "attention"};

bool isVaried(const QueuedRun& run, const ProjectKey& key) {
    return std::ranges::find(run.varied, key.name) != run.varied.end();
}

QString textOf(const QueuedRun& run, const ProjectKey& key) {
    return QueuedSettings::tr("%1: %2", "title of a setting and its value")
        .arg(distinctTitle(key), QString::fromStdString(valueText(run.project, key)));
}

}  // namespace

QString distinctiveSettings(const QueuedRun& run) {
    QStringList settings;
    for (const ProjectKey& key : projectKeys()) {
        const bool wanted = run.varied.empty() ? !isDefault(run.project, key) : isVaried(run, key);
        if (wanted && std::ranges::find(shownElsewhere, key.name) == shownElsewhere.end())
            settings += textOf(run, key);
    }
    const QString text = settings.join(QStringLiteral(", ")).simplified();
    return text.size() <= longestCell ? text : text.left(longestCell - 1) + QChar(0x2026);
}

QStringList chosenSettings(const QueuedRun& run) {
    QStringList settings;
    for (const ProjectKey& key : projectKeys())
        if (isVaried(run, key) || !isDefault(run.project, key))
            settings += textOf(run, key);
    return settings;
}

}  // namespace meshreel
