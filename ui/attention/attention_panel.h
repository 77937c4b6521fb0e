// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/planning/project_forecast.h"
#include "ui/project/plan_watch.h"

class QAction;
class QLabel;
class QMenu;
class QTableView;

namespace meshreel {

class AttentionModeModel;
class BoundField;
class LastPlanMark;
class ProjectDocument;
class TileView;
struct AttentionMode;
struct BlockPreset;
struct TilePlan;

/// The attention of the project: the modes to choose from with what they cost here, and the blocks that cut
/// the score matrix of a device into tiles, to be typed or taken from a preset.
class AttentionPanel : public QWidget {
    Q_OBJECT

  public:
    explicit AttentionPanel(ProjectDocument& document, QWidget* parent = nullptr);

    void showForecast(const ProjectForecast& forecast);

    [[nodiscard]] AttentionModeModel& modes() const { return *m_modes; }
    [[nodiscard]] QString tileText() const;
    /// Returns what C, U and R are here; empty without a plan.
    [[nodiscard]] QString lettersText() const;
    /// Returns an action for each of blockPresets().
    [[nodiscard]] QMenu& presets() const { return *m_presets; }

  signals:
    /// The user wants the sizes that are fastest here searched for.
    void tuneRequested();

  private:
    QWidget* makeModes();
    QWidget* makeBlocks();
    QWidget* makeBlockFields();
    QWidget* makeBlockButtons();
    void fillPresets();
    void takeMode(const QModelIndex& mode);
    void takePreset(const BlockPreset& preset);
    void takeSizes(const QString& name, const FlashBlockSizes& sizes);
    void showEffective(const ProjectForecast& forecast);
    /// The fastest sizes on the hardware that is planned for, among the presets.
    void showForeseen(const ProjectForecast& forecast);
    void showPresets();
    void showMode(const AttentionMode* mode);
    void showTiles(const TilePlan& tiles);
    void showNothing(const QString& reason);

    ProjectDocument& m_document;
    AttentionModeModel* m_modes;
    QTableView* m_table;
    TileView* m_tiles;
    QLabel* m_letters;
    std::vector<BoundField*> m_fields;  ///< in the order of blockSizeRows()
    QLabel* m_facts;
    QAction* m_foreseen;  ///< a preset of other hardware
    QMenu* m_presets;
    LastPlanMark* m_lastPlan;
};

/// Describes the tiles in sentences: how many, how much of them is padding, scratch memory.
QString tileSentences(const TilePlan& tiles);

}  // namespace meshreel
