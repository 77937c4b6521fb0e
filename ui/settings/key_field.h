// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

class QLabel;
class QToolButton;

namespace meshreel {

class PathEdit;
class ProjectDocument;
struct Project;
struct ProjectKey;

/// The input widget of one project key. All values pass as texts, spelled as in the project file.
class KeyField : public QWidget {
    Q_OBJECT

  public:
    /// How much room the field asks for in a form.
    enum class Extent {
        Narrow,    ///< a number: its unit and limits fit beside it
        Wide,      ///< to the end of the line
        Paragraph  ///< below its title, several lines
    };

    /// Returns the field that suits the key's type, choices and form.
    static KeyField* make(const ProjectKey& key, QWidget* parent);

    [[nodiscard]] virtual QString text() const = 0;
    /// Emits nothing.
    virtual void setText(const QString& text) = 0;
    /// Returns what takes keys: what has the focus first, and boxes beside it for the same value.
    [[nodiscard]] virtual std::vector<QWidget*> inputs() const;
    [[nodiscard]] Extent extent() const { return m_extent; }
    /// Shows what of the project goes with the value, as the clip in which it is a place.
    virtual void showProject(const Project& project);
    /// Shows what applies where the value leaves it to the program: "auto (0.875)", from a project with what
    /// a plan decided (appliedProject()), and without one the key's own word.
    void showApplied(const ProjectKey& key, const Project* applied);
    /// Returns the width that such words need in a field of a number; 0 for a key that has none.
    [[nodiscard]] int roomForApplied(const ProjectKey& key) const;
    /// Names what the field is made of for assistive tools.
    virtual void describe(const QString& title, const QString& help);
    /// Red frame, or the usual one.
    void setInvalid(bool invalid);
    [[nodiscard]] bool isInvalid() const { return m_invalid; }

  signals:
    /// The user changed the text, and may continue.
    void edited(const QString& text);
    /// The user took a value with one act, as a click: a step of its own.
    void chosen(const QString& text);
    /// The user wants to draw what the value names.
    void drawingRequested();

  protected:
    /// `input` takes the focus.
    KeyField(QWidget* parent, Extent extent);
    /// Shows words in place of a value while nobody types; does nothing where a value says enough.
    virtual void setStandIn(const QString& value, const QString& words);
    void setInput(QWidget* input);
    void paintEvent(QPaintEvent* event) override;

  private:
    static KeyField* makeKind(const ProjectKey& key, QWidget* parent);

    Extent m_extent;
    bool m_invalid = false;
};

/// A file or folder that a project names: typed, chosen in a dialog, or dropped.
class PathField : public KeyField {
    Q_OBJECT

  public:
    /// What the dialog offers.
    enum class Kind { Image, Images, Video, Mask, Tracks, Sight, Weights, File, Folder };

    /// Returns the kind that suits the key; nothing for keys that name no file.
    static std::optional<Kind> kindOf(const ProjectKey& key);
    /// Returns which files the dialog shows, as QFileDialog takes it.
    static QString filterOf(Kind kind);

    PathField(Kind kind, QWidget* parent);

    [[nodiscard]] QString text() const override;
    void setText(const QString& text) override;
    void describe(const QString& title, const QString& help) override;

    /// Lets a person choose files, or the folder, in a dialog.
    void choose();

  protected:
    void setStandIn(const QString& value, const QString& words) override;

  private:
    void addChooser(Kind kind);
    void addDraw(Kind kind);
    void chooseFiles(Kind kind);
    void chooseFolder();

    Kind m_kind;
    QLabel* m_picture;  ///< the first of those named; hidden when none can be read
    PathEdit* m_edit;
    QToolButton* m_chooser;
    QToolButton* m_draw = nullptr;  ///< only for what can be drawn
};

/// A setting outside the form: its title above its field, following the document and changing it. Red with
/// the reason as tool tip while something is wrong with it.
class BoundField : public QWidget {
    Q_OBJECT

  public:
    /// `title` replaces the key's if that would be too long.
    BoundField(ProjectDocument& document, const ProjectKey& key, const QString& title, QWidget* parent);

    [[nodiscard]] KeyField& field() const { return *m_field; }
    /// As KeyField::showApplied().
    void showApplied(const Project* applied);

  private:
    void refresh();

    ProjectDocument& m_document;
    const ProjectKey& m_key;
    KeyField* m_field;
};

}  // namespace meshreel
