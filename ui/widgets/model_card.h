// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBrowser>

namespace meshreel {

/// What is known of the project's model: where it lies, how large it is, and its card.
class ModelCard : public QTextBrowser {
    Q_OBJECT

  public:
    explicit ModelCard(QWidget* parent = nullptr);

    /// Name or folder as the project spells it. A model that is not installed is explained.
    void showModel(const QString& nameOrPath);

  private:
    QString m_shown;
};

}  // namespace meshreel
