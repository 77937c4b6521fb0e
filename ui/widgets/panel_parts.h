// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QActionEvent>
#include <QStringList>
#include <QToolBar>
#include <QToolButton>
#include <QWidget>

class QAction;
class QHBoxLayout;
class QIcon;
class QLabel;
class QPushButton;

namespace meshreel {

/// A tool bar in a panel, whose actions need not be in a menu of the window: Tab reaches its buttons, which
/// Qt's pass over.
class PanelToolBar : public QToolBar {
    Q_OBJECT

  public:
    using QToolBar::QToolBar;

  protected:
    void actionEvent(QActionEvent* event) override {
        QToolBar::actionEvent(event);
        if (event->type() == QEvent::ActionAdded)
            if (auto* button = qobject_cast<QToolButton*>(widgetForAction(event->action())))
                button->setFocusPolicy(Qt::TabFocus);
    }
};

/// A paragraph that takes no more than a few lines, however long it is: the last one is shortened, and the
/// tool tip tells the whole. It can be copied.
class ClampedText : public QWidget {
    Q_OBJECT

  public:
    /// `mostLines`: at least 1.
    explicit ClampedText(int mostLines, QWidget* parent = nullptr);

    void setText(const QString& text);
    /// The whole.
    [[nodiscard]] const QString& text() const { return m_text; }
    /// As they are shown in `width` pixels.
    [[nodiscard]] QStringList lines(int width) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void refreshToolTip();

    int m_mostLines;
    QString m_text;
};

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
