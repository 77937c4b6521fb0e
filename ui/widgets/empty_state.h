// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QHBoxLayout;
class QIcon;
class QLabel;
class QPushButton;

namespace meshreel {

/// Stands where there is nothing yet: a sentence that says what to do, and buttons that do it.
class EmptyState : public QWidget {
    Q_OBJECT

  public:
    explicit EmptyState(const QString& sentence, QWidget* parent = nullptr);

    void setSentence(const QString& sentence);
    [[nodiscard]] QString sentence() const;

    /// A button that triggers the action, and shows its icon and text; enabled when the action is.
    QPushButton* addButton(QAction* action);
    QPushButton* addButton(const QIcon& icon, const QString& text);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void ink();

    QLabel* m_sentence;
    QHBoxLayout* m_buttons;
};

}  // namespace meshreel
