// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>
#include <optional>
#include <string_view>
#include <vector>

class QCheckBox;
class QKeyEvent;
class QLabel;
class QLineEdit;
class QScrollArea;
class QToolButton;

namespace meshreel {

class KeyHelp;
class KeyRow;
class ModelState;
class ProjectDocument;
class PromptTools;
class SizePicker;
class TaskPicker;
class Variations;
struct ModelFamily;
struct ProjectKey;
struct RunPlan;

/// The form of a project, made from the table of project keys: a section to fold per section, a row per key,
/// what every video is made with first. Illegal values are explained below their fields, what a setting means
/// beside it on a click on its title, or with Shift+F1. Rows are chosen by level, by what the model can be
/// asked for, by whether they were changed, and by searching.
class ProjectEditor : public QWidget {
    Q_OBJECT

  public:
    explicit ProjectEditor(ProjectDocument& document, QWidget* parent = nullptr);

    /// Returns the row of a key; null for a name that is not in the table.
    [[nodiscard]] KeyRow* row(const QString& keyName) const;

    [[nodiscard]] bool showsAdvanced() const;
    void setShowsAdvanced(bool shows);

    /// Returns the sections by their titles in the table of keys. A section unfolds when the user goes to it
    /// or searches for it.
    [[nodiscard]] QStringList foldedSections() const;
    void setFoldedSections(const QStringList& sections);

    [[nodiscard]] TaskPicker& tasks() const { return *m_tasks; }
    [[nodiscard]] PromptTools& promptTools() const { return *m_promptTools; }
    [[nodiscard]] ModelState& modelState() const { return *m_modelState; }
    [[nodiscard]] Variations& variations() const { return *m_variations; }

    /// Hides inputs and settings of tasks that the project's model does not support. Null: a model that
    /// cannot be read, which may support any.
    void setFamily(const ModelFamily* family);
    /// Shows in place of values that leave it to the program what the plan decided; null: no plan.
    void showPlan(const RunPlan* plan);

    /// Shows the row until something else is searched or filtered, and gives it the focus.
    void goTo(const QString& keyName);
    void focusPrompt();
    void focusSearch();
    [[nodiscard]] QLineEdit& search() const { return *m_search; }

  signals:
    void referenceRequested(const QString& keyName);
    /// What the key names is to be drawn.
    void drawingRequested(const QString& keyName);

  protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Section {
        std::string_view name;  ///< in the table of keys
        QWidget* block;
        QToolButton* head;            ///< folds it
        std::vector<QWidget*> tools;  ///< beside the rows; none in most
        std::vector<KeyRow*> rows;
        bool isFolded = false;
    };

    QWidget* makeHeader();
    QWidget* makeForm();
    QToolButton* makeHead(std::string_view section, QWidget* parent);
    void putBesideHead(const Section& section, QWidget* tools);
    void chooseFile(const QString& keyName);
    void showHelp(const KeyRow& row);
    bool takeKey(const QObject& watched, const QKeyEvent& event);
    void showFiltered();
    void addRow(Section& section, KeyRow* row);
    void alignTitles();
    void refresh();
    void updateVisibility();
    /// Returns the text that resetting the key brings back.
    [[nodiscard]] QString standardText(const ProjectKey& key) const;
    [[nodiscard]] bool isWanted(const KeyRow& row) const;
    [[nodiscard]] bool mayBeRead(const ProjectKey& key) const;
    template <typename Act>
    void forEachRow(const Act& act) const;

    ProjectDocument& m_document;
    std::vector<Section> m_sections;
    QLineEdit* m_search;
    QToolButton* m_changedOnly;
    QCheckBox* m_advanced;
    QScrollArea* m_scroll;
    QLabel* m_nothing;
    KeyHelp* m_help;
    TaskPicker* m_tasks = nullptr;
    PromptTools* m_promptTools = nullptr;
    ModelState* m_modelState = nullptr;
    SizePicker* m_sizes = nullptr;
    Variations* m_variations = nullptr;
    const KeyRow* m_revealed = nullptr;          ///< shown although no filter asks for it
    std::optional<const ModelFamily*> m_family;  ///< none: not said yet
};

}  // namespace meshreel
