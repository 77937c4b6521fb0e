// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <string_view>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace meshreel {

class FilmWatch;
class KeyField;
class NumberEdit;
class StoryboardDocument;
struct Problem;
struct ProjectKey;

/// What is one shot's own: its name, prompt, length, what it goes on from, its pictures; and what is wrong
/// with it, with buttons that end it. Every edit is a step of the document's undoing.
class ShotEditor : public QWidget {
    Q_OBJECT

  public:
    /// Both outlive this.
    ShotEditor(StoryboardDocument& document, FilmWatch& watch, QWidget* parent);

    /// Shows a shot; nothing for -1.
    void showShot(int shot);
    [[nodiscard]] int shot() const { return m_shot; }
    void focusPrompt();
    /// Ends the typing of a name, which is written in one step: other shots go on from it by name.
    void writeName();
    [[nodiscard]] QLineEdit& name() const { return *m_name; }
    /// Returns the field of a key; null for keys without one.
    [[nodiscard]] KeyField* field(std::string_view key) const;
    [[nodiscard]] NumberEdit& seconds() const { return *m_seconds; }
    [[nodiscard]] QCheckBox& continues() const { return *m_continues; }
    /// Returns what it tells of problems, a line each.
    [[nodiscard]] QString problemText() const;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    struct KeyEntry {
        const ProjectKey* key;
        KeyField* field;
    };

    void addKey(QVBoxLayout& column, std::string_view name);
    QWidget* makeLength();
    QWidget* makeContinuation();
    void setOwn(const ProjectKey& key, const QString& text, bool isTyping);
    void setText(std::string_view key, const QString& title, const QString& text);
    void setContinues(bool continues);
    void refresh();
    void refreshKeys();
    void refreshNumbers();
    void refreshContinuation();
    void refreshProblems();
    void addProblem(const Problem& problem);

    StoryboardDocument& m_document;
    FilmWatch& m_watch;
    int m_shot = -1;
    QLineEdit* m_name;
    NumberEdit* m_seconds;
    QCheckBox* m_continues;
    QLabel* m_blendTitle;
    NumberEdit* m_blend;
    std::vector<KeyEntry> m_keys;
    std::vector<Problem> m_shownProblems;
    QVBoxLayout* m_problems;
    std::vector<QWidget*> m_problemRows;
};

}  // namespace meshreel
