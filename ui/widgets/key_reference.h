// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBrowser>

namespace meshreel {

/// The reference of all project keys, as in docs/project-keys.md.
class KeyReference : public QTextBrowser {
    Q_OBJECT

  public:
    explicit KeyReference(QWidget* parent = nullptr);

    /// Scrolls to the key and marks its name.
    void showKey(const QString& name);
};

}  // namespace meshreel
