// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QObject>
#include <QTextBrowser>

#include "engine/base/problem.h"

class QGridLayout;
class QLabel;
class QToolButton;
class QWidget;

namespace meshreel {

class KeyField;
struct ProjectKey;

/// Explains a setting beside its field, on request: one sentence, unit, legal values, default, spelling, and
/// a link to the reference of all keys.
class KeyHelp : public QFrame {
    Q_OBJECT

  public:
    explicit KeyHelp(QWidget* parent = nullptr);

    /// `standard` is the default's text, which may follow the project's preset.
    void showKey(const ProjectKey& key, const QString& standard);
    /// Shows it below the field, or above it if there is more room, within the parent. For the last key that
    /// was shown.
    void popUp(const QWidget& field);
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

/// One key in the form: title, field, unit and limits, a mark and a way back when it is not the default, and
/// a message when something is wrong.
class KeyRow : public QObject {
    Q_OBJECT

  public:
    /// Adds its widgets below the last row of `grid`, as children of `parent`. Untitled where the section's
    /// title says the same.
    KeyRow(const ProjectKey& key, bool titled, QGridLayout* grid, QWidget* parent);

    [[nodiscard]] const ProjectKey& key() const { return m_key; }
    [[nodiscard]] KeyField& field() const { return *m_field; }
    /// Returns what is said below the field; empty when all is well.
    [[nodiscard]] QString message() const;

    /// Null removes the message. Errors in a field that the user has not touched yet are shown without alarm.
    void showProblem(const Problem* problem, bool touched);
    void setChanged(bool changed);
    /// What resetting brings back, as text.
    void setDefault(const QString& standard);
    [[nodiscard]] bool isChanged() const { return m_changed; }
    void setVisible(bool visible);
    [[nodiscard]] bool isVisible() const { return m_visible; }
    /// Returns whether the words of the key (title, spelling, help, section, choices) contain `text`.
    [[nodiscard]] bool matches(const QString& text) const;
    /// Returns the width of the longest word of a title beside its field; 0 for other titles.
    [[nodiscard]] int leastTitleWidth() const;
    /// Sets the width of a title beside its field.
    void setTitleWidth(int width);
    /// Follows the palette of the form.
    void updateColours();

  signals:
    void resetRequested();
    /// The user wants the explanation of the setting.
    void helpRequested();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void addTo(QGridLayout* grid);
    void makeReset();
    [[nodiscard]] bool standsBeside() const;

    const ProjectKey& m_key;
    bool m_titled;
    QLabel* m_title;
    KeyField* m_field;
    QLabel* m_caption;  ///< unit and limits
    QLabel* m_message;
    QWidget* m_mark;
    QToolButton* m_reset;
    bool m_visible = true;
    bool m_changed = false;
};

/// The reference of all project keys, as in docs/project-keys.md.
class KeyReference : public QTextBrowser {
    Q_OBJECT

  public:
    explicit KeyReference(QWidget* parent = nullptr);

    /// Scrolls to the key and marks its name.
    void showKey(const QString& name);
};

}  // namespace meshreel
