// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/project_target.h"

#include <QFileInfo>
#include <QList>
#include <QSettings>
#include <QString>
#include <algorithm>

#include "ui/project/target_choice.h"

namespace meshreel {

namespace {

constexpr QLatin1String targetsKey("planning/targets");
constexpr QLatin1String targetFileKey("file");
constexpr QLatin1String targetProfileKey("profile");
constexpr QLatin1String targetProgramKey("program");
constexpr qsizetype mostTargets = 100;  ///< more projects than anybody plans for other hardware at a time

struct KeptTarget {
    QString file;
    TargetName target;
};

/// Returns one name for a file, by whatever path it is opened.
QString nameOfFile(const std::filesystem::path& file) {
    const QFileInfo info(QString::fromStdString(file.string()));
    const QString canonical = info.canonicalFilePath();
    return canonical.isEmpty() ? info.absoluteFilePath() : canonical;
}

QList<KeptTarget> readTargets() {
    QSettings settings;
    QList<KeptTarget> kept;
    const int size = settings.beginReadArray(targetsKey);
    for (int i = 0; i < size; ++i) {
        settings.setArrayIndex(i);
        kept += {settings.value(targetFileKey).toString(),
                 {settings.value(targetProfileKey).toString(), settings.value(targetProgramKey).toString()}};
    }
    settings.endArray();
    return kept;
}

void writeTargets(const QList<KeptTarget>& kept) {
    QSettings settings;
    settings.remove(targetsKey);
    settings.beginWriteArray(targetsKey, static_cast<int>(kept.size()));
    for (int i = 0; i < static_cast<int>(kept.size()); ++i) {
        settings.setArrayIndex(i);
        settings.setValue(targetFileKey, kept[i].file);
        settings.setValue(targetProfileKey, kept[i].target.profile);
        settings.setValue(targetProgramKey, kept[i].target.program);
    }
    settings.endArray();
}

}  // namespace

ProjectTarget::ProjectTarget(ProjectDocument& document, TargetChoice& choice, QObject* parent)
    : QObject(parent), m_document(document), m_choice(choice) {
    connect(&m_choice, &TargetChoice::failed, this,
            [this] { m_isUnread = !m_takenUp.profile.isEmpty() && m_document.target() == m_takenUp; });
    connect(&m_choice, &TargetChoice::changed, this, [this] {
        m_isUnread = m_isUnread && m_choice.name().isEmpty();
        m_document.setTarget({m_choice.name(), m_choice.program()});
    });
    connect(&m_document, &ProjectDocument::replaced, this, &ProjectTarget::takeUp);
    connect(&m_document, &ProjectDocument::fileChanged, this, &ProjectTarget::keep);
    connect(&m_document, &ProjectDocument::targetChanged, this, [this] {
        m_choice.choose(m_document.target().profile, m_document.target().program);
        keep();
    });
}

void ProjectTarget::takeUp() {
    TargetName target = m_document.target();
    if (target.profile.isEmpty() && !m_document.file().empty()) {
        const QList<KeptTarget> kept = readTargets();
        const auto found = std::ranges::find(kept, nameOfFile(m_document.file()), &KeptTarget::file);
        if (found != kept.end())
            target = found->target;
    }
    m_takenUp = target;
    m_isUnread = false;
    m_document.setTarget(target);
    m_choice.choose(target.profile, target.program);  // also where the project had it already
}

void ProjectTarget::keep() const {
    if (m_document.file().empty() || m_isUnread)
        return;
    const QString file = nameOfFile(m_document.file());
    QList<KeptTarget> kept = readTargets();
    const bool wasKept = kept.removeIf([&](const KeptTarget& one) { return one.file == file; }) > 0;
    const bool isOther = !m_document.target().profile.isEmpty();
    if (isOther)
        kept.prepend({file, m_document.target()});
    if (wasKept || isOther)
        writeTargets(kept.mid(0, mostTargets));
}

}  // namespace meshreel

#include "moc_project_target.cpp"
