// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/preset_menu.h"

#include <QAction>

#include "engine/project/presets.h"
#include "ui/models/key_texts.h"

namespace meshreel {
namespace {

QString textOf(const std::filesystem::path& path) {
    return QString::fromStdString(path.string());
}

}  // namespace

PresetMenu::PresetMenu(QWidget* parent) : QMenu(tr("New from &preset"), parent) {
    connect(this, &QMenu::aboutToShow, this, &PresetMenu::fill);
}

void PresetMenu::fill() {
    if (!isEmpty())
        return;
    QMenu* models = nullptr;
    for (const PresetProject& preset : presetProjects(presetFolder())) {
        const QString model = QString::fromStdString(preset.model);
        if (models == nullptr || models->title() != model) {
            models = addMenu(model);
            models->setToolTipsVisible(true);
        }
        const QString file = textOf(preset.file);
        QAction* action =
            models->addAction(textOf(preset.file.stem()), this, [this, file] { emit chosen(file); });
        action->setToolTip(engineText(preset.description));
    }
    if (isEmpty())
        addAction(tr("None is installed"))->setEnabled(false);
}

}  // namespace meshreel
