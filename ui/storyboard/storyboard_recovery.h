// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <memory>

namespace meshreel {

class StoryboardDocument;
class StoryboardFiles;

/// Keeps a storyboard that is edited and not saved, a moment after each change, so that neither a crash nor
/// closing the window loses it. Each window has a file of its own.
class StoryboardRecovery : public QObject {
    Q_OBJECT

  public:
    /// What is kept is in `folder`. Document and files outlive this.
    StoryboardRecovery(StoryboardDocument& document, const StoryboardFiles& files,
                       const std::filesystem::path& folder, QObject* parent);

    /// Brings back what was kept, as an unsaved change of the file that it belonged to. False: there is
    /// nothing.
    bool bringBack();
    /// Now; what needs no keeping any more is removed.
    void keep();

  signals:
    /// It is only in this window.
    void keepingFailed(const QString& sentence);

  private:
    /// Takes a place that no other window has: one that holds something, or an empty one.
    void takePlace(bool holdsSomething);
    bool tryPlace(int number, bool holdsSomething);

    StoryboardDocument& m_document;
    const StoryboardFiles& m_files;
    std::filesystem::path m_folder;
    std::filesystem::path m_file;  ///< empty: more windows than places, and nothing is kept
    std::unique_ptr<QLockFile> m_lock;
    QTimer m_pause;
    bool m_holdsAnother = false;  ///< the file has what nobody asked for yet, and must stay
    bool m_hasFailed = false;
};

}  // namespace meshreel
