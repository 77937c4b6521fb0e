// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/hardware_chooser.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QSignalBlocker>

#include "engine/base/error.h"
#include "engine/planning/foresight/hardware_profile.h"
#include "ui/project/target_choice.h"
#include "ui/widgets/accessibility.h"

namespace meshreel {

namespace {

const QString fileEntry = QStringLiteral("…");  ///< data of the entry that asks for a file: no profile's name

std::vector<Hardware> readableProfiles() {
    try {
        return hardwareProfiles();
    } catch (const Error&) {
        return {};  // choosing by file still works, and says what is wrong
    }
}

}  // namespace

HardwareChooser::HardwareChooser(TargetChoice& choice, QWidget* parent)
    : FormComboBox(parent), m_choice(choice) {
    nameControl(*this, tr("Plan for"));
    setToolTip(
        tr("Hardware that time, memory and meshes are shown for. Runs always happen on this machine."));
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    addItem(tr("This machine"), QString());
    insertSeparator(count());
    for (const Hardware& profile : readableProfiles()) {
        addItem(QString::fromStdString(profile->title), QString::fromStdString(profile->id));
        setItemData(count() - 1, QString::fromStdString(profile->device), Qt::ToolTipRole);
    }
    insertSeparator(count());
    addItem(tr("Profile file…"), fileEntry);
    connect(this, &QComboBox::activated, this, &HardwareChooser::take);
    connect(&m_choice, &TargetChoice::changed, this, &HardwareChooser::refresh);
    refresh();
}

void HardwareChooser::refresh() {
    const QSignalBlocker blocker(this);
    int index = findData(m_choice.name());
    if (index < 0) {  // a file of one's own
        index = count() - 1;
        insertItem(index, QFileInfo(m_choice.name()).completeBaseName(), m_choice.name());
    }
    setCurrentIndex(index);
}

void HardwareChooser::take(int index) {
    QString name = itemData(index).toString();
    if (name == fileEntry)
        name = QFileDialog::getOpenFileName(window(), tr("Choose a hardware profile"), QString(),
                                            tr("Hardware profiles (*.yaml)"));
    if (name.isEmpty() && index != 0)
        return refresh();
    m_choice.choose(name);
}

}  // namespace meshreel
