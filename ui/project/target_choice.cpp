// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/target_choice.h"

#include <utility>

#include "engine/planning/target_hardware.h"

namespace meshreel {

TargetChoice::TargetChoice(QObject* parent) : QObject(parent) {}

void TargetChoice::choose(const QString& name, const QString& program) {
    if (name == m_name && program == m_program)
        return;
    m_name = name;
    m_program = program;
    m_target.reset();
    m_reading.forget();
    emit changed();
    if (name.isEmpty())
        return;
    m_reading.run(
        [name = name.toStdString(), program = program.toStdString()] {
            return std::make_shared<const TargetHardware>(readTargetHardware(name, program));
        },
        [this](std::shared_ptr<const TargetHardware> target) {
            m_target = std::move(target);
            emit changed();
        },
        [this](const Problem& problem) {
            emit failed(problem);
            choose({});
        });
}

}  // namespace meshreel

#include "moc_target_choice.cpp"
