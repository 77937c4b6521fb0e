// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;

namespace meshreel {

struct ProjectKey;

/// What the setting at hand means: one sentence, unit, legal values, default, spelling, and a link to the
/// reference of all keys.
class KeyHelp : public QFrame {
    Q_OBJECT

  public:
    explicit KeyHelp(QWidget* parent = nullptr);

    /// `standard` is the default's text, which may follow the project's preset.
    void showKey(const ProjectKey& key, const QString& standard);
    /// Null before the first one.
    [[nodiscard]] const ProjectKey* key() const { return m_key; }
    [[nodiscard]] QString text() const;

  signals:
    /// The link was followed.
    void referenceRequested(const QString& keyName);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void refresh();

    const ProjectKey* m_key = nullptr;
    QString m_standard;
    QLabel* m_text;
};

}  // namespace meshreel
