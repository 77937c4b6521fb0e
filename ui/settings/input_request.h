// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QString>

class QLabel;
class QPushButton;

namespace meshreel {

struct ProjectKey;

/// Asks for a file that the project's task needs: a place to drop it on, and a button to choose it. Hidden
/// while nothing is asked for. The button has the focus of the whole.
class InputRequest : public QFrame {
    Q_OBJECT

  public:
    explicit InputRequest(QWidget* parent = nullptr);

    /// Null: nothing.
    void ask(const ProjectKey* key);
    /// Null while nothing is asked for.
    [[nodiscard]] const ProjectKey* key() const { return m_key; }
    [[nodiscard]] QPushButton& button() const { return *m_choose; }

  signals:
    void chooseRequested(const QString& keyName);
    /// The text that the key is to have.
    void dropped(const QString& keyName, const QString& text);

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    [[nodiscard]] QString keyName() const;

    const ProjectKey* m_key = nullptr;
    QLabel* m_words;
    QPushButton* m_choose;
    bool m_isAimedAt = false;
};

}  // namespace meshreel
